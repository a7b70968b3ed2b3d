"""What the tone-poll family says."""

from __future__ import annotations

from tmax_gym.words.clauses import Clause

GOAL = (
    "{People|Members} voted by telephone; {folder} {holds|has} one recording {a|per} call. "
    "{Decode|Transcribe} the {keys|touch tones} and {count|tally} the votes {with|by} "
    "{database}.",
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
KEYS = (
    "A caller {presses|keys in} {pattern}: {own|the own} number, star, {number of the|the} "
    "option, hash; {files|calls} came in the order of their names.",
    "{In|Within} {each|every} call the keys are {pattern}, {that is|i.e.} {caller|the caller}, "
    "option and a closing hash. {Names|File names} {give|follow} the order of calls.",
    "{Each call has|Calls have} the pattern {pattern}, four digits for the caller, {one|a "
    "digit} for the option; calls are numbered {as|in the order in which} they came.",
    "The {sequence|order of keys} is always {pattern}: caller, option, {end|the end}; "
    "{files|file names} {sort|are sorted} by {time|the time} of call.",
    "{First|To begin} the caller's number, then {the|an} option: {pattern}. {Sorted|Ordered} by "
    "name, the files are in {order of time|the order of calls}.",
    "{Expect|You will hear} {pattern} {on|in} {each|every} recording (caller, option). "
    "{Earlier|Older} calls have {lower|smaller} file numbers.",
)
RULE = (
    "Only calls {by|from} {a|some} caller {in|of} {voters} for {an|some} option {in|of} "
    "{options} {are|count as} valid, and of {several|many} valid calls of {one|the same} caller "
    "only the {which} counts.",
    "A vote {needs|must have} a caller {listed|found} in {voters} and an option of {options}; "
    "{whoever|who} calls {twice|again} {is counted|counts} once, {by|with} the {which} valid "
    "call.",
    "{Discard|Drop} callers that {voters} does not {have|list} and options {missing|absent} "
    "from {options}, {then|and then} keep {for|of} {each|every} caller the {which} valid call "
    "{alone|only}.",
    "{A call is valid|A call counts as valid} if the caller is in {voters} and the option in "
    "{options}. {With|Of} {two|several} valid calls {by|of} a caller the {which} {one counts|is "
    "the vote}.",
    "{voters} says who may {vote|take part}, {options} on what; {nobody|no one} has two votes: "
    "the {which} valid call {decides|is taken}.",
    "One vote {each|per caller}, the {which} valid one; {it takes|a valid call has} a caller "
    "{of|from} {voters} {and|as well as} an option {of|from} {options}.",
)
CALLS = (
    "{path} ({header}) {lists|has} all {calls|recordings} by file name, {just|exactly} as keyed.",
    "{Write|Put} every call as keyed, by file name, {into|in} {path}: {header}.",
    "{header} {is|are} the columns of {path}, a line {a|per} file, by file name.",
    "{All|The} calls, {valid or not|good or bad}, {go|belong} in {path} {under|with} {header}, "
    "by file name.",
    "{path}: {header}, {one|a} line for {each|every} recording, {sorted|ordered} by file.",
    "{First|To start with} {make|produce} {path}, all calls by file name, with {header}.",
)
TALLY = (
    "{path} ({header}): {votes|the votes} of {every|each} option by its name, {most|the most} "
    "first, then by name.",
    "{Give|Report} the {count|votes} per option in {path}, {header}, {highest|most} first, ties "
    "by name.",
    "{path} {has|gets} {header}: all options, {best|most votes} {first|on top}, {equal|tied} "
    "ones by name.",
    "The {result|outcome}, {path}: {header}, {falling|descending} by votes, then name, with "
    "{all|every one of the} options.",
    "{Rank|Sort} the options by votes {in|for} {path} ({header}); names {decide|settle} ties.",
    "{header} {in|heads} {path}: {every|each} option and its votes, from most to "
    "{fewest|least}, {ties|and ties} by name.",
)
REGIONS = (
    "{path} ({header}): votes {by|per} region and option, {both ascending|sorted by both}, "
    "{none|nothing} where there {are none|is none}.",
    "{Break|Split} them down by region {too|as well}: {path}, {header}, sorted, without zeros.",
    "{Per|For each} region {of|in} {path}: {header}, only {pairs|lines} with votes, "
    "{sorted|ordered} by region, then option.",
    "{header} in {path} {shows|tells} what {regions|each region} chose, {sorted|ordered}, "
    "{lines|rows} with 0 left out.",
    "{Another|A second} table, {path}, {counts|is} by region and option ({header}), "
    "{ascending|sorted}, zeros {dropped|left out}.",
    "{Regions|The regions} {matter|count} too: {path} {with|under} {header}, sorted by both "
    "names, {where|if} there are votes.",
)
DROPPED = (
    "{path} ({header}): how many calls {failed|fell out} as {reasons}, {checked|tested} in the "
    "order {order}.",
    "{Account|Say} for the rest {in|with} {path}, {header}: {reasons}, by name; {order} is the "
    "order of {checks|the checks}.",
    "{reasons}: their {numbers|calls} go in {path}, {header}, {rows|lines} by name; {try|check} "
    "{order}.",
    "{Calls|What} not counted {are|is} summed up in {path} ({header}, {reasons}), by whichever "
    "of {order} applies {first|earliest}.",
    "{Also|Finally} {path} with {header} {for|and} {reasons}, each call {under|by} the first of "
    "{order}.",
    "{header} {in|of} {path}: {reasons} and {the|their} number of calls, {judged|taken} in the "
    "{sequence|order} {order}.",
)
TABLES = {
    "calls": (
        "{path} ({header}) {lists|has} all {calls|recordings} by file name, {just|exactly} as "
        "keyed.",
        "{Write|Put} every call as keyed, by file name, {into|in} {path}: {header}.",
        "{header} {is|are} the columns of {path}, a line {a|per} file, by file name.",
        "{All|The} calls, {valid or not|good or bad}, {go|belong} in {path} {under|with} "
        "{header}, by file name.",
        "{path}: {header}, {one|a} line for {each|every} recording, {sorted|ordered} by file.",
        "{First|To start with} {make|produce} {path}, all calls by file name, with {header}.",
    ),
    "tally": (
        "{path} ({header}): {votes|the votes} of {every|each} option by its name, {most|the "
        "most} first, then by name.",
        "{Give|Report} the {count|votes} per option in {path}, {header}, {highest|most} first, "
        "ties by name.",
        "{path} {has|gets} {header}: all options, {best|most votes} {first|on top}, "
        "{equal|tied} ones by name.",
        "The {result|outcome}, {path}: {header}, {falling|descending} by votes, then name, with "
        "{all|every one of the} options.",
        "{Rank|Sort} the options by votes {in|for} {path} ({header}); names {decide|settle} ties.",
        "{header} {in|heads} {path}: {every|each} option and its votes, from most to "
        "{fewest|least}, {ties|and ties} by name.",
    ),
    "regions": (
        "{path} ({header}): votes {by|per} region and option, {both ascending|sorted by both}, "
        "{none|nothing} where there {are none|is none}.",
        "{Break|Split} them down by region {too|as well}: {path}, {header}, sorted, without zeros.",
        "{Per|For each} region {of|in} {path}: {header}, only {pairs|lines} with votes, "
        "{sorted|ordered} by region, then option.",
        "{header} in {path} {shows|tells} what {regions|each region} chose, {sorted|ordered}, "
        "{lines|rows} with 0 left out.",
        "{Another|A second} table, {path}, {counts|is} by region and option ({header}), "
        "{ascending|sorted}, zeros {dropped|left out}.",
        "{Regions|The regions} {matter|count} too: {path} {with|under} {header}, sorted by both "
        "names, {where|if} there are votes.",
    ),
    "dropped": (
        "{path} ({header}): how many calls {failed|fell out} as {reasons}, {checked|tested} in "
        "the order {order}.",
        "{Account|Say} for the rest {in|with} {path}, {header}: {reasons}, by name; {order} is "
        "the order of {checks|the checks}.",
        "{reasons}: their {numbers|calls} go in {path}, {header}, {rows|lines} by name; "
        "{try|check} {order}.",
        "{Calls|What} not counted {are|is} summed up in {path} ({header}, {reasons}), by "
        "whichever of {order} applies {first|earliest}.",
        "{Also|Finally} {path} with {header} {for|and} {reasons}, each call {under|by} the "
        "first of {order}.",
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
    made = [
        Clause("goal", GOAL, facts={"folder": folder, "database": database}, role="goal"),
        Clause("keys", KEYS, facts={"pattern": "`1234*5#`"}, role="input"),
        Clause("rule", RULE, facts=facts),
    ]
    for name, path in tables.items():
        own = {"path": path, "header": f"`{','.join(HEADERS[name])}`"}
        if name == "dropped":
            own |= {"reasons": "`invalid`, `repeated`, `unknown`"}
            own |= {"order": "unknown, invalid option, repeated"}
        made.append(Clause(name, TABLES[name], facts=own, role="output", bullet=True))
    return tuple(made)
