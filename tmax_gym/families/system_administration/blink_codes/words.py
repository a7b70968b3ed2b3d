"""Words of the blink-codes family, and what a code can mean."""

from __future__ import annotations

from collections.abc import Mapping

from tmax_gym.texts.clauses import Clause

HEADER = ("unit", "code", "fault", "measure")
FAULTS = (
    "memory bank A",
    "memory bank B",
    "left fan",
    "right fan",
    "supply 1",
    "supply 2",
    "board battery",
    "boot disk",
    "cache module",
    "riser card",
    "clock source",
    "network card",
    "intake too hot",
    "case open",
)
MEASURES = ("replace now", "reseat", "order a spare", "call the vendor", "watch", "power cycle")


CLIPS = {
    True: "{a film|a video|footage|a clip|film} of {its|the} {fault lamp|lamp|blinking lamp|fault "
    "light}",
    False: "{a recording|a sound recording|audio|sound} of {its|the} {beeper|beeps|fault "
    "beeper|beep signals}",
}
"""The source for one machine: a film, or else a recording."""
SHORT = (
    "{A machine|One server|A box in the rack|One machine here} {reports|signals|is signalling} a "
    "{fault|failure|fault code}; {source} {has|holds|contains} CLIP. {Write|Save|Put} {the "
    "code|its code|the fault code} {in|into} {target}.",
    "{Read|Work out|Decode|Find} the {fault code|code} {of a machine|that a machine gives|a "
    "machine reports} from CLIP, {source}, {and {save|leave|store|put} it|to be "
    "{saved|stored|left|put}} in {target}.",
    "{target} {should|is to|must} {hold|contain|give} the {code|fault code} {of one machine|that a "
    "machine {reports|signals|shows}|some machine reports}: {we have|there is|you have|I have} "
    "CLIP in {source}.",
    "{Which|What} {code|fault code} {is a machine giving|does a machine report|is a machine "
    "signalling}? {There is|We have|I have} CLIP, {source}; {answer|reply|the answer belongs} in "
    "{target}.",
    "{There is|We have|I was sent|The technician left} CLIP{, {source}:|: {source}.} {read "
    "off|work out|decode|make out} the {fault code|code|machine's code} and "
    "{write|store|note|enter} it {in|into} {target}.",
    "{Note|Record|Write down|Keep} in {target} {which|what} {fault code|code} {a|the|one} "
    "{machine|server} {reports|gives|signals|shows}; {all I have|all we have|the only trace|what "
    "we have} is CLIP, {source}.",
    "{Going by|Out of|Using|With} CLIP ({source}), {determine|establish|find|get} the {fault "
    "code|code} of {our|one|a} {machine|server|unit} {for|and write it to|to fill} {target}.",
    "{One machine|A machine|A server} {has|shows|reports} a {fault|failure}. {Its code|The "
    "code|Its fault code} {belongs|goes|should stand} in {target}; {look at|see|use|take} "
    "{source}, CLIP.",
)
"""One code; CLIP stands for one of `CLIPS`."""
SHORT_BRIEFS = (
    "{Code|Fault code} of {the|a} machine in {source} (CLIP) {to|into} {target}.",
    "{Write|Save|Put} the {code|fault code} from CLIP, {source}, {in|into} {target}.",
    "{Decode|Read} {source}, CLIP; {code|the code|result} {to|into|in} {target}.",
    "{target}: {the code|the fault code|code} {in|from|read from} CLIP, {source}.",
)
SEEN = {
    True: "{a film|a video|footage|a clip} of {their|the} {fault lamps|lamps|fault lights}",
    False: "{a recording|a sound recording} of {each one's|every machine's|each "
    "machine's} {beeper|beeps|fault beeper}",
}
"""The source for a rack."""
GOAL = (
    "{Some machines|Machines|Several machines} in the rack report faults: {source} {has|contains|"
    "holds} SEEN. {Look the codes up|Look up their codes|Find the codes} in {manual} and "
    "{write|list} {the result|the faults|what you find} in {target}.",
    "{Make|Compile|Write|Prepare} {a|the} fault list {target} for {the|our} rack; SEEN is {what we "
    "have|all there is|the only source}, in {source}, {and|while} {manual} {explains|lists} the "
    "codes.",
    "The technician {brought|sent|left} SEEN ({source}). {Turn|Make} {it|this}, with the help of "
    "{manual}, into {target}{, so that parts can be ordered||, a list of faults}.",
    "{target} {should|is to|must} {say|tell|list} what is wrong with {every|each} machine of the "
    "rack{, going| going|, to judge} by SEEN in {source} and the {table|list|code list} {manual}.",
    "{Nobody|No one} {logged|noted} the faults{ of the rack|}, but there is SEEN, {source}. "
    "{With|Using|With the help of} {manual}, {fill|write|make} {target}.",
    "{Decode|Read|Evaluate} SEEN, {source}, {into|to make|for} {target}; what {codes|the codes} "
    "mean {stands|is|is explained} in {manual}.",
    "{manual} {gives|has|lists} the {meaning|meanings} of {our|the} fault codes, {source} SEEN: "
    "{derive|produce} {target} {from the two|from these|out of both}.",
    "{We|The hands on site} {need|want} {target}, {the faults|the list of faults} of a rack; "
    "{start|begin} from SEEN ({source}) and {use|consult|take} {manual} for {the meaning|what the "
    "codes mean}.",
)
"""A list of faults; SEEN stands for one of `SEEN`."""


