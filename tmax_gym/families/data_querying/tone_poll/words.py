"""What the tone-poll family says."""

from __future__ import annotations

from tmax_gym.families.shared.given import kept
from tmax_gym.texts.clauses import Clause

GOAL = (
    "{People|Members} voted by telephone; {folder} {holds|has} one recording {a|per} call. "
    "{Decode|Transcribe} the {keys|touch tones} and {count|tally} the votes {with|by} {database}.",
    "{Each|Every} WAV file in {folder} is a call to our {poll|telephone poll}. {Read|Recover} "
    "what was {pressed|keyed in} and {work out|settle} the result, {using|with the help of} "
    "{database}.",
    "The {poll|voting} line {kept|left} only its recordings, {folder}. {Turn|Make} them into a "
    "{count|result}; who {may|can} vote, and {on|for} what, is in {database}.",
    "{We|The committee} need the {outcome|result} of the {phone|telephone} vote: {touch "
    "tones|sound} in {folder}, voters {and|with} options in {database}.",
    "{folder} is full of recorded {votes|calls}, {database} the {list|register} of voters and "
    "options. {Count|Evaluate} them.",
    "{Listen|Go} through {folder}, one call {a|per} file, {note|write down} the keys, and "
    "{bring|put} them together with the register {database}.",
)
_PRESSED = (
    "a caller {presses|keys in|enters} {pattern}: {their|the caller's} own number, {a |}star, the "
    "{number of the option|option}, {a |}hash",
    "{in|within|during} {each|every} call the keys are {pattern}, {that is|i.e.} {caller|the "
    "caller}, {option|the option} and a {closing|final} hash",
    "{each call has|calls have|each call follows} the pattern {pattern}, four digits for the "
    "caller, {one|a digit} for the option",
    "the {sequence|order} of keys is always {pattern}: caller, {star, |}option, {end|the end}",
    "{keys are|what is keyed is} the caller's number, {then|followed by} {the|an} option: "
    "{pattern}",
    "{expect|you will hear|there is} {pattern} {on|in} {each|every} recording ({caller|caller "
    "number}, option)",
)
_ORDER = (
    "{files|calls|recordings} came in the order of their {names|file names}",
    "{names|file names} {give|follow|tell} the order of {calls|the calls}",
    "calls are numbered {as|in the order in which} they {came|were made|came in}",
    "{file names|the files} sort by {time|the time} of call",
    "{sorted|ordered} by name, the files {are|stand} in {order of time|the order of calls}",
    "{earlier|older} calls have {lower|smaller} {file numbers|numbers in the name}",
)
_VALID = (
    "a call {is|counts as} valid if {the|its} caller is in {voters} and {the|its} option in "
    "{options}",
    "only calls {by|from} {a|some} caller {in|of} {voters} for {an|some} option {in|of} {options} "
    "{count|are valid}",
    "{voters} says who may {vote|take part}, {options} on what; other calls {are invalid|are not "
    "valid|do not count}",
    "a valid call {needs|must have|has} a caller {listed|found} in {voters} and an option of "
    "{options}",
    "{drop|discard} calls {by|from} callers {missing|absent} from {voters} and {for|with} options "
    "{missing|absent} from {options}: they are {invalid|not valid}",
)
_ONCE = (
    "of {several|many} valid calls {by|of} {one|a} caller only the {which} {counts|is counted}",
    "{whoever|who} calls {twice|again|repeatedly} {is counted|counts} once, {by|with} the {which} "
    "valid call",
    "{keep|take} for {each|every} caller the {which} valid call {alone|only|and no other}",
    "{nobody|no one} has two votes: the {which} valid call {decides|is taken|is the vote}",
    "one vote {each|per caller|a head}, the {which} valid {one|call}",
)
KEYS = tuple(
    f"{{{'|'.join(first)}}}{mark} {{{'|'.join(second)}}}."
    for first, second in ((_PRESSED, _ORDER), (_ORDER, _PRESSED))
    for mark in ".;"
)
RULE = tuple(
    f"{{{'|'.join(first)}}}{mark} {{{'|'.join(second)}}}."
    for first, second in ((_VALID, _ONCE), (_ONCE, _VALID))
    for mark in ".;"
)
TABLES = {
    "calls": (
        "{path} ({header}) {lists|has|gives} all {calls|recordings} by file name, {just|exactly} "
        "as {keyed|they were keyed}; {that name|the name}, {suffix and all|with its suffix}, {is|"
        "names} the call.",
        "{Write|Put|List} every call as {keyed|it was keyed}, {by|in order of} file name, "
        "{into|in} {path}: {header}. {Its name|The call} is {the file's|that of the file}, {suffix "
        "included|with suffix}.",
        "{header} {is|are} the columns of {path}, {a|one} line {a|per} {file|recording}, "
        "{by|sorted by} file name, which is {itself the|the} first column, {with the|and keeps "
        "its} "
        "suffix.",
        "{All|The} calls, {valid or not|good or bad|counted or not}, {go|belong} in {path} {under|"
        "with} {header}, {by|in order of} file name, {called|named} by it, suffix {included|and "
        "all}.",
        "{path}: {header}, {one|a} line for {each|every} recording, {sorted|ordered} by {file|file "
        "name}; a call is {called|known} by its file name {with|and} suffix.",
        "{Make|Produce|Fill} {path}, all calls by file name, {with|under} {header}; {call|the "
        "first "
        "column} {holds|is} that name {with its suffix|with the suffix}.",
        "{Whatever|What} was keyed {goes|belongs} in {path}, {call by call|a line a call} {by|in "
        "order of} file name, {headed|under} {header}; {each|every} call by its file name, "
        "{suffix|the suffix} {too|included}.",
    ),
    "tally": (
        "{path} ({header}): {votes|the votes} {of|for} {every|each} option by its name, {most|the "
        "most} first, then by name.",
        "{Give|Report|Count} the {count|votes} {per|of every} option in {path}, {header}, {highest|"
        "most} first, {ties|equal ones} by name.",
        "{path} {has|gets} {header}: all options, {best|most votes} {first|on top}, {equal|tied} "
        "ones {by|in order of} name.",
        "The {result|outcome}, {path}: {header}, {falling|descending} by votes, then {by |}name, "
        "with {all|every one of the} options.",
        "{Rank|Sort} {the|all} options by {votes|falling votes} {in|for} {path} ({header}); names "
        "{decide|settle} ties.",
        "{header} {in|heads} {path}: {every|each} option and its votes, from most to "
        "{fewest|least}, {ties|and ties} by name.",
        "{In|For} {path} {count|add up} {the|all} votes {by|per} option ({header}), {the most|most "
        "votes} {on top|first}, {names|the name} {deciding|settling} {ties|where equal}.",
    ),
    "regions": (
        "{path} ({header}): votes {by|per} region and option, {both ascending|sorted by both}, "
        "{none|no line} where there {are no votes|is no vote}.",
        "{Break the votes down|Split the votes} by region: {path}, {header}, {sorted|sorted by "
        "region and option}, without zeros.",
        "{Per|For each} region {of|in} {path}: {header}, only {pairs|lines} with votes, "
        "{sorted|ordered} by region, then option.",
        "{header} in {path} {shows|tells} what {regions|each region} chose, {sorted|ordered} by "
        "region and option, {lines|rows} with 0 left out.",
        "{A table by region|A regional table}, {path}, {counts|is} by region and option "
        "({header}), {ascending|sorted}, zeros {dropped|left out}.",
        "{Regions|The regions} {matter|count}: {path} {with|under} {header}, sorted by both "
        "names, {where|if} there are votes.",
    ),
    "dropped": (
        "{path} ({header}): how many calls {failed|fell out} as {reasons}, {checked|tested} in "
        "the order {order}.",
        "{Account|Answer} for what did not count {in|with} {path}, {header}: {reasons}, by name; "
        "{order} is the order of {checks|the checks}.",
        "{reasons}: their {numbers|calls} go in {path}, {header}, {rows|lines} by name; "
        "{try|check} {order}.",
        "{What is|Whatever is} not counted {is summed up|goes} in {path} ({header}, {reasons}), by "
        "whichever of {order} applies {first|earliest}.",
        "{Write|Make} {path} with {header} {for|and} {reasons}, each call {under|by} the first of "
        "{order} {that applies|that fits}.",
        "{header} {in|of} {path}: {reasons} and {the|their} number of calls, {judged|taken} in "
        "the {sequence|order} {order}.",
    ),
}
HEADERS = {
    "calls": ("call", "caller", "option"),
    "tally": ("option", "votes"),
    "regions": ("region", "option", "votes"),
    "dropped": ("reason", "calls"),
}


def say(*, folder: str, database: str, which: str, tables: dict[str, str]) -> tuple[Clause, ...]:
    """Return the clauses; `tables` holds the path of every table asked for."""
    facts = {"which": which, "voters": "`voters`", "options": "`options`"}
    clauses = [
        Clause("goal", GOAL, facts={"folder": folder, "database": database}, role="goal"),
        Clause("keys", KEYS, facts={"pattern": "`1234*5#`"}, role="input"),
        Clause("rule", RULE, facts=facts),
    ]
    for name, path in tables.items():
        own = {"path": path, "header": f"`{','.join(HEADERS[name])}`"}
        if name == "dropped":
            own |= {"reasons": "`invalid`, `repeated`, `unknown`"}
            own |= {"order": "unknown, invalid option, repeated"}
        clauses.append(Clause(name, TABLES[name], facts=own, role="output", bullet=True))
    return (*clauses, kept(database))
