"""What the shard-balance family says: machines, durations, rules and figures."""

from __future__ import annotations

from tmax_gym.words.clauses import Clause

_WAIT = (
    "{our|the} {pipeline|build} {waits|has to wait} for the slowest {machine|one}"
    "|{the|our} test run takes {too long|ages}"
    "|{what counts|what matters} is {when the slowest machine ends|the slowest machine's time}"
    "|the slowest machine {decides|sets the pace}"
    "|{nobody|no team} {likes|wants} to wait for {the last|a late} machine"
    "|a {merge|release} {is held up|waits} until the last machine {is done|ends}"
)
_DEAL = (
    "{spread|distribute} the tests of {suite} over {count} build machines"
    "|{balance|even out} {suite} {over|across} {count} {machines|shards}"
    "|{share|deal} {suite} out {again|anew} {to|among} {count} machines"
    "|{divide|split} {what {suite} lists|all of {suite}} {among|between} {count} machines"
    "|{give|hand} {each|every} test in {suite} to one of {count} machines"
    "|{assign|allot} the tests in {suite} to {count} shards"
)
_SOON = (
    "so that the slowest {ends|is done} as early as {possible|can be}"
    "|with {the|a} slowest one {as short as can be|that ends early}"
    "|so that none {of them|} is busy {for |}longer than {it must be|need be}"
    "|and keep the longest of {them|the lists} short"
    "|to {finish|be done} as {early|soon} as {can be|possible}"
)
_SAVE = (
    "{write|put} the plan {in|into} {plan} as {shape}"
    "|{plan} {is to hold|gets} the plan, {as|in the form} {shape}"
    "|{shape} {is the form of|goes into} {plan}"
    "|{save|leave} {it|the plan} as {shape} {in|at} {plan}"
    "|the {result|answer}, {shape}, {belongs|goes} in {plan}"
)
GOAL = (
    f"{{{_WAIT}}}. {{{_DEAL}}} {{{_SOON}}}; {{{_SAVE}}}.",
    f"{{{_DEAL}}} {{{_SOON}}}; {{{_SAVE}}}.",
    f"{{{_DEAL}}} {{{_SOON}}}. {{{_SAVE}}}.",
    f"{{{_WAIT}}}: {{{_DEAL}}} {{{_SOON}}}, {{and|then}} {{save|leave|write}} the plan, {{shape}}, "
    "{in|to} {plan}.",
    "{plan} {tells|says} which machine runs which tests: {shape}, {at most|up to} {count} "
    "lists, every test of {suite} once. {Keep|Make} the {longest|slowest} of {them|the lists} "
    "{short|as short as can be}.",
)
_KNOWN = (
    "a test {takes|is taken to need} the median of its {runs|times} in {timings}"
    "|{for|as} the duration of a test {take|use} {its|the} median {over its runs |}in {timings}"
    "|{timings} {has|holds} past runs: their median is {what a test costs|the cost of a test}"
    "|{costs|durations} come from {timings}, {by the|as a} median {per|for each} test"
    "|{reckon|calculate} with {the medians|medians} of {timings}{, test by test|}"
    "|{how long a test runs|the length of a test} is the median of what {timings} {says|reports}"
    "|the {middle|median} time of a test {in|over the runs in} {timings} is its {cost|duration}"
)
_NEW = (
    "{default} milliseconds {where|if} it has {no run|none} {there|in it}"
    "|{new ones|tests without a run} {count|take} {default} milliseconds"
    "|{default} milliseconds {stand|are assumed} for {one|a test} that never ran"
    "|{assume|take} {default} milliseconds for {whatever|a test that} {is missing|does not occur}"
    "|{the unknown|a test that is not in it} {gets|counts} {default} milliseconds"
    "|{without|lacking} a run, {it|a test} {is put at|counts} {default} milliseconds"
)
TIMES = (f"{{{_KNOWN}}}; {{{_NEW}}}.", f"{{{_KNOWN}}}, {{and|while}} {{{_NEW}}}.")
_BIND = (
    "{obey|keep to|respect} {rules}"
    "|{rules} {binds|limits} the plan"
    "|a plan that {breaks|violates} {rules} is {void|worth nothing}"
    "|{heed|mind} the {limits|conditions} in {rules}"
    "|{rules} must be {kept|met}"
)
_SAME = (
    "each list under {together} {shares|stays on} one machine"
    "|tests {grouped|listed} in {together} {go|belong} list by list to the same machine"
    "|{no list|none of the lists} of {together} may be {split|torn apart}"
    "|{every|each} {group|list} of {together} {is run|runs} in one place"
    "|{together} means one machine for {each|every} list"
    "|what one list of {together} {names|holds} is {kept|run} on one machine"
)
_OTHER = (
    "no two tests of {apart} {share|are on} {one|a machine}"
    "|those of {apart} {all |each }{go to|run on} different machines"
    "|tests of {apart} must {not meet|never share a machine}"
    "|{any two|two} tests of {apart} run {on different machines|in different places}"
    "|{apart} means {that no machine|no machine may} run two of {those|its tests}"
    "|{every|each} test of {apart} {needs|gets} a machine {without|free of} the others {there|in "
    "that list}"
)
RULES = (
    f"{{{_BIND}}}: {{{_SAME}}}, {{and|while}} {{{_OTHER}}}.",
    f"{{{_BIND}}}: {{{_OTHER}}}, {{and|while}} {{{_SAME}}}.",
    f"{{{_BIND}}}. {{{_SAME}}}; {{{_OTHER}}}.",
    "{Some|A few} tests share a database ({together} in {rules}: one machine {a list|per list}), "
    "{others|and some} fight over a port ({apart}: a machine {each|of its own}).",
)
_TOTAL = (
    "{total} (sum of {all durations|the durations of all tests})"
    "|{total}, {all durations {together|added up}|the sum of durations}"
    "|{total} (milliseconds of {everything|all tests})"
    "|{total}, {what|the milliseconds} all tests take {together|in all}"
)
_FRESH = (
    "{fresh} ({number|count} of tests {without a|that have no} run)"
    "|{fresh}, {how many|the number of} tests {that |which }never ran"
    "|{fresh} ({how many|number of} tests {are not timed|have no past})"
    "|{fresh}, {a count of|counting} tests {with no|lacking a} run"
)
_LONGEST = (
    "{longest} (the slowest test; of equal ones the first by name)"
    "|{longest}, the {name|file} of the slowest test (ties: first by name)"
    "|{longest}: {name|file name} of the test that takes longest, the first by name {if equal|of "
    "equals}"
    "|{longest}, the slowest by name, {alphabetically first|the first in the alphabet} of equals"
)
_FIGURES = (
    "{add|also write|deliver} {summary}, {an object|JSON} with"
    "|{for|as} the report, {summary} {holds|gets}, as JSON,"
    "|{three|a few} figures go {to|into} {summary}, a JSON object:"
    "|{summary} {states|reports} {as|in} JSON"
    "|in {summary}, a JSON object, {we want|note}"
    "|{besides|apart from the plan}, {deliver|make} {summary}, JSON with"
)
SUMMARY = (
    f"{{{_FIGURES}}} {{{_TOTAL}}}; {{{_FRESH}}}; {{{_LONGEST}}}.",
    f"{{{_FIGURES}}} {{{_FRESH}}}; {{{_TOTAL}}}; {{and |}}{{{_LONGEST}}}.",
    f"{{{_FIGURES}}} {{{_LONGEST}}}; {{{_FRESH}}}; {{{_TOTAL}}}.",
    f"{{{_FIGURES}}} {{{_LONGEST}}}; {{{_TOTAL}}}; {{and |}}{{{_FRESH}}}.",
)


