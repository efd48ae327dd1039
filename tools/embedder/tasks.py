"""Sentences like the tasks, lessons and errors an agent meets, made from templates in groups of near neighbours.

A group starts from one filled template and changes one thing at a time: a synonym, the wrapping ("Please …", "How do I …"), one
entity, the direction of "from A to B", a negation, a condition. The teacher tells such sentences apart by small angles; a student
learns those angles only when both sentences stand in one batch. `[a|b]` picks an alternative, `{slot}` a word from its list.
Nothing here is taken from the retrieval set that measures the result.
"""
import random
import re

import words as lexicon

SLOTS = {
    "person": "Alice|Bob|Maria Lopez|Mr. Tanaka|Dr. Singh|Chen Wei|the customer|a new employee|the account manager|the tenant|Sofia|Omar|the reviewer|my manager|the whole team|the finance department|the landlord|a premium member|Priya|Lukas|Mrs. Novak|the on-call engineer|our biggest client|a guest user",
    "city": "Berlin|Paris|Tokyo|New York|Lisbon|Nairobi|Toronto|Sydney|Madrid|Oslo|Mumbai|Chicago|Rome|São Paulo|Seoul|Dubai|Vienna|San Francisco|London|Boston",
    "day": "Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday|tomorrow|next week|the end of the month|March 3|July 14|December 31|today|the first of May|next quarter",
    "time": "8 am|9:30|noon|2 pm|3:15 pm|5 pm|midnight|18:00|7 in the evening|6 a.m.",
    "number": "2|3|5|7|10|12|15|20|25|30|42|50|64|75|90|100|120|250|500|1000|1024|5000|10000|a dozen|several",
    "money": "$5|$19.99|$40|€75|$120|£250|$499|€1,200|$3,500|10 dollars|$15000|8 euros",
    "percent": "2%|5%|10%|12.5%|20%|25%|50%|75%|90%|99.9%",
    "product": "laptop|headphones|running shoes|coffee machine|phone case|bicycle|winter jacket|desk lamp|office chair|blender|keyboard|monitor|backpack|camera|tent|water bottle|printer|gift card|tablet|vacuum cleaner",
    "order": "order 1042|order #88317|the last order|the duplicate order|invoice 2291|invoice INV-0077|the pending shipment|ticket 5512|booking QX7R2|case 00914|the return request|purchase order 330",
    "language": "Python|Rust|TypeScript|Go|Java|C++|JavaScript|Ruby|Kotlin|Swift|PHP|Bash|C#",
    "tongue": "English|German|French|Spanish|Japanese|Chinese|Arabic|Portuguese|Hindi|Italian",
    "file": "config.yaml|main.py|README.md|report.pdf|data.csv|users.json|server.log|Cargo.toml|package.json|Dockerfile|notes.txt|backup.tar.gz|index.html|invoice.docx|budget.xlsx|the configuration file|the spreadsheet|the log file|the slide deck|schema.sql|.env",
    "folder": "the downloads folder|/var/log|the src directory|the shared drive|/etc/nginx|the project root|the desktop|an S3 bucket|the temp folder|the archive|Google Drive|the home directory",
    "service": "the payment service|the login API|the web server|nginx|PostgreSQL|Redis|Kafka|the message queue|the search index|Elasticsearch|the scheduler|the mail server|the staging cluster|production|the cache|the load balancer|the authentication service|the worker pool|the Kubernetes cluster|the data warehouse|the build server|MySQL|the mobile app|the checkout page",
    "table": "users|orders|payments|customers|products|events|sessions|invoices|employees|inventory|transactions|page_views|subscriptions",
    "column": "email|created_at|price|status|country|user_id|quantity|date of birth|zip code|revenue|score|name|phone number|total amount",
    "device": "the living room lights|the thermostat|the front door lock|the dishwasher|the garage door|the kitchen speaker|the bedroom blinds|the sprinkler|the security camera|the coffee maker|the heating|the TV|the robot vacuum|the fan in the office|the alarm",
    "room": "the kitchen|the bedroom|the bathroom|the office|the hallway|the garage|the living room|the nursery|upstairs|the garden",
    "event": "the team meeting|the dentist appointment|the weekly stand-up|the interview with the candidate|the board meeting|the flight|the yoga class|the product demo|my one-on-one|the parent-teacher conference|the quarterly review|the lunch with a client|the training session|the conference call|the birthday party",
    "site": "the airline's website|the shop|the booking page|the bank portal|the admin panel|GitHub|the support forum|the news site|the job board|LinkedIn|the hotel page|Wikipedia|the map|the government form|the dashboard",
    "element": "the submit button|the search box|the cookie banner|the drop-down menu|the date picker|the login form|the second tab|the captcha|the pop-up|the next page link|the check box|the filter for price|the upload field|the cart icon",
    "food": "pizza|sushi|pasta|salad|bread|vegetable soup|tacos|chocolate cake|curry|pancakes|rice|chicken|a vegan dinner|gluten-free snacks",
    "metric": "latency|error rate|memory usage|CPU load|disk usage|throughput|conversion rate|churn|revenue|accuracy|cache hit rate|response time|queue length|uptime|click-through rate",
    "error": "permission denied|connection refused|timeout after 30 seconds|HTTP 404 Not Found|HTTP 500 Internal Server Error|429 Too Many Requests|out of memory|no space left on device|certificate has expired|null pointer exception|index out of range|key not found|invalid JSON|deadlock detected|authentication failed|module not found|segmentation fault|file not found|syntax error near line 12|duplicate key value violates unique constraint|DNS lookup failed|unexpected end of input|type mismatch|rate limit exceeded|foreign key constraint fails|broken pipe|access token expired|version conflict|checksum mismatch|stack overflow|400 Bad Request|401 Unauthorized|403 Forbidden|502 Bad Gateway|cannot borrow as mutable|undefined is not a function",
    "tool": "git|docker|kubectl|npm|cargo|pip|terraform|grep|curl|psql|ssh|make|ffmpeg|Excel|Slack|Jira|Outlook|Salesforce|Stripe|Notion|Zendesk|Gmail|Trello|Airtable",
    "topic": "climate change|tax law|machine learning|the company's history|password security|healthy eating|the French Revolution|quantum computing|supply chains|electric cars|remote work|insurance claims|data privacy|black holes|vaccination|interest rates|renewable energy|chess openings|the immune system|housing prices",
    "branch": "main|the feature branch|develop|release/2.1|the hotfix branch|origin/main|the pull request|the fork",
    "account": "the savings account|the checking account|the credit card|the brokerage account|the business account|the joint account|the pension fund|the petty cash|PayPal|the escrow account",
    "chart": "bar chart|line chart|pie chart|histogram|scatter plot|heat map|pivot table|summary table|box plot",
    "plan": "the basic plan|the premium plan|the family plan|the annual subscription|the monthly subscription|the free trial|the enterprise licence|the student discount|the data plan|the gym membership",
    "reason": "it arrived damaged|the size was wrong|it was charged twice|the price changed|the meeting overran|the server was down|nobody answered|the deadline moved|the budget is spent|the password was leaked|the data was stale|the user asked for it|the test is flaky|the weather is bad|it is against policy|the address is incomplete|stock ran out|the contract expired",
    "format": "JSON|CSV|PDF|XML|Markdown|plain text|Parquet|HTML|YAML|a table|bullet points|one paragraph|a spreadsheet",
    "medicine": "blood pressure tablets|insulin|antibiotics|vitamin D|the inhaler|painkillers|allergy medication",
    "exercise": "push-ups|a 5 km run|stretching|squats|swimming|a yoga routine|intervals|weight training",
}

