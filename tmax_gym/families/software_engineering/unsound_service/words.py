"""What the unsound-service family says."""

from __future__ import annotations

from tmax_gym.texts.clauses import Clause

GOAL = (
    "{We inherited|Someone left us} {program}, {a|our} {language} service that is wrong in more "
    "than one {place|way}: {repair|mend} it, {without rewriting it|keeping its steps}.",
    "{program} ({language}) {works|runs} by {luck|accident} at best. {Find|Track down} the "
    "{defects|faults} {in it|that it has} and {repair|mend} {them all|every one}.",
    "{Nobody|None of us} trusts {program} {any more|since its author left}. {Make|Get} this "
    "{language} {code|source} {sound|right} {again|, fault by fault}.",
    "The {author|owner} of {program} has {gone|left}, {the|its} {faults|bugs} have not: {clean "
    "up|repair} the {language} {code|source} until it {behaves|holds}.",
    "{Please|Would you} {repair|fix} {program}: {language} {code|source} with {several|some} "
    "{faults|defects} of the kind that {language} {is known for|makes easy}.",
    "{Before|Until} it goes {live|into use} again, {program} {needs|wants} {mending|repair}: a "
    "{language} service with {faults|defects} in {some|several} of its steps.",
)
FEED = (
    "It reads batches of {row} lines from standard input, each closed by a line {end}, and "
    "{answers|prints} what its steps make of {every|each} batch.",
    "{Batches|Its batches} {come|arrive} on standard input as {row} lines up to a line {end}; "
    "what the steps {leave|make} of a batch is {printed|its output}.",
    "{On|From} standard input {it takes|come} lines {row}, with {end} {closing|after} each batch, "
    "and it {prints|writes} one answer {a|for each} batch.",
    "{Every|Each} line {end} on standard input {closes|ends} a batch of {row} lines, which runs "
    "through the steps {and is printed|on its way out}.",
    "{Input|Standard input} is {row} lines {in|as} batches, {each ended by|and after each} a line "
    "{end}; {output|standard output} has one answer {a|per} batch.",
    "What it {gets|is given} on standard input are batches: lines {row}, then a line {end}; what "
    "it {prints|answers} is the outcome of its steps{, batch by batch|}.",
)
TRUTH = (
    "The comments {above|over} the steps are right{, whatever the code does|}, {and|and so} are "
    "the steps {and numbers|and the numbers} in {main|the main function}.",
    "{Trust|Believe} the comments{ above the steps|}, and {leave|keep} the {list|order} of steps "
    "and their numbers in {main|the main function}.",
    "What a step {should|must} do {stands|is written} in its comment; which steps run{, with "
    "which numbers|} {stays|remains} as {it is|main has it}.",
    "{No comment|None of the comments} is wrong, {nor|and neither} are the steps that main "
    "{calls|lists}, {nor|or} their numbers.",
    "{Go|Work} by the comments of the steps; {the|their} order and {the|their} numbers in main "
    "are {right|as intended}.",
    "{Each|Every} step has a comment that {says|tells} {exactly|just} what it {does|should do}; "
    "the {calls|steps} in main {stay|remain} as they are.",
)
CHECKED = (
    "{check} {builds|compiles} it strictly, with {call}, {and|then} runs it: {that|this} is how "
    "it is {judged|graded}, on {other|unseen} input.",
    "{Judged|Graded} are {answers|outputs} to {unseen|hidden} input, {by|through} {check}, which "
    "{builds|compiles} with {call}.",
    "It {has to|must} {pass|hold} under {check}: built {with|by} {call}, and fed {other|new} "
    "input than ours.",
    "{We run|The grader runs} {check} on {input|batches} that {you have not|nobody has} seen; it "
    "{compiles|builds} with {call} and {starts|runs} the result.",
    "{Build|Compile} and {run|try} it {with|through} {check}, as we {do|will} with {other|further} "
    "input; {inside|in it} stands {call}.",
    "{Use|Take} {check} to {try|test} it: {call}, {and then|then} a run on standard input. "
    "{Unseen|Other} input {is|will be} tried {that|the same} way.",
)
SAMPLE = (
    "{sample} is an input, {answers} the {right|correct} {output|answer} to it; {leave|keep} both "
    "and {check} as they are.",
    "{For|As} a {first test|trial} there {is|are} {sample} and what must come out, {answers}; "
    "these and {check} {stay|remain} unchanged.",
    "{answers} {has|holds} what {a sound|the repaired} service prints for {sample}. {Change|Touch} "
    "neither, nor {check}.",
    "{Compare|Check} with {answers}, the {right|true} answer to {sample}; {do not edit|never "
    "edit} these two, or {check}.",
    "{From|For} {sample} should come {answers}; {both files|the two} and {check} are {not yours "
    "to change|to stay}.",
    "{Try|Start with} {sample}, {whose|the} {right|correct} output is {answers}, and {leave|keep} "
    "them and {check} alone.",
)
MEMORY = (
    "A {report|complaint} of the {sanitizers|sanitizer} {fails|spoils} {the|that} {input|run}, "
    "and so does a {block|piece} of memory that is {never|not} {freed|given back}.",
    "{Leaks|Memory never given back} and {anything|all} the sanitizers {report|complain of} "
    "{count|are counted} as {failures|a wrong answer}.",
    "{A run|An input} {fails|is lost} when the sanitizers {report|find} anything, {leaks "
    "included|a leak too}.",
    "{Whatever|Anything} the sanitizers {object to|report}, leaks {too|included}, {makes|turns} "
    "{the|that} answer {wrong|void}.",
    "The {sanitizers|sanitizer runtimes} have to {stay|keep} {silent|quiet} {throughout|to the "
    "end}, {about leaks too|also on leaks}.",
    "{Right|Correct} output is not {enough|all}: no {sanitizer report|report of the sanitizers}, "
    "no leak.",
)
DESK = (
    "{Its|The} desk, from {first} to {last}, {belongs|is left} to another team{ and stays|: keep "
    "it} as it is; it {answers|serves} calls in groups, so {the|all} goroutines {stay|are needed}.",
    "{Leave|Keep} the desk as it is, {everything from|that is from} {first} {to|up to} {last}: "
    "it {stands|is there} for a {foreign|remote} server that answers {concurrent|parallel} calls.",
    "{Do not|Never} {edit|alter} what stands {between|from} {first} and {last}, {the|a} desk of "
    "another team; {a|one} caller {alone|by itself} waits there for {good|ever}.",
    "From {first} to {last} {the file|that code} is {not ours|another team's} and {may not|must "
    "not} {change|be edited}; it {expects|wants} {several|concurrent} callers.",
    "{first} to {last} is {the|a} stand-in for a server {of others|elsewhere}: {no|not one} byte "
    "{there changes|of it may change}{, and calls must stay concurrent|}.",
    "The {desk code|desk}, {first} through {last}, {stays|remains} {untouched|byte for byte}; "
    "{calls|the calls} to it {have to|must} be {concurrent|open together}.",
)
REFUSED = (
    "{Warnings|A warning} {count|counts} as {errors|a failure}, and a clone that {hides|covers} a "
    "borrow may {lose|drop} a change{: look at every one|}.",
    "{Mind|Beware of} clones: some {were|got} put in to {please|quieten} the borrow checker, and "
    "{lose|drop} {changes|what is changed}; warnings are errors.",
    "{Not|By no means} all faults {stop|fail} the build: a {misplaced|stray} clone {compiles|"
    "builds} and {answers|is} wrong. Warnings {fail|stop} it {too|as well}.",
    "{Besides|Beyond} what the compiler {refuses|rejects}, {look|watch} for clones in the wrong "
    "place; {a warning|any warning} {is|counts as} an error.",
    "Someone {fought|struggled with} the borrow checker and {left|scattered} clones {where they "
    "hurt|in bad places}; warnings {are|count as} errors {here|there}.",
    "{Where|If} {it|code} compiles, it may {still|yet} change a clone {and not|instead of} the "
    "{thing itself|original}; warnings are {denied|errors}.",
)