def short(source: str, target: str, *, film: bool) -> Clause:
    """Return the task of one machine."""
    return Clause(
        "goal",
        tuple(frame.replace("CLIP", CLIPS[film]) for frame in SHORT),
        facts={"source": source, "target": target},
        role="goal",
        brief=tuple(frame.replace("CLIP", CLIPS[film]) for frame in SHORT_BRIEFS),
    )


def goal(source: str, manual: str, target: str, *, film: bool) -> Clause:
    """Return the task of a rack."""
    return Clause(
        "goal",
        tuple(frame.replace("SEEN", SEEN[film]) for frame in GOAL),
        facts={"source": source, "manual": manual, "target": target},
        role="goal",
        brief=tuple(
            frame.replace("SEEN", SEEN[film])
            for frame in (
                "{From|Out of} {source} (SEEN) and {manual} {write|make} {the fault list|the list} "
                "{target}.",
                "{target}: {the faults|the fault list} {from|read from} SEEN, {source}, "
                "{with|using} {manual}.",
                "{Decode|Read} {source}, SEEN, {look up|find} the codes in {manual}, {write|list "
                "faults in} {target}.",
            )
        ),
    )


LASTING = (
    "{a|each|every} long {sign} {lasts|takes|is} {long}, {a short one|each short one|a short "
    "{sign}} {short}",
    "{signs} of {long} {are|count as} long{, those| and those|, {signs}} of {short} {are|count as} "
    "short",
    "{long} {make|mean|are} a long {sign}{,| and} {short} {makes|means|is} a short one",
    "{signs} {last|take} {long} ({the long ones|long}) or {short} ({the short ones|short})",
    "{signs} {come in two lengths|are of two kinds|have two lengths}: long, {long}, {and|or} "
    "short, {short}",
    "{a|any} {sign} {that lasts|lasting|of} {long} is {a long one|called long}, {one of|one that "
    "lasts} {short} {is |}{a short one|called short}",
)
"""How long and short signs differ."""
COUNTING = (
    "{form} {gives|states|tells} {how many|the number of} long {ones|signs} and {how many|the "
    "number of} short {ones|signs} {one|a} code has",
    "{write|note|put down} {a|the|one} code as {form}: {first|to begin with} {the number of|how "
    "many} long {signs|ones}, then {of short ones|the short ones}",
    "{in|within} a code{,|} {form}, {all|the} long {signs|ones} {come first|go ahead}, the short "
    "{ones|signs} {follow|come second}; {write|give} {both|the two} counts",
    "{count|add up} the long {signs|ones} {of one code|in a code}, then {its|the} short "
    "{signs|ones}, {for|to get|and write} {form}",
    "{a|each} code {consists of|is made of} long {signs|ones}, then short {signs|ones}, and "
    "{its name|the notation} {form} {gives|holds} {both counts|the two counts}",
    "the {answer|notation} {form} {gives|has} {the number of|how many} long {signs|ones} {before|"
    "ahead of} the hyphen, {the number of|how many} short {signs|ones} {behind|after} it",
)
"""The meaning of a code."""
RESTING = (
    "{codes repeat|each code repeats|a code is repeated}, {with {rest} {between repeats|in "
    "between}|{rest} apart}, and {the first|the opening} {one|code} {may|can} {be cut off|be "
    "incomplete|lack its start}",
    "{after|following} {rest} {the code|the same code} {begins|starts|comes} {again|anew|once "
    "more}; {what comes first|the beginning} {may|can} be {a piece|the end|a part} of {a code|one}",
    "the {take} {may|can} {begin|start} {half-way|in mid-code|in the middle of a code}; {from one "
    "to the next|between codes|between repeats} {there are|come|you find} {rest}",
    "{wait for|look for|find} {rest}, {because|since} the {first|opening} code may be {partial|cut "
    "off|incomplete}; {a|the} whole code {follows|comes after that}, {again and again|repeatedly}",
    "{repeats|repetitions|the repeats} of {a|the} code are {rest} apart; {leave out|skip|do not "
    "read} {the first|an opening} one {if|where} it {is cut off|is incomplete|lacks its start}",
    "there {are|will be} {rest} {between {the repeats|repeats}|before each repeat} of a code, {of "
    "which|and} the {first|earliest} {may|can} be {incomplete|cut off|a mere part}",
)
"""The pause between codes; the first code may be incomplete."""
ORDERS = ("ABC", "ACB", "BAC", "BCA", "CAB", "CBA")
BRIEF_SIGNS = (
    "{form}: {number|count} of long and {of |}short {signs} ({long}, {short}); {rest} between "
    "{repeats|codes}, the first {may be|can be} {cut off|partial}.",
    "{long}: a long {sign}, {short}: {short|a short one}; {form} counts {both|the two} in one "
    "code. {Repeats|Codes} {are|come} {rest} apart; the first may be {partial|cut off}.",
    "{Count|Write} long ({sign} of {long}) and short ({short}) {as|for} {form}. {Between|"
    "Separating} {repeats|codes}: {rest}; {skip|drop} {a cut-off|an incomplete} first one.",
    "{Repeats|Codes} {rest} apart, the first {maybe|perhaps} {cut off|partial}; {form} {is|gives} "
    "the {number|count} of {signs} of {long} (long), {then|and} of {short} (short).",
)


