"""Words of the rollup-drift family."""

from __future__ import annotations

from collections.abc import Mapping

from tmax_gym.texts.clauses import Clause

Facts = Mapping[str, str]


def say(facts: Facts, built: Facts, asked: Facts, *, thing: str) -> tuple[Clause, ...]:
    """Return every clause.

    Args:
        facts: Paths of the package and of the manual or build.
        built: Window and limit of the build; empty with a manual.
        asked: Day file, its window and limit, and the report.
        thing: What has meters, in the plural.
    """
    package, truth = {"package": facts["package"]}, {"truth": facts["truth"]}
    judged = (
        Clause("truth", _BUILD, facts={**truth, **built}, role="input", brief=_BUILD_BRIEF)
        if built
        else Clause("truth", _MANUAL, facts=truth, role="input", brief=_MANUAL_BRIEF)
    )
    kept = {**truth, "day": asked["day"]}
    return (
        Clause("goal", _GOAL, facts={**package, "thing": thing}, role="goal", brief=_GOAL_BRIEF),
        judged,
        Clause(
            "call",
            _CALL,
            facts={"call": f"`python3 {facts['package']} WINDOW LIMIT`"},
            role="format",
            brief="{Call|Usage}: {call}, readings {on|from} standard input, report on standard "
            "output.",
        ),
        Clause("report", _REPORT, facts=dict(asked), role="output", brief=_REPORT_BRIEF),
        Clause(
            "other",
            _OTHER,
            facts={"day": asked["day"]},
            role="constraint",
            brief="It will {get|meet} other readings (of the kinds in {day}), windows and limits.",
        ),
        Clause(
            "keep",
            _KEEP_BUILD if built else _KEEP_MANUAL,
            facts=kept,
            role="constraint",
            brief=_KEEP_BUILD_BRIEF if built else "{Leave|Keep} {truth} and {day} as they are.",
        ),
    )