def say(
    *, language: str, program: str, check: str, call: str, sample: str, answers: str
) -> tuple[Clause, ...]:
    """Return what is to be repaired, how it is tried, and what stays; see `own` for the rest."""
    return (
        Clause(
            "goal",
            GOAL,
            facts={"program": program, "language": language},
            role="goal",
            brief="Repair {program} ({language}); it has several faults.",
        ),
        Clause(
            "interface",
            FEED,
            facts={"row": "`name value`", "end": "`end`"},
            role="input",
            brief="It reads batches of {row} lines, each closed by {end}, and prints answers.",
        ),
        Clause("truth", TRUTH, brief="The comments and the steps in main are right."),
        Clause(
            "checked",
            CHECKED,
            facts={"check": check, "call": f"`{call}`"},
            role="constraint",
            brief="{check} builds it with {call} and runs it; unseen input follows.",
        ),
        Clause(
            "sample",
            SAMPLE,
            facts={"sample": sample, "answers": answers, "check": check},
            role="constraint",
            brief="{sample} gives {answers}; leave both and {check}.",
        ),
    )


def memory() -> Clause:
    """Return the requirements on a program in C or C++ beside its answers."""
    return Clause(
        "memory", MEMORY, role="constraint", brief="Sanitizer reports and leaks are failures."
    )


def desk(first: str, last: str) -> Clause:
    """Return which part of a Go program is not to be edited: from a line to a line."""
    return Clause(
        "desk",
        DESK,
        facts={"first": first, "last": last},
        role="constraint",
        brief="Leave the desk ({first} to {last}) and the goroutines: it wants concurrent calls.",
    )


def refused() -> Clause:
    """Return the faults of a Rust program beside those that do not compile."""
    return Clause(
        "clones", REFUSED, role="constraint", brief="Warnings are errors; some clones are wrong."
    )
