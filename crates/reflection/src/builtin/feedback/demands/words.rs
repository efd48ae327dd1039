//! The words by which a demand is known. They are words for duty, order and limit in many languages, of no field of work.
//!
//! Single words are divided by blanks, phrases by bars.

/// Words of duty in many languages. What the first person does of them ("I must say") is no demand.
pub(super) const DUTY: &str = "must mustn't shall never always should shouldn't ought mandatory obligatory forbidden prohibited required require requires \
    cannot belong belongs gehört gehören benötigt benötigen erfordert erfordern nötig notwendig zukunft avenir futuro future requiert requièrent \
    exige exigent requiere requieren exigen requer requerem exigem vanno richiede richiedono vereist vereisen wymaga wymagają bör bør ska \
    muss müssen musst müsst soll sollen sollst sollte sollten solltest darf dürfen darfst niemals immer stets keinesfalls unbedingt \
    zwingend grundsätzlich ausschließlich künftig zukünftig stattdessen verboten untersagt pflicht erforderlich braucht brauchen höchstens mindestens \
    jamais toujours doit doivent devez devrait devraient faut obligatoire interdit interdite uniquement exclusivement systématiquement veuillez \
    désormais dorénavant nunca siempre debe deben debes debería deberían deberás obligatorio prohibido únicamente solamente \
    sempre deve devem deveria deveriam deverá obrigatório proibido somente apenas devono dovrebbe dovrebbero bisogna occorre obbligatorio \
    vietato soltanto moet moeten nooit altijd verplicht verboden voortaan zawsze nigdy musi muszą trzeba należy powinien powinna powinno \
    powinny wolno wyłącznie tylko alltid aldrig aldri altid måste skal vždy nikdy musí всегда никогда должен должна должно должны нужно \
    надо нельзя необходимо обязательно следует завжди ніколи потрібно asla mutlaka gerekir gerekiyor zorunda mindig soha \
    aina koskaan täytyy πρέπει πάντα ποτέ يجب دائما دائمًا תמיד חייב אסור हमेशा चाहिए harus jangan selalu wajib";

/// The same in several words.
pub(super) const PHRASES: &str = "have to|has to|need to|needs to|may not|not allowed|next time|from now on|going forward|at most|no more than|make sure|\
    nächstes mal|nächsten mal|auf keinen fall|il faut|la prochaine fois|s'il vous plaît|s'il te plaît|hay que|tiene que|\
    tienen que|tienes que|por favor|en adelante|la próxima vez|tem que|tem de|têm de|da próxima vez|de agora em diante|\
    é preciso|per favore|la prossima volta|d'ora in poi|mag niet|volgende keer|nie wolno|następnym razem|nästa gång|\
    her zaman|không được|for future reference|i'd prefer|i would prefer|we prefer|i want|i expect|ich möchte|ich hätte gern|\
    for every|for each|für jede|für jeden|pour chaque|para cada|per ogni|voor elke|rule of thumb|ma być|mają być|we only|\
    may only|can only|are only";

/// Signs of a demand in languages that are written without blanks, or that build it into the word.
pub(super) const SIGNS: &str = "必ず|絶対|常に|禁止|てください|て下さい|ないで|べき|なければ|必要があ|必要です|いけない|いけません|ないこと|すること|厳守|してはな|てほしい|必须|必須|务必|務必|不要|不能|不得|不可|应该|應該|应当|应先|一定要|\
    始终|需要|请|切勿|不准|只能|반드시|항상|절대|해야|마세요|주세요|应由|应在|一律|方可|才能|必需";