ACTIONS = """
[refund|reimburse|give money back for] {order} to {person}
[cancel|call off|void] {order} because {reason}
[change|update|correct] the shipping address of {order} to {city}
[track|find out where is|check the status of] {order}
[replace|exchange|swap] the {product} for a {product}
[apply|grant|offer] a discount of {percent} to {person}
[escalate|forward|hand over] the complaint of {person} to {person}
[reply|respond|write back] to {person} about the {product}
[upgrade|move] {person} from {plan} to {plan}
[downgrade|switch] {person} to {plan} without [losing data|a fee|an interruption]
[reset|restore|recover] the password of {person}
[unlock|reactivate|re-enable] the account of {person} after {number} failed logins
[verify|confirm|check] the identity of {person} before sharing {order}
[send|email|mail] {order} to {person}
[remind|notify|tell] {person} that the payment of {money} is [overdue|due on {day}|late]
[return|send back] the {product} because {reason}
[compare|weigh up] {plan} and {plan} for {person}
[close|delete|deactivate] the account of {person}
[merge|combine] the duplicate accounts of {person}
[book|reserve] a flight from {city} to {city} on {day}
[book|reserve|find] a hotel in {city} for {number} nights under {money}
[cancel|change|rebook] the train from {city} to {city}
[find|look for] the cheapest flight from {city} to {city} before {day}
[plan|organise|draft] a {number}-day trip to {city}
[rent|hire] a car in {city} from {day} to {day}
[check in|get the boarding pass] for the flight to {city}
[convert|exchange] {money} before travelling to {city}
[schedule|set up|arrange] {event} on {day} at {time}
[move|reschedule|shift] {event} from {day} to {day}
[move|push] {event} from {time} to {time}
[cancel|drop|remove] {event} on {day} and tell {person}
[invite|add] {person} to {event}
[remove|uninvite] {person} from {event}
[find|look for] a free slot of {number} minutes for {person} and {person}
[set|create] a reminder {number} minutes before {event}
[block|reserve] {number} hours on {day} for [focused work|travel|the report]
[decline|accept|tentatively accept] the invitation to {event}
[write|implement|add] a {language} function that [parses|validates|sorts|reads|writes] {format}
[fix|repair|debug] the {error} error in {file}
[refactor|rewrite|port] {file} from {language} to {language}
[write|add] unit tests for {file} in {language}
[review|look over] the changes in {branch} before merging
[merge|rebase] {branch} into {branch}
[revert|undo] the last commit on {branch}
[create|open] a pull request from {branch} to {branch}
[resolve|settle] the merge conflict in {file}
[bump|upgrade|update] the {tool} dependency to version {number}
[pin|downgrade] the {tool} version because {reason}
[rename|change the name of] the function in {file} everywhere
[remove|delete|get rid of] dead code from {file}
[add|introduce] a retry with backoff to {service}
[add|introduce] caching to {service} to cut {metric}
[profile|measure|benchmark] {service} to find what drives {metric}
[document|explain] how {file} is parsed
[translate|port] the {language} script to {language}
[install|set up|configure] {tool} on {service}
[run|execute] the test suite in {folder} with {tool}
[format|lint] the {language} code in {folder}
[handle|catch] {error} in the {language} client
[explain|find out] why {service} answers {error}
[migrate|move] {service} from {city} to {city}
[deploy|roll out|release] {service} to production after {day}
[roll back|undo] the deployment of {service}
[restart|reboot] {service} when {metric} is above {percent}
[scale|grow] {service} to {number} replicas
[scale down|shrink] {service} to save {money}
[rotate|renew] the [API key|certificate|password|token] of {service}
[revoke|withdraw] the access of {person} to {service}
[grant|give] {person} read-only access to {service}
[grant|give] {person} admin rights on {service}
[alert|page] {person} when {metric} of {service} exceeds {percent}
[mute|silence] the alert on {metric} until {day}
[back up|make a copy of] {service} to {folder}
[restore|recover] {service} from the backup of {day}
[investigate|look into] the spike in {metric} on {day}
[check|read|search] the logs of {service} for {error}
[block|allow] traffic from {city} to {service}
[enable|turn on] two-factor login for {person}
[disable|turn off] two-factor login for {person}
[create|add] an index on {table}.{column}
[drop|remove] the column {column} from {table}
[rename|change] the column {column} to {column} in {table}
[join|combine] {table} with {table} on {column}
[select|list|show] the top {number} {table} by {column}
[count|sum up] {table} per {column} since {day}
[delete|purge] {table} older than {number} days
[import|load] {file} into the {table} table
[export|dump] the {table} table to {format}
[deduplicate|remove repeated rows from] {table} by {column}
[fill|impute] missing values of {column} in {table}
[validate|check] that {column} in {table} is never null
[convert|transform] {file} from {format} to {format}
[plot|draw] a {chart} of {metric} per {column}
[turn|change] the {chart} into a {chart}
[forecast|predict] {metric} for {day} from {table}
[compute|calculate] the [average|median|maximum|minimum|sum] of {column} grouped by {column}
[filter|keep only] rows of {table} where {column} is [above|below|equal to] {number}
[train|fit] a classifier on {table} to predict {column}
[evaluate|measure] the model's {metric} on held-out data
[anonymise|mask] {column} in {table} before sharing with {person}
[schedule|run] the nightly job that loads {table} at {time}
[open|go to] {site} and click {element}
[scroll|navigate] to {element} on {site}
[fill in|complete] the form on {site} with the data of {person}
[download|save] {file} from {site} to {folder}
[upload|attach] {file} to {site}
[log in|sign in] to {site} as {person}
[log out|sign out] of {site}
[dismiss|close|accept] {element} on {site}
[search|look] on {site} for a {product} under {money}
[add|put] {number} {product}s into the cart on {site}
[remove|take] the {product} from the cart on {site}
[sort|order] the results on {site} by [price|rating|date]
[extract|scrape|copy] all prices from {site} into {format}
[take|make] a screenshot of {element}
[wait|pause] until {element} is visible on {site}
[turn on|switch on] {device} in {room} at {time}
[turn off|switch off] {device} in {room} at {time}
[dim|brighten] {device} to {percent}
[set|put] {device} to {number} degrees
[lock|unlock] {device} when [everyone leaves|someone arrives|it gets dark]
[start|stop] {device} after {time}
[play|pause|skip] music in {room}
[lower|raise] the volume in {room}
[open|close] the blinds in {room} at sunset
[order|buy] {food} for {number} people
[cook|prepare|make] {food} without [nuts|dairy|meat|sugar]
[add|put] {food} on the shopping list
[remove|strike] {food} from the shopping list
[suggest|recommend] a recipe for {food} in under {number} minutes
[transfer|send|move] {money} from {account} to {account}
[pay|settle] {order} from {account}
[split|divide] the bill of {money} between {person} and {person}
[categorise|label] the expenses of {day}
[reconcile|match] {account} with {table}
[dispute|contest] the charge of {money} on {account}
[freeze|block] {account} because {reason}
[increase|raise] the limit of {account} to {money}
[decrease|reduce|lower] the limit of {account} to {money}
[calculate|work out] the tax on {money}
[sell|buy] {number} shares when the price is [above|below] {money}
[set|create] a budget of {money} for {food}
[report|summarise] the spending on {product}s since {day}
[send|wire] {money} to {person}
[request|ask for] {money} from {person}
[summarise|sum up] {file} in {number} sentences
[translate|render] {file} from {tongue} to {tongue}
[translate|render] the reply to {person} into {tongue}
[proofread|correct the spelling of] {file}
[rewrite|rephrase] the message to {person} in a [friendlier|more formal|shorter] tone
[draft|write] an email to {person} about {topic}
[draft|write] a report on {topic} in {tongue}
[explain|describe] {topic} to a [child|beginner|student|expert]
[find|look up] recent papers on {topic}
[collect|gather] sources for and against {topic}
[answer|handle] questions about {topic} only from {file}
[cite|quote] the source when answering about {topic}
[make|prepare] slides about {topic} with {number} pages
[extract|pull] names and dates from {file}
[classify|sort] the emails in {folder} by urgency
[compare|contrast] {topic} with {topic}
[move|shift] {file} from {folder} to {folder}
[copy|duplicate] {file} to {folder}
[delete|remove|erase] {file} from {folder}
[rename|retitle] {file} to {file}
[compress|zip] {folder} into {file}
[unzip|extract] {file} into {folder}
[find|search for] files larger than {number} MB in {folder}
[encrypt|decrypt] {file} before uploading it to {folder}
[share|send] {file} with {person}
[stop sharing|revoke the link to] {file} with {person}
[sync|mirror] {folder} with {folder}
[print|scan] {file} in {number} copies
[screen|shortlist] {number} candidates for the {language} role
[onboard|offboard] {person} in {tool}
[approve|reject] the vacation of {person} from {day} to {day}
[assign|give] the ticket about {topic} to {person}
[reassign|move] {order} from {person} to {person}
[post|share] the summary of {event} in {tool}
[create|file] a bug in {tool} about {error}
[close|reopen] the bug about {error}
[prioritise|rank] the backlog by {metric}
[estimate|guess] the effort of adding {plan} to {site}
[refill|renew] the prescription for {medicine}
[remind|tell] {person} to take {medicine} at {time}
[log|record] {number} minutes of {exercise}
[plan|build] a week of {exercise} for a beginner
[book|make] a doctor's appointment in {city} on {day}
[check|ask] whether the insurance covers {medicine}
[grade|mark] the essay about {topic}
[quiz|test] {person} on {topic} with {number} questions
[water|fertilise] the plants in {room} every {number} days
[measure|check] the air quality in {room}
[label|tag] {number} pictures of {product}s
[transcribe|write down] the recording of {event}
[generate|draw] an image of a {product} in {city}
[negotiate|discuss] the price of the {product} with {person}
[count|check] the stock of {product}s in {city}
[reorder|restock] {number} {product}s when fewer than {number} are left
[ship|dispatch] the {product} from {city} to {city}
[inspect|service] the {product} every {number} months
""".strip().split("\n")