def signs(*, film: bool) -> Clause:
    """Return how a code is shown."""
    long, brief, rest = (
        ("4 frames", "1 frame", "6 dark frames")
        if film
        else ("200 ms", "50 ms", "300 ms of silence")
    )
    kinds = {
        "{sign}": "{flash|blink}" if film else "{beep|tone}",
        "{signs}": "{flashes|blinks}" if film else "{beeps|tones}",
        "{take}": "{film|recording}" if film else "recording",
        "{rest}": "{at least {rest}|{rest} or more}",
    }
    parts = {"A": LASTING, "B": COUNTING, "C": RESTING}
    frames = []
    for order in ORDERS:
        first, second, third = ("{" + "|".join(parts[key]) + "}" for key in order)
        frames += [f"{first}. {second}. {third}.", f"{first}; {second}. {third}."]
    return Clause(
        "signs",
        tuple(_put(frame, kinds) for frame in frames),
        facts={"form": "`<long>-<short>`", "long": long, "short": brief, "rest": rest},
        role="input",
        brief=tuple(_put(frame, kinds) for frame in BRIEF_SIGNS),
    )


def _put(frame: str, words: Mapping[str, str]) -> str:
    """Return a frame with words of one kind of recording in it."""
    for name, replacement in words.items():
        frame = frame.replace(name, replacement)
    return frame