_GOAL = (
    "{package} {rolls up|adds up} the meter readings of our {thing}, and {lately|for some time} "
    "its figures {have been|are} wrong{ here and there|}. {Find|Track down} what is broken {in "
    "it|there} and {repair|mend} it.",
    "{Someone|Somebody|A colleague} {tidied up|rewrote parts of|cleaned up} {package}, {the tool|"
    "the package} that rolls up {meter readings|the meters} of {thing}; {since then|ever since} "
    "{some|a few} of its figures are {off|wrong}. {Put it right|Repair it|Make it right again}.",
    "{Repair|Fix|Mend} the package {package}: it {condenses|rolls up} {readings|meter readings} of "
    "{thing}, and {not all|only some} of what it prints {is right|can be trusted}.",
    "{Our|The} roll-up of {thing} no longer {adds up|comes out right}. {The code is|Its source is|"
    "The package is} {package}; {find|look for} the defects and {remove|correct} "
    "them.",
    "{Meter readings of|Readings from} {thing} {go through|pass through} {package}. {It has|That "
    "package has} {picked up|collected} {defects|faults} {along the way|over time}: it {drops|"
    "loses} or miscounts {some|certain} readings. {Get it|Bring it} {back|} into {order|shape}.",
    "{Billing|Accounting|The office} {complains|tells us} that {the figures|sums} for {thing} are "
    "{wrong|off} on {odd|some} days. {They come from|All of them come from} {package}; {correct|"
    "repair} {the code|that code}.",
    "There are defects in {package}, {which|the package that} {turns|makes} {meter|counter} "
    "readings of {thing} into rolling figures. {Find and fix|Hunt down and fix} {all of them|"
    "every one}.",
    "{What|Whatever} {package} {prints|says} about {thing} {used to be|was once} right. {It is "
    "not any more|That is over}: {restore|bring back} {the old behaviour|what it did}.",
    "{Please|Do} {go over|look into} {package}. On {clean|easy} readings of {thing} it {does fine|"
    "looks fine}, on {messy|awkward} ones {its output is wrong|it miscounts}; {repair it|that has "
    "to be repaired}.",
    "{A|One} vendored tool, {package}, {computes|works out} rolling {usage|consumption} of "
    "{thing} from their meters, and it {gets|has got} {part|some} of it wrong. {Correct it|Mend "
    "its source}.",
)
_GOAL_BRIEF = (
    "{Repair|Fix} {package}, the roll-up of {thing}: {some|part} of its figures {are|is} wrong.",
    "Find and fix the defects in {package}, which rolls up meter readings of {thing}.",
    "{package} rolls up readings of {thing} wrongly; {mend|correct} it.",
)
_MANUAL = (
    "{truth} {says|states} what it has to do{, and the manual is right|}: {wherever|where} code "
    "and manual {differ|disagree}, the code is {wrong|at fault}.",
    "{Go by|Trust|Follow} {truth}: {each|every} {figure|line of output} has to {be as|come out "
    "as} that manual {describes|says}.",
    "The manual, {truth}, {was not touched|is still good} and {settles|decides} {every question|"
    "what is right}.",
    "{Right is|What is right is} what {truth} {describes|lays down}{, clause by clause|}; {nothing "
    "there|no rule of it} is {outdated|open to debate}.",
    "{Measure|Judge} the code by {truth}: {all of its|its} rules {hold|are meant}, {also|even} "
    "the {ones|rules} about {odd|unusual} input.",
    "{How it should work|The intended behaviour} {is written down in|can be read in} {truth}; "
    "{bring|get} the {code|source} {in line|into agreement} with {that|it}.",
    "{Compare|Check} the {source|modules} {with|against} {truth}, {rule by rule|one rule at a "
    "time}: {that document|it} is {the reference|authoritative}.",
    "{In doubt|When in doubt}, {truth} {wins|is right}. It {lists|holds} {all|the} rules "
    "{of the tool|by which the tool works}.",
    "{There is|You have} a manual{ for it|}, {truth}. The {people|users} who {read|rely on} the "
    "{figures|output} {expect|count on} {exactly|just} that.",
    "{Each|Every} rule {in|of} {truth} has to {hold|be kept} {again|once more} {when you are "
    "done|in the end}.",
)
_MANUAL_BRIEF = (
    "{truth} {says|states} what is right.",
    "The reference is {truth}.",
    "{Follow|Go by} {truth}.",
)
_BUILD = (
    "{The last good version|What still works} is a {stripped|compiled} build, {truth}, {made for|"
    "fixed to} a window of {built} and a limit of {bound}: it reads {readings|its input} {on|from} "
    "standard input{, takes no arguments|} and its output is right.",
    "{truth} is {an old build|the last good build} {of|from} the days when {all was well|it "
    "worked}. It {has|was compiled with} window {built} and limit {bound} {built in|inside} and "
    "{filters|works from} standard input to standard output; {with|for} those two the package "
    "{has to|should} print {exactly|just} the same.",
    "{No|There is no} manual {exists|to go by}. {Instead there is|What we have is} {truth}, a "
    "binary {without source|whose source is lost} that does {it|everything} right, from standard "
    "input, {but only|though only} for window {built} and limit {bound}.",
    "{Take|Use} the binary {truth} as {the|your} reference: it {answers|works} for a window of "
    "{built} and a limit of {bound} {only|alone}, {reads|fed by} standard input, and {is never|"
    "was never found} wrong.",
    "{Compare|Check} with {truth}, {an executable|a program} from before the {damage|trouble}. "
    "{Its|The} window ({built}) and {its limit|limit} ({bound}) cannot be changed; {it reads|it "
    "takes} readings from standard input, and {what it prints|its output} {counts as|is} "
    "{correct|right}.",
    "{How it should behave|The right behaviour} {can only be seen from|shows only in} {truth}: a "
    "stripped {tool|filter} on standard input, with the window {stuck at|always} {built} and the "
    "limit {stuck at|always} {bound}.",
    "{For|With} window {built} and limit {bound} there is {a correct program|something that works}"
    ", {truth}, {a filter without source|a binary that reads standard input}. {Any other|Every "
    "other} window and limit {follows|has to follow} the same rules.",
    "{Nobody|No one} wrote {the|its} rules down, but {truth} {follows|knows} them: a build {with|"
    "for} window {built} and limit {bound}, to be fed {readings|its input} on standard input. "
    "{Where|If} the package {differs|deviates}, the build is right.",
    "{The truth|What is right} comes from {truth} ({a stripped|a symbol-free} binary, standard "
    "input to standard output). {It can do|It knows} {one window|a single window}, {built}, and "
    "one limit, {bound}; {feed|give} it {what you like|odd readings} and {see|watch}.",
    "{We|They} {kept|saved} one {executable|build} that {gets|has} {all|everything} right: "
    "{truth}. {Run|Use} it on readings from standard input; {it has|its are} {built} as the "
    "window and {bound} as the limit, {whatever you pass|with no way to set them}.",
)
_BUILD_BRIEF = (
    "Reference: the binary {truth} (standard input, window {built}, limit {bound}).",
    "{truth}, a build for window {built} and limit {bound}, is right; it reads standard input.",
    "{Go by|Trust} the filter {truth}, {made for|fixed to} window {built} and limit {bound}.",
)
_CALL = (
    "{It is called|One calls it|Call it} as {call}, with {readings|the readings} on standard "
    "input; {the report|what it makes of them} {goes to|appears on} standard output.",
    "{call} reads {readings|its input} from standard input and {prints|writes} {figures|the "
    "report} to standard output; {that|this} {stays|must stay} so.",
    "{The call|Its command line}, {call}, {does not change|is fixed}: {readings in|input} on "
    "standard input, {figures|report} out on standard output.",
    "{Other scripts|Scripts of ours} {use|rely on} {call}, {piping|feeding} readings in and "
    "{taking|reading} {the report|figures} from standard output, so keep {that|the interface}.",
    "{Users|People} {type|run} {call} and {redirect|feed} a file of readings {into it|to it}; "
    "{output|what comes out} is {the report|a report}.",
    "{Run it|Start it} {by|with} {call}. {It|The package} {filters|goes} from standard input to "
    "standard output, {as before|as it does now}.",
    "{As a command|On the command line} it is {call}: {a filter|something} that {takes|gets} "
    "readings {line by line|on standard input} and {prints|gives} a report.",
    "{Both|The two} arguments of {call} are whole numbers; readings {come|arrive} on standard "
    "input, {what is printed|the output} is {the|a} report.",
)
_REPORT = (
    "{Then|Once it works,|After that,} {run|process} {day} {again|once more} with window {size} "
    "and limit {limit} and {leave|put} what it prints in {report}.",
    "{When|As soon as} it is {repaired|right}, {make|produce} {report} from {day}{, as it prints "
    "it|}: {the window is|window} {size}, {the limit is|limit} {limit}.",
    "{report} {should|has to} {hold|contain} the {repaired|mended} tool's output for {day}, window "
    "{size}, limit {limit}.",
    "{We also need|Also wanted is} {report}: {the|a} roll-up of {day} {for|with} a window of "
    "{size} and a limit of {limit}, {by|from} the {repaired|corrected} package.",
    "{Use|Apply} it {to|on} {day} with {size} as the window and {limit} as the limit; {its "
    "output|the output} {goes|belongs} in {report}.",
    "{One file|One day's file}, {day}, {was rolled up wrongly|came out wrong}: {redo|repeat} it "
    "(window {size}, limit {limit}) and {save|store} {the result|the output} as {report}.",
    "{Finally|At the end|Last}, {redirect|send} the output for {day} (WINDOW {size}, LIMIT "
    "{limit}) {to|into} {report}.",
    "{The readings|Those} in {day} {are waiting|have to be done again}: window {size}, limit "
    "{limit}, {unchanged output|output as printed} {to|into} {report}.",
    "{With|Through} the {repaired|working} package, {turn|make} {day} into {report}; {take|use} "
    "{size} for WINDOW and {limit} for LIMIT.",
    "{From|Out of} {day}, a window of {size} and a limit of {limit} comes {report}: what the "
    "tool {then prints|prints once it is right}.",
)
_REPORT_BRIEF = (
    "Then roll up {day}, window {size}, limit {limit}, into {report}.",
    "{report}: its output for {day} with window {size} and limit {limit}.",
    "{Run|Process} {day} (window {size}, limit {limit}) into {report}.",
)
_OTHER = (
    "{We|Someone} will {run|try} it on {other readings|readings you have not seen}, with other "
    "windows and limits, but {with|on} no kind of line that {day} lacks.",
    "{It|The package} will {face|meet} {different|more} readings, {windows|window sizes} and "
    "limits than {these|those here}; {every|any} kind of line {that occurs|there is} {occurs|can "
    "be found} in {day}.",
    "{One file is not all|That file is not everything}: other readings, windows and limits "
    "{follow|come later}, {though|but} {no|never a} kind of line {without an example|that has no "
    "example} in {day}.",
    "{Expect|There will be} {awkward|odd} readings, {any|other} windows and limits. {All|The} "
    "kinds of line {to expect|that come up} {stand|appear} in {day}.",
    "Whatever the window, the limit and the readings {are|may be}, {it|the tool} {has to|"
    "must} be right; {day} {has|shows} {each|every} kind of line {at least|} once.",
    "{Tests|Our tests} use {readings of their own|their own readings} and {vary|change} window "
    "and limit. They are {made of|limited to} the kinds of line {in|of} {day}.",
    "{Do not|Don't} {tailor|fit} it to {one file|that day}: windows, limits and readings {will "
    "vary|are going to vary}, {within|among} the kinds of line that {day} {has|contains}.",
    "{Every|Any} {window|size of window}, {every|any} limit and {any|all} readings {like|of the "
    "kinds in} {day} {should|have to} {work|come out right}.",
    "{Lines|Readings} {like those|of the kinds} in {day}, in {new|other} {combinations|"
    "arrangements} and with {another|a different} window and limit, will be {fed|put} to it.",
)
_KEEP_MANUAL = (
    "{Leave|Keep} {truth} and {day} as they are.",
    "Neither {truth} nor {day} {may be|is to be} {edited|changed|touched}.",
    "{truth} and {day} {stay|remain} {untouched|unchanged}.",
    "{Change|Edit} the {code|modules}, {not|never} {truth} or {day}.",
    "{Do not|Don't} {touch|edit} {day} or {truth}.",
    "{day} and {truth} are {not yours to edit|read only for you}.",
    "{Two files|These two} {must not|may not} change: {truth} and {day}.",
    "{Everything but|All except} {truth} and {day} {may be|can be} {edited|rewritten}.",
)
_KEEP_BUILD = (
    "{Leave|Keep} {truth} and {day} as they are, and {keep|have} the package plain Python "
    "source: {no binary|nothing compiled} goes into it, {and it runs|and it has to work} "
    "{alone|without the build}.",
    "{truth} and {day} {stay|remain} {untouched|unchanged}; the package {stays|remains} {Python "
    "source|plain Python} that {works|runs} without the {binary|build}.",
    "{Do not|Don't} {touch|edit} {truth} or {day}, and {do not|don't} {call|wrap} the {binary|"
    "build} from the package, {which stays|still} plain Python source.",
    "Neither {truth} nor {day} may be {edited|changed}. The {build|binary} will {be gone|not "
    "be there} where the package runs, {and only|so only} Python source {belongs|goes} in it.",
    "{Change|Edit} the {code|modules} only: {truth} and {day} {are fixed|stay}, and the {repaired|"
    "mended} package {is|remains} source {in Python|of Python}, {independent of|without} {the "
    "build|any binary}.",
    "{The machine|The host} {that runs|for running} the package has no {build|binary}, {so|"
    "therefore} {wrap|embed} nothing: {plain|only} Python source, please, with {truth} and {day} "
    "left as they are.",
    "{Repair|Mending} means {edits|changes} to Python {source|code}; {a binary|anything compiled} "
    "inside the package, {calls of|a call to} the build, and {edits of|changes to} {truth} or "
    "{day} do not count.",
    "{truth} serves {to compare|for comparison} {only|and no more}: the package must run without "
    "it, {as|being} plain Python source. {It and|Both it and} {day} {stay|are to stay} as they "
    "are.",
)
_KEEP_BUILD_BRIEF = (
    "{Keep|Leave} {truth} and {day} unchanged; the package {stays|remains} plain Python source "
    "and runs without the build.",
    "No edits of {truth} or {day}; only Python source in the package, {not calling|independent "
    "of} the build.",
)
