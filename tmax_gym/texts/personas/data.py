"""Personas of querying, data science and data processing: data only, see `personas`."""

PERSONAS = """
= data_querying
dba | database administrator
I run the databases at {org}; {person2} from {place} asked for something the {usual|standard}
 reports do not {show|answer}.
The {thing} database of {org} {predates|is older than} everyone at {place}, and {its|the}
 documentation {went|got lost} with the {event}.
{place} {keeps asking|asks every month} for the same {thing} figures, so {org} would like
 {them|this} {settled|done} properly once.
{person2} wrote {a query|something} for the {things} at {org}, got {two|three} different answers,
 and {gave up|came to me}.

bi-analyst | reporting analyst
The board of {org} meets {on Wednesday|next week} and {person2} still has {an empty|no} slide about
 the {things} at {place}.
I report on {things} for {org}; the {dashboard|tool} at {place} {rounds|hides} exactly what
 {person2} {wants|needs} to see.
Two departments of {org} {quote|use} different {thing} numbers since the {event}, and {person2}
 asked {for one|which} to {trust|believe}.
{place} {sends|exports} its {things} nightly to {org}, and so far {nobody|no one} has {asked|put}
 this question to {them|the data}.

compliance-officer | compliance officer
The regulator {asked|wrote to} {org} about {things} at {place}, and the answer {must|has to} come
 straight from the {records|data}.
I {handle|deal with} supervisory requests at {org}; this one {concerns|is about} {place} and
 {cannot|may not} be estimated.
{org} has {until Friday|ten days} to {state|report} what its {thing} records say about the {event};
 {person2} signs it.
{person2} in legal {insists|wants} that the {thing} figures of {org} {can be|are} {traced|derived}
 from the source, row by row.

etl-engineer | data engineer
The nightly {thing} load at {org} {broke|stopped} with the {event}; {place} needs what it would have
 {delivered|produced}.
I move {thing} data from {place} into the warehouse of {org}, and {this step|one piece} is
 {still|done} by hand.
{person2} {changed|cleaned up} the {thing} schema at {org} and now {nothing|little} downstream of
 {place} {agrees|adds up}.
{org} {merged|joined} two {thing} systems {last year|after the {event}}; {person2} warned me that
 the {keys|joins} are {not what they seem|treacherous}.

catalogue-keeper | metadata librarian
I keep the register of {things} for {org}, and {place} {queries|uses} it in {ways|a way} it was
 {not|never} built for.
{person2} would like to {ask|search} the {thing} records of {org} without {going through|asking} me
 {every time|each time}.
Ten years of {things} at {org} {sit|are} in one store; {place} {never|hardly} got more than {a
 list|a dump} out of it.
The {thing} index that {place} {relies|depends} on is {older|slower} than {org} likes, and {person2}
 has {measured|noticed} it.

backend-developer | backend developer
The screen that {place} uses for {things} needs {an answer|data} that the {backend|server} of {org}
 cannot {give|produce} yet.
{person2} {designed|drew} the {thing} page for {org}; I {need|am missing} what {stands|sits} behind
 it.
{place} {hits|calls} the {thing} data of {org} {all day|constantly}, and {since the {event}|lately}
 the answers have to be {exact|right} to the row.
I {promised|owe} {person2} at {org} a clean way to {get at|read} the {things}, before {place}
 {builds|hacks} its own.

= data_science
modeller | data scientist
I {model|forecast} {things} for {org}, and the numbers from {place} {stopped making sense|no longer
 add up} after the {event}.
{person2} at {org} {wants|asked for} a {first|simple} model of the {things} at {place}, {nothing
 clever|as plain as it can be}.
We {collected|have} {a season|two years} of {thing} data at {place}; {org} now {asks|wants to know}
 what it is {worth|good for}.
The {thing} model that {org} bought {does worse|is worse} than {a guess|the average} at {place}, so
 {person2} {lets|has} us try.

mlops-engineer | machine learning engineer
The training job for the {thing} model at {org} {moved|goes} to a new machine, and {person2} cannot
 {repeat|match} the {old|earlier} result.
{org} {retrains|refits} its {thing} model every {week|night}; the step for {place} {fails|is
 missing}, and {person2} is {away|out}.
I keep the {thing} pipeline of {org} {running|alive}; what {place} {sends|feeds} it has
 {changed|drifted} since the {event}.
{person2} left {a notebook|a script} for the {thing} scores of {org}; {place} needs it as something
 that {runs|works} unattended.

experimenter | experiment analyst
{org} {ran|finished} an experiment on {things} at {place}, and {person2} has {already|half}
 {announced|written up} the outcome.
Half of {place} got the new {thing} procedure, half did not; {org} wants {a number|the effect} and
 {person2} wants {it honest|no tricks}.
The trial at {place} {ended|stopped} with the {event}, {earlier|sooner} than {org} had planned, and
 the {thing} data {are|stay} as they are.
I {evaluate|judge} {thing} experiments for {org}; {person2} {suspects|thinks} that the data of this
 one have {a flaw|a problem}.

quality-scientist | measurement analyst
The {measure} readings from {place} {disagree|do not agree} with {what|those} {person2} takes by
 hand, and {org} wants to know {why|by how much}.
Sensors at {place} were {replaced|swapped} {around|during} the {event}; {org} has to {use|live with}
 both halves of the data.
I {look after|watch} {measure} data for {org}; {person2} {flagged|marked} a stretch from {place}
 that {looks|seems} {odd|off}.
{place} logs {measure} {day and night|round the clock}, and nobody at {org} has {checked|examined}
 those logs since the {event}.

planner | capacity planner
{org} has to {decide|plan} how many {things} {place} can {take|handle} next {season|quarter}, and
 {person2} wants {numbers|more than a feeling}.
I {plan|schedule} {things} at {org}; the rule of thumb from {place} {fails|broke} with the {event}.
{person2} {says|claims} that the {things} at {place} follow {a pattern|a rhythm}; {org} would like
 it {shown|proved} on data.
Budget talks at {org} {open|start} soon, and {place} {needs|wants} an estimate about {things} that
 {survives|stands} {questions|a second look}.

label-curator | dataset curator
The {thing} collection that {org} {trains|works} with was {labelled|annotated} at {place} in a
 hurry, and {it shows|that shows}.
{person2} and I {assemble|build} the {thing} data set for {org}; {place} {contributed|sent} the
 {part|share} that you will find here.
{org} wants to publish its {thing} data; before that, {place} asks for {one more|a last}
 {pass|look}.
I {inherited|received} a pile of {thing} recordings from {place}; {org} {thinks|hopes} {there is
 more|something is} in it.

= data_processing
log-analyst | log analyst
{place} writes {thing} logs faster than anyone at {org} {reads|can read} them; {person2} wants {the
 essence|what matters}.
I {dig|go} through logs for {org}, and those of {place} around the {event} are {a mess|in bad
 shape}.
{person2} {suspects|thinks} the answer is in the {thing} logs of {org}, {spread|scattered} over more
 than one {file|place}.
The {thing} logs at {place} {changed|switched} format with the {event}, and the scripts of {org}
 {did not notice|never followed}.

feed-operator | data feed operator
{org} takes a daily {thing} feed from {place}, and today's {is|came in} {mangled|damaged} in the
 usual {ways|way}.
A partner of {org} sends {things} {its|their} own way; {place} cannot {load|use} them until
 {that|this} is {sorted out|straightened}.
{person2} {used to fix|always fixed|repaired} the {thing} feed by hand {before|until} the {event};
 {org} does not want to {go on|live} like that.
The import at {place} {refused|rejected} the {thing} delivery {again|twice}, and {org} has
 {nobody|no one} left who knows the format by heart.

localiser | localisation engineer
The texts about {things} that {org} shows at {place} come from {four|six} translators and as many
 {tools|editors}.
{person2} at {org} {merges|collects} {thing} texts in several languages, and {place} found
 {characters|names} that {nobody|no one} typed.
I prepare {thing} labels for {place}; {org} {changed|replaced} its tooling with the {event} and
 {left|kept} the old files.
{org} {prints|publishes} names of people from {many|a dozen} countries for {place}, and {person2}
 {hates|will not have} a misspelt one.

record-steward | records steward
The {thing} register of {org} holds the same {thing2} {two|three} times under {different|other}
 spellings, {says|writes} {person2}.
Every {month|quarter} {place} hands me its {things}, and every time {org} {asks|wonders} why they do
 not {match|tally}.
{person2} {typed|entered} {things} at {place} until the {event}; {org} {now|only now} finds out what
 {that|it} {means|did} for the data.
I {clean|tidy} {thing} records for {org}; {place} {delivers|sends} them late and {never|hardly ever}
 the same way twice.

telemetry-engineer | telemetry engineer
Loggers at {place} {dropped|lost} their clock during the {event}, and {org} has to make {one|a
 single} series out of {measure} anyway.
I {handle|collect} {measure} telemetry at {org}; {place} samples {irregularly|when it likes}, and
 {person2} {needs|wants} it regular.
{org} {records|stores} {measure} at {place} on {two|three} devices that {never|do not} agree, {least
 of all|not even} after the {event}.
{person2} {plots|reads} {measure} for {org} every morning, and this morning {place} {had|showed}
 {holes|gaps}.

pipeline-owner | pipeline owner
The {thing} pipeline of {org} has {five|six} steps; the one for {place} {is|has been} done by
 {person2}, on a laptop.
I {run|own} the batch jobs at {org}, and the {thing} step for {place} is the {last|only} one
 {without|that lacks} a {program|script}.
{place} {waits|is waiting} for the {thing} batch, {person2} is on {leave|holiday}, and {org}
 {closes|ends} its month {today|tomorrow}.
After the {event}, {org} {reran|repeated} the {thing} batch for {place} {by hand|in pieces}; the
 {result|outcome} has to be {put|brought} together {now|again}.
"""
"""A head `= domain`, then blocks: `name | title` and one opener a line."""