WRAPPERS = """
{a}
{a}
{a}
{a}.
{a} as soon as possible
Please {a}
please {a}.
Can you {a}?
could you {a} for me
How do I {a}?
how to {a}
I need to {a}
I want you to {a}
We have to {a} by {day}
help me {a}
The user asked to {a}
The user wants us to {a}, {c}
Task: {a}
Goal: {a} {c}
{a}, {c}
{a} {c}
{C}, {a}
{a} and then {b}
First {a}, then {b}
{b} before you {a}
{a} instead of trying to {b}
What is the best way to {a}?
What happens if we {a}?
Is it possible to {a}?
Do not {a}
Don't {a} {c}
Never {a} unless {person} agrees
Always {a} {c}
You must {a} before you {b}
You may {a} but must not {b}
Avoid having to {a}: {b} first
{a}; if that fails, {b}
failed to {a}: {error}
Could not {a} because {reason}
error while trying to {a}: {error}
{error} when trying to {a}
Tried to {a} but got {error}; the fix was to {b}
After {error}, {b} and only then {a}
Lesson: to {a}, first {b}
When asked to {a}, {b}
When you have to {a}, check {service} first
The agent managed to {a} {c}
The agent did not {a} although it should
It was a mistake to {a} when {reason}
{a} with {tool}
{a} using {tool}, not {tool}
use {tool} to {a}
Someone should {a}
Why should we {a}?
Remember to {a} on {day}
""".strip().split("\n")