/// What sounds like one of them and is none.
pub(super) const IDIOMS: &str = "as always|like always|always a pleasure|always good|always nice|always great|always helpful|i must|i should|i have to|\
    i always|i never|i cannot|must admit|must say|must have been|have to say|have to admit|as it should|should be fine|\
    should be good|should do it|never mind|never seen|never been|never had|see you next time|until next time|no need to|\
    don't worry|keep it up|keep up|keep going|let me know|take care|take your time|wie immer|muss ich|ich muss|\
    bitte weiter so|comme toujours|como siempre|como sempre|come sempre|zoals altijd|jak zawsze|как всегда|我需要|请继续|不能更|不可思议|\
    that always|this should|which should|that should|should now|should help|has never|have never|had never|has always|\
    had always|was always|you always|was required|were required|as required|nicht nötig|please fix it|please fix this|\
    try again|if only|want to thank|want to say|что нужно|like we always|as we always|should i|what it should|how it should|\
    never failed|never crashed|never broke|never let me down|\
    should be proud|this must have|it must have|that must have|i need to|c'est toujours|toujours un plaisir|siempre tan|siempre un placer|\
    immer ein vergnügen|sempre un piacere|sempre um prazer|适应|反应";

/// Verbs that a sentence in English orders with.
pub(super) const ORDERS: &str = "use avoid write run rerun add keep check ask call put set make name cite quote round convert include report read send tell \
    give change leave prefer stop start verify confirm return show list state mention update remove delete drop create open close \
    wait stick follow treat handle log test commit push raise bump pin document describe explain format sort split escape validate ensure remember \
    note mind let reply respond answer escalate notify inform attach link refer look review compare count copy move rename replace \
    bring fix limit store save load fetch query filter group skip ignore pass quit cancel book refund offer apologise apologize \
    greet address sign mark tag label assign merge rebase squash branch revert restore lock encrypt mask redact hash back deploy restart roll build compile \
    install upgrade downgrade declare define export import wrap cache cap double-check translate spell capitalise capitalize \
    \
    nutze nutzt nutzen verwende verwenden verwendet benutze frage fragt prüfe prüft schreibe schreib achte achten beachte vergiss vergesst lass lasst setze nimm \
    gib mach \
    utilise utilisez vérifie vérifiez demande demandez ajoute ajoutez mets mettez fais faites pense pensez évite évitez écris écrivez cite citez \
    recuerda recuerde lembre lembra onthoud pamiętaj denk denkt помни n'oublie n'utilise réponds répondez indique indiquez précise précisez \
    usa utiliza utilice revisa revise comprueba compruebe pregunta pregunte verifique verifica incluye incluya añade añada evita evite pon ponga \
    confirma confirme indica indique envía envíe responde responda consulta consulte \
    verifica verifique envie inclua inclui adicione adiciona pergunte pergunta escreva responda \
    usate controlla controllate chiedi chiedete aggiungi aggiungete scrivi scrivete rispondi includi ricorda ricordate indica indicate \
    gebruik controleer vraag zet vermijd noem vermeld schrijf voeg stuur bevestig \
    używaj użyj sprawdź sprawdzaj pytaj zapytaj dodaj dodawaj unikaj pisz podawaj podaj wysyłaj \
    använd kontrollera fråga skriv bruk brug";

/// Words between which a sentence begins and its order.
pub(super) const OPENERS: &str =
    "also then just please and but so still first bitte also dann und aber kindly only proszę voi s'il alors puis";

/// Words after a noun; after an order none of them stands.
pub(super) const AFTER_NOUNS: &str =
    "is are was were looks look seems works worked went has had of ist war sind est sont es está é è jest";

/// Words after an order that open a clause with a verb of its own.
pub(super) const AFTER_ORDERS: &str = "what that which who whom where when if it whether how why";

/// What a sentence begins with that says when something holds, or for which of many.
pub(super) const WHENEVER: &str = "if when whenever unless once every each any wenn falls sobald jede jeder jedes jeden chaque toute toutes tous si lorsque quand \
    cuando cada todos todas quando se caso ogni tutte als wanneer elke iedere jeśli gdy jeżeli każdy każda każde если когда каждый";

/// Words for the limits of a rule, where something follows that they limit.
pub(super) const ONLY: &str = "only nur seulement sólo solo alleen только";

pub(super) const LIMITS: &str = "after when if with in from by for to once as on at before via nach wenn mit in aus von für bei auf über als après si avec \
    dans pour con en para si después desde na met voor bij between during until up through zwischen bis während entre durante hasta durant pendant";
