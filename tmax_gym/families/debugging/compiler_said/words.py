"""What the compiler-said family says."""

from __future__ import annotations

from tmax_gym.texts.clauses import Clause

GOAL = (
    "{Nothing|No tool} in our {language} package {folder} {builds|compiles} {any more|since the "
    "last merge}. {Repair|Mend} it, {so that|until} {tools} {build|compile} and {work|do what "
    "they should} again.",
    "{A|The} {hurried|careless} merge left the {language} {sources|code} {in|below} {folder} "
    "{broken|in pieces}: get {tools} to {compile|build} and {behave|run} {properly|as meant}.",
    "{Get|Bring} the {language} package {in|at} {folder} {to build|to compile} again; {wanted|"
    "what counts} {is|are} {tools}, {compiling|building} and {doing their job|right again}.",
    "The {build|compiler} {fails|stops} on {every|all} {language} {program|tool} {in|of} {folder}. "
    "Find {the|all} {causes|reasons} and {repair|mend} {them|each}, for {tools} are {needed|"
    "missed}.",
    "{tools} {must|have to} {compile|build} again. {Their|The} {language} {sources|files} {lie|"
    "are} {in|below} {folder}, and {someone|a colleague} {spoilt|broke} {several|some} of them.",
    "Our {vendored|shared} {language} package {folder} {arrived|came} {damaged|spoilt}: {fix|"
    "repair} {whatever|all that} keeps {tools} from {compiling|building} and {working|running "
    "right}.",
)
FEED = (
    "{Such|Each such} a program reads lines of {row} from standard input and prints {its|the} "
    "lines to standard output.",
    "{Every|Each} tool {takes|reads} lines of {row} {on|from} standard input and {writes|prints} "
    "{its|the} answer to standard output.",
    "{On|From} standard input {come|arrive} lines of {row}, {to|on} standard output {goes|is "
    "printed} what the {stages|steps} in {`main`|the main function} {leave|make} of them.",
    "{Lines|Input lines} {hold|have} {row}; {a tool|each program} {passes|sends} them through the "
    "steps {that|which} its main function {names|lists} and prints {what is left|the result}.",
    "{What|All that} a tool {does|is} is a {chain|row} of steps over lines of {row}, {read|taken} "
    "from standard input and {printed|written} at the end.",
    "A {tool|program} is a {pipeline|filter}: lines of {row} in, and lines out, by the steps "
    "{called|named} in its main function.",
)
TRUTH = (
    "The comments {above|over} the functions are right{, whatever the code says|}: {each|every "
    "one} tells what its function {must|has to} do.",
    "{Trust|Believe} the {comments|comment above each function}: {they say|it says} what is "
    "{meant|intended}, and {no comment|none of them} is wrong.",
    "{Where|If} {you|one} {wonder|doubt} what a function {should|is to} do, its comment {says|"
    "tells} {it|so}, and {rightly|correctly}.",
    "{Every|Each} function has {a|its} comment, and {that|this} is {what|how} it {has to|must} "
    "behave{ in the end|}.",
    "{Comments|The comments} were {not|never} {damaged|touched}, {only|just} code was: {go|work} "
    "by {them|what they say}.",
    "For {what|the way} a function {shall|should} {do|work}, {read|see} its comment{; all of them "
    "hold|, which holds}.",
)
STEPS = (
    "{Neither|None of} the steps {nor|or} their {numbers|arguments} in a main function {may|"
    "shall} {change|be changed}: other input than the {sample|one shown} will be tried.",
    "{Keep|Leave} the steps of a tool and their {arguments|numbers}{ as they are|}; we {try|run} "
    "{other|unseen} input {too|as well}.",
    "{Do not|Never} {silence|quieten} the compiler by {leaving out|dropping} a step: {unseen|"
    "other} input {will|is going to} {show|reveal} it.",
    "{All|The} steps {stay|remain}, with their {numbers|arguments} and in their order, {since|"
    "because} {further|other} inputs {are|will be} tried.",
    "{A|One} {step|stage} less would {build|compile} too, but {we compare|there are} answers to "
    "{unseen|hidden} inputs: {keep|leave} every step and its {arguments|numbers}.",
    "{Judged|Graded} are the answers to {other|unseen} inputs, so {leave|keep} {every|each} step, "
    "{its|the} {numbers|arguments} and {the|their} order.",
)
SAMPLE = (
    "{sample} is an input, and {beside it|next to it} {lies|is} what each tool {should print|"
    "printed} {for it|then}, {in|as} {answers}; {leave|keep} {these|those} {files|alone}.",
    "{answers} {holds|hold} the right {output|answer} for {sample}; {none|nothing} of {this|these "
    "files} may {change|be changed}.",
    "{As|For} a {test|trial}, {feed|give} {sample} {in|to a tool} and compare with {answers}, "
    "{without changing|and do not change} {either|those files}.",
    "{From|With} {sample} a {sound|working} build {makes|gave} {answers}; {leave|keep} {both|them} "
    "as they are.",
    "{Before|In better days} {sample} {gave|led to} {answers}; {do not touch|leave alone} {these|"
    "those} files.",
    "{Compare|Check} {your|the} {builds|tools} {with|by} {answers}, {made|printed} from {sample}; "
    "{those|these} {files|samples} {stay|remain} as they are.",
)
BUILD = (
    "{We|Others} {build|compile} with {call}, {naming|given} {tools} {alone|and no more}{; the "
    "rest is pulled in from there|}.",
    "{call} {has to|must} {build|compile} {tools} {as they stand|without more options}{, without "
    "a network|}.",
    "{Builds|All builds} {are|get} done {by|with} {call} on {tools}, {offline|without any "
    "network}.",
    "{The grader|Whoever grades this} {compiles|builds} {tools} anew {by|with} {call}{ and "
    "nothing else|}.",
    "{Take|Use} {call} {for|to compile} {tools}: {we do|so do we}{, without other options|}.",
    "{For|To build} {tools}, {call} is {all|everything} {we use|there is}{, offline|}.",
)


def say(
    *, language: str, folder: str, tools: str, call: str, sample: str, answers: str
) -> tuple[Clause, ...]:
    """Return the symptom, the right behaviour, and what may not change."""
    return (
        Clause(
            "goal",
            GOAL,
            facts={"language": language, "folder": folder, "tools": tools},
            role="goal",
            brief="Make {tools} compile again: {language}, in {folder}.",
        ),
        Clause(
            "interface",
            FEED,
            facts={"row": "`name value`"},
            role="input",
            brief="A tool reads lines of {row} and prints lines.",
        ),
        Clause(
            "built",
            BUILD,
            facts={"tools": tools, "call": f"`{call}`"},
            role="constraint",
            brief="{call} compiles {tools}.",
        ),
        Clause("truth", TRUTH, brief="The comments are right."),
        Clause("steps", STEPS, role="constraint", brief="Keep every step; unseen inputs follow."),
        Clause(
            "sample",
            SAMPLE,
            facts={"sample": sample, "answers": answers},
            role="constraint",
            brief="{sample} gives {answers}; leave both.",
        ),
    )