CONTEXTS = """
without asking {person}
after asking {person}
before {day}
after {day}
before {time}
only on {day}
but not on {day}
because {reason}
although {reason}
unless {reason}
if {reason}
even when {reason}
in {tongue}
at most {number} times
at least {number} times
for less than {money}
for {person}
not for {person}
using {tool}
without {tool}
as {format}
and write the result to {file}
and do not touch {file}
with {number} retries
when {metric} is above {percent}
when {metric} is below {percent}
while {service} is down
as quickly as possible
step by step
and keep a copy in {folder}
without changing {service}
in {city}
""".strip().split("\n")

SLOTS = {name: words.split("|") for name, words in SLOTS.items()}
SLOTS |= {"verb": lexicon.VERBS, "noun": lexicon.NOUNS, "adjective": lexicon.ADJECTIVES}
SLOT = re.compile(r"\{(\w+)\}")
CHOICE = re.compile(r"\[([^\]]+)\]")


def fill(template, words):
    """Put words into the slots of a template: `words` holds one list of chosen words for each slot, used in turn."""
    used = {}

    def word(match):
        slot = match.group(1)
        position = used.get(slot, 0)
        used[slot] = position + 1
        return words[slot][position % len(words[slot])]

    return SLOT.sub(word, template)


def choose(template, rng):
    return CHOICE.sub(lambda match: rng.choice(match.group(1).split("|")), template)


