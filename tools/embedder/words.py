"""Common verbs, nouns and adjectives of everyday and technical work, to be combined freely by `tasks.py`."""

VERBS = """accept access activate add adjust allocate analyse announce answer append apply approve archive arrange ask assemble assign
attach audit automate avoid balance ban bill block book boot borrow build buy calculate call cancel capture change charge check choose
classify clean clear click clone close collect combine commit compare compile complete compress confirm connect copy correct count cover
crawl create crop cut debug decide decline decode decrease decrypt dedupe define delay delegate delete deliver deploy describe design
detach detect disable discard disconnect discuss display distribute divide document download draft drain draw drop duplicate edit eject
email embed empty enable encode encrypt end enforce enter escalate estimate evaluate examine exclude execute expand explain export extend
extract fetch file fill filter finalise find finish fix flag flush follow forecast format forward freeze generate give grade grant group
guess hand handle hide highlight hire hold identify ignore implement import improve include increase inform insert inspect install
integrate interview invert invite invoice isolate join jump keep kill label launch learn lease leave limit link list load locate lock log
lower mail maintain make manage map mark mask match measure merge migrate mirror mix mock modify monitor mount move mute name negotiate
normalise notify obtain offer open optimise order organise overwrite pack paint parse partition paste patch pause pay pick pin plan plot
polish poll populate post postpone predict prepare preserve prevent preview print prioritise process profile promote propose protect prove
provide prune publish pull purge push query queue quote raise rank read rebuild receive recommend reconcile record recover recycle reduce
refactor refresh refund register reject release reload relocate remember remind remove rename renew rent reopen repair repeat replace reply
report reproduce request reschedule reserve reset resize resolve respond restart restore restrict resume retire retrieve retry return reuse
reverse revert review revise revoke rewrite roll rotate round route run sample save scale scan schedule score scrape screen search secure
select sell send separate serve set share ship show shuffle shut sign simplify simulate skip sort split stage start stop store stream
strip submit subscribe subtract suggest summarise supply suspend swap switch synchronise tag take terminate test throttle tidy track train
transcribe transfer transform translate trigger trim truncate tune unblock uninstall unlock unpack unsubscribe update upgrade upload use
vacuum validate verify visit vote wait warn wash watch weigh withdraw wrap write zip""".split()

NOUNS = """account action address adapter advert agenda agent agreement airport alarm album alert allowance amount analysis answer apartment
API app appliance application appointment archive argument article assistant attachment attendee auction audio audit author backlog backup
badge balance bank banner basket bathroom battery bed benchmark benefit bid bill binary blog board boiler bonus book booking bot bottle box
branch brand briefcase browser bucket budget bug build building bundle bus button cable cache calendar call camera campaign candidate car
card cart case cell certificate chain channel chapter charger chart chat check checklist checkpoint child citation claim class classifier
client clinic clock cloud cluster code coffee column command comment commit company complaint component computer condition conference
config connection constraint contact container contract conversation cookie copy coupon course cover crash credit crop currency cursor
curtain customer dashboard data database dataset date deadline deal debt decision default delivery dependency deployment deposit design
desk device diagram diary directory discount dish disk doctor document domain door draft drawer driver drone duplicate edge editor email
employee endpoint energy engine entry environment error estimate event exam exception expense experiment export factory failure fault
feature fee feedback fence field figure file filter fine finding fix flag flat flight floor folder font food form format forecast formula
frame freezer fridge friend function fund game garden gate gateway gift grant graph grid group guest guide handler hash header heater
history holiday home hospital host hotel house icon id image import income incident index input inquiry insurance interest interface
interview inventory investment invitation invoice issue item job journal key keyboard keyword kitchen label lamp laptop laundry layer
layout lead leak lease lecture ledger lesson letter library licence light limit line link list listing loan lock log login logo loop
luggage machine mail manager manual map margin market meal measurement medicine meeting member memory menu merchant message metric
migration milestone minute mistake mobile model module money month mortgage mount movie museum name network newsletter node note notebook
notification novel number object offer office opinion option order outage output owner package page pallet paper paragraph parameter
parcel parent park parser part partner passenger passport password patch path patient pattern payment payroll pension permission person
pet phone photo picture pipe pipeline plan plant platform player playlist plugin pod policy poll port post poster prediction prescription
presentation price printer privacy process product profile program project promise prompt proof property proposal prototype provider proxy
purchase query question queue quota quote rack rate rating receipt recipe record recording refund region register release reminder rent
repair reply report repository request reservation resource response restaurant result return review reward risk road robot role roof room
route row rule salary sale sample scanner schedule schema school score screen screenshot script seat secret section sensor sentence server
session setting shape share shelf shift shipment shop signature site sketch slide snapshot socket software song source speaker spec
spreadsheet sprint stack staff stage statement station status step stock storage store story stream street string student study style
subject subscription subtitle suitcase summary supplier survey symptom system table tag tank target task tax teacher team template tenant
term terminal test text thermostat thread ticket time timeout timer title token tool topic trace track train transaction transcript
translation trial trigger trip truck turn tutorial type unit update upload usage user vacation valve value variable vehicle vendor version
video view visa visitor voice volume voucher wallet warehouse warning warranty washer watch water weather website week wheel widget window
wire word worker workflow workshop yard year zone""".split()

ADJECTIVES = """abandoned active angry annual archived automatic available bad big blank blocked blue broken cheap clean closed cold common
complete confidential corrupt critical current daily damaged deprecated different digital dirty double draft duplicate early electric empty
encrypted expensive expired external failed fast final first flaky foreign free fresh full future good green heavy hidden high hot huge
idle important incomplete incorrect inactive internal invalid large last late latest legacy light local locked long loud low main major
manual missing monthly new next nightly noisy obsolete offline old online open optional original outdated overdue own paid partial pending
personal physical planned premium previous private public quick quiet random rare raw recent red redundant regional remote required
restricted rough safe same scheduled second secret senior shared short signed silent similar slow small spare stale strange temporary
tiny top trusted unknown unpaid unread unsigned unused urgent valid vegetarian verified warm weak weekly wet wrong yearly""".split()

FREE_ACTIONS = """
{verb} the {noun}
{verb} the {noun}
{verb} the {adjective} {noun}
{verb} {noun} and {noun}
{verb} the {noun} of the {noun}
{verb} the {noun} {noun}
{verb} a {adjective} {noun} {noun}
{verb} the {noun} from the {noun}
{verb} the {noun} from the {noun} to the {noun}
{verb} the {noun} [before|after|instead of|without|with|through|using] the {noun}
{verb} every {adjective} {noun} in the {noun}
{verb} all {noun}s except the {adjective} ones
{verb} one {noun} for each {noun}
{verb} the {noun} [if|when|unless] the {noun} is {adjective}
{verb} or {verb} the {noun}
{verb} and {verb} the {adjective} {noun}
{verb} the {noun} for {person}
{verb} the {noun} by {day}
{verb} {number} {noun}s
{verb} the {noun} [in|on|at|under|behind] the {noun}
{verb} the {noun} using {tool}
{verb} the {noun} in {city}
{verb} which {noun}s are {adjective}
{verb} how many {noun}s the {noun} has
{verb} whether the {noun} is {adjective} or {adjective}
{verb} only the {adjective} {noun}, not the {adjective} one
""".strip().split("\n")