def table(*, film: bool) -> tuple[Clause, ...]:
    """Return where the machines are and what the table looks like."""
    if film:
        where = Clause(
            "where",
            (
                "The {lamp|fault lamp} of unit n {is|lies} at {place}{, the first unit being 1|, "
                "units counting from 1|, with n from 1}: {lit|on} above {limit}; the small lines "
                "{beside it|to its right} {are|show} disk activity.",
                "{Look|Watch} at {place} for unit n (n from 1): {more than|over|above} {limit} is "
                "{lit|on}. {Ignore|Disregard} the flicker {next to it|beside it}, {that is|it is "
                "only|which is} disk activity.",
                "Unit n, {counted|numbered} from 1 {at the top|downwards}, has its {lamp|light} "
                "around {place}; {brighter|more} than {limit} {means|is} lit{, and the rest of the "
                "picture {is of no interest|shows disk activity}|; beside it is disk activity}.",
                "{place} is {the centre of|in the middle of} unit n's {lamp|light}, units "
                "{from|starting at} 1; {above|over} {limit} it is {on|lit}. {Other|All other} "
                "pixels {do not matter|mean nothing|have no meaning here}.",
                "{Take|Read} {the pixel|pixel} {place} for the {lamp|light} of unit n, where n "
                "{runs|counts} from 1: {on|lit} if {over|above} {limit}. The {rest|picture beside "
                "it} {shows|is} disk activity.",
                "{Lamps|The lamps} lie {one below the other|in a column|below each other}: unit n "
                "({from|beginning with} 1) at {place}, {lit|on} {when|if} brighter than {limit}; "
                "{nothing else|no other light} {matters|is of interest}.",
                "{With|Counting} units from 1, unit n has its {light|lamp} at {place}, {that "
                "is|and it is} {on|lit} where the gray {value|level} {passes|exceeds} {limit}; "
                "{pass over|ignore} the disk {activity|lights} beside it.",
            ),
            facts={"place": "x=4, y=8n-4", "limit": "128"},
            role="input",
            brief=(
                "{The lamp|Lamp} of unit n (from 1): {place}, {lit|on} {above|over} {limit}.",
                "{Unit n|The lamp of unit n} is at {place} (n from 1), above {limit} is {lit|on}.",
                "Units from 1; {look at|see} {place} for unit n, {lit|on} if {over|above} {limit}.",
            ),
        )
    else:
        where = Clause(
            "where",
            (
                "{Files|Recordings} are called {name}, by the number of the unit.",
                "{name} {is|holds} the beeper of the unit with that number.",
                "{Each|Every} unit has {its|a} file, {name}, {named|numbered} after it.",
                "{Unit numbers|The units} are {in the names|given by the names}, {name}.",
                "{Units are|A unit is} {known|identified} by the file name: {name}.",
                "A {recording|file} {name} {belongs to|comes from} the unit {so numbered|of "
                "this number}.",
            ),
            facts={"name": "`<unit>.wav`"},
            role="input",
            brief="Files are {name}, by unit.",
        )
    return (
        where,
        Clause(
            "table",
            (
                "{Write|Make it} CSV with the header {header}: {one line|a line} per unit that "
                "reports something, {lowest unit|smallest number} first, {units without|no} "
                "leading zeros.",
                "CSV, {header} {on top|as the first line}, {by|sorted by} unit ({plain "
                "numbers|no leading zeros}); a unit that {stays quiet|shows nothing} is {left "
                "out|not listed}.",
                "{Format|The form}: CSV under {header}, {units ascending|ascending units} "
                "without leading zeros; {silent|quiet} units {do not appear|are missing}.",
                "The {list|table} {starts|begins} with {header} and has {a CSV line|one line} "
                "{for each|per} reporting unit{, ordered by number|, in order of their "
                "numbers}, numbers without leading zeros.",
                "{header} {heads|is the header of} the CSV. {Leave out|Omit} units that "
                "{report nothing|are quiet}; {sort|order} the others by number, {written "
                "plainly|no leading zeros}.",
                "{As|In} CSV, with {header}, {list|give} the units that {signal|report} "
                "anything, {in|by} rising number{, plain integers| without leading zeros}.",
            ),
            facts={"header": f"`{','.join(HEADER)}`"},
            role="format",
            brief="CSV with {header}, by unit, quiet units left out.",
        ),
    )