def goal(suite: str, count: int, plan: str) -> Clause:
    """Return what is to be divided, among how many, and into which file."""
    shape = '`{"shards": [["test_a.py", ...], ...]}`'
    return Clause(
        "goal",
        GOAL,
        facts={"suite": suite, "count": str(count), "plan": plan, "shape": shape},
        role="goal",
        brief=(
            "{Spread|Divide} {suite} over {count} {shards|machines} with the shortest slowest one: "
            "{plan}, {shape}.",
            "{plan}, {shape}: {suite} {on|over} {count} machines, the slowest {as short as can be|"
            "done as early as possible}.",
            "{Deal|Share} out {suite} to {count} machines, the slowest {being|is to be} short, as "
            "{shape} in {plan}.",
        ),
    )


def times(timings: str, default: int) -> Clause:
    """Return how a test's time is known."""
    return Clause(
        "times",
        TIMES,
        facts={"timings": timings, "default": str(default)},
        role="rule",
        brief=(
            "A test costs its median in {timings}, or {default} milliseconds without a run.",
            "{Cost|Duration} of a test: its median in {timings}, {else|otherwise} {default} "
            "milliseconds.",
            "{Take|Use} medians {of|from} {timings}; {default} milliseconds {for new tests|if "
            "a test has none}.",
        ),
    )


def rules(path: str) -> Clause:
    """Return what binds the plan."""
    return Clause(
        "rules",
        RULES,
        facts={"rules": path, "together": "`together`", "apart": "`apart`"},
        role="constraint",
        brief="Keep {rules}: lists of {together} on one machine, tests of {apart} on different "
        "ones.",
    )


def summary(path: str) -> Clause:
    """Return the figures asked for."""
    return Clause(
        "summary",
        SUMMARY,
        facts={
            "summary": path,
            "total": "`total_ms`",
            "fresh": "`fresh`",
            "longest": "`longest`",
        },
        role="output",
    )