def pick_words(rng):
    """Four words for every slot that a template may ask for, drawn on first use."""

    class Words(dict):
        def __missing__(self, slot):
            self[slot] = rng.sample(SLOTS[slot], min(4, len(SLOTS[slot])))
            return self[slot]

    return Words()


def group(rng, size):
    """`size` sentences around one task."""
    # Half of the groups combine words freely: less sense, but all the words the templates above do not know.
    actions = ACTIONS if rng.random() < 0.5 else lexicon.FREE_ACTIONS
    action, other, context = rng.choice(actions), rng.choice(actions), rng.choice(CONTEXTS)
    wrapper, words = rng.choice(WRAPPERS), pick_words(rng)
    sentences = []
    for _ in range(size):
        now_action, now_other, now_context, now_wrapper, now_words = action, other, context, wrapper, words
        change = rng.random()
        if change < 0.30 and words:  # another entity, in one slot
            now_words = pick_words(rng)
            now_words.update(words)
            slot = rng.choice(list(words))
            now_words[slot] = rng.sample(SLOTS[slot], len(words[slot])) if rng.random() < 0.5 else [rng.choice(SLOTS[slot])] + words[slot][1:]
        elif change < 0.45:  # the same entities the other way round: from B to A
            now_words = pick_words(rng)
            now_words.update({slot: chosen[1::-1] + chosen[2:] for slot, chosen in words.items()})
        elif change < 0.70:  # the same task, worded or wrapped otherwise
            now_wrapper = rng.choice(WRAPPERS)
        elif change < 0.80:
            now_context = rng.choice(CONTEXTS)
            now_wrapper = rng.choice(["{a} {c}", "{a}, {c}", wrapper])
        elif change < 0.90:
            now_other = rng.choice(actions)
        elif change < 0.97:  # another task about the same entities
            now_action = rng.choice(actions)
        parts = {"a": choose(now_action, rng), "b": choose(now_other, rng), "c": now_context}
        parts["C"] = parts["c"][:1].upper() + parts["c"][1:]
        sentence = re.sub(r"\{([abcC])\}", lambda match: parts[match.group(1)], now_wrapper)
        sentence = fill(choose(sentence, rng), now_words)
        sentences.append(sentence if rng.random() < 0.4 else sentence[:1].upper() + sentence[1:])
    return sentences


def generate(seed, groups, size=8):
    rng = random.Random(seed)
    return [sentence for _ in range(groups) for sentence in group(rng, size)]


if __name__ == "__main__":
    print("\n".join(generate(0, 8)))
