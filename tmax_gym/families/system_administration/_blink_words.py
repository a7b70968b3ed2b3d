"""Words of the blink-codes family, and what a code can mean."""

from __future__ import annotations

from tmax_gym.words.clauses import Clause

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


def short(source: str, target: str, *, film: bool) -> Clause:
    """Return the task of one machine."""
    seen = "lamp is filmed in" if film else "beeper was recorded in"
    return Clause(
        "goal",
        (
            "A machine reports a fault{ code|}; its {seen} {source}. {Write|Put} the code "
            "{in|into} {target}.",
            "{Read|Work out} the fault code of the machine whose {seen} {source}, and "
            "{save|leave} it {as|in} {target}.",
            "{target} should {hold|contain} the code that a machine {gives|reports}: its "
            "{seen} {source}.",
            "Which code {is it|does it give}? The {seen} {source}; {answer|the answer goes} in "
            "{target}.",
            "{There is|We have} a machine whose {seen} {source}. {Decode|Read} it and "
            "{write|store} the code to {target}.",
            "{Tell|Note} the fault code in {target}. {All we have is|There is only} the "
            "machine whose {seen} {source}.",
        ),
        facts={"source": source, "target": target, "seen": seen},
        role="goal",
        brief="Write the code of the machine whose {seen} {source} to {target}.",
    )


def goal(source: str, manual: str, target: str, *, film: bool) -> Clause:
    """Return the task of a rack."""
    seen = "a film of their fault lamps" if film else "a recording of each one's beeper"
    return Clause(
        "goal",
        (
            "{Some machines|Machines} in the rack report faults: {source} {is|has} {seen}. "
            "{Look the codes up|Look up their codes} in {manual} and {write|list} the result "
            "{to|in} {target}.",
            "{Make|Compile} a fault list {target} for the rack; {seen} is {what we have|all "
            "there is}, in {source}, {and|while} {manual} explains the codes.",
            "The technician {brought|sent} {seen} ({source}). {Turn|Translate} it with "
            "{manual} into {target}{, so that parts can be ordered|}.",
            "{target} should {say|tell} what is wrong with {every|each} machine of the rack, "
            "{going by|from} {seen} in {source} and the {table|list} {manual}.",
            "{Nobody|No one} logged the faults, but there is {seen}, {source}. {With|Using} "
            "{manual}, {fill|write} {target}.",
            "{Decode|Read} {seen}, {source}, {into|to make} {target}; what codes mean "
            "{stands|is} in {manual}.",
        ),
        facts={"source": source, "manual": manual, "target": target, "seen": seen},
        role="goal",
        brief="From {source} ({seen}) and {manual} write the fault list {target}.",
    )


def signs(*, film: bool) -> Clause:
    """Return how a code is shown."""
    sign = "flash" if film else "beep"
    long, short, rest = (
        ("4 frames", "1 frame", "at least 6 dark frames")
        if film
        else ("200 ms", "50 ms", "at least 300 ms of silence")
    )
    return Clause(
        "signs",
        (
            "A code {form} is as many long {sign} signs as {the first number says|its first "
            "number}, then short "
            "ones: {long} {and|against} {short}. {Between|Separating} codes there {are|come} "
            "{rest}; the {first|opening} one may be cut off.",
            "{Count|Take} the long signs ({sign}, {long}) and the short ones ({short}) {of one "
            "code|between two rests} for {form}; {a rest is|codes are kept apart by} {rest}, "
            "and {do not start|never begin} in the middle of one.",
            "{long} {make|is} a long {sign}, {short} a short one. {form} {counts|gives} long, "
            "then short; it is {repeated|shown again}, with {rest} in between, and {may "
            "begin|can start} half-way.",
            "{form} {means|stands for}: so many long signs ({sign} of {long}), {then|followed "
            "by} so many short ones ({short}). {Repetitions|Repeats} are {rest} apart{, the "
            "first can be incomplete|; the first may lack its start}.",
            "Each {sign} {lasts|takes} {long} if long, {short} if short; {form} is {the "
            "number|how many} of {either|each}, long {first|before short}. {Wait for|Find} "
            "{rest}, then {read|count} one whole code.",
            "Codes repeat{ over and over|}, {rest} {between them|apart}; within one, {long} is "
            "a long {sign} and {short} a short one, {written|noted} {form} for {their "
            "counts|how many there are}. {The recording|It} may start {anywhere|in mid-code}.",
        ),
        facts={
            "form": "`<long>-<short>`",
            "sign": sign,
            "long": long,
            "short": short,
            "rest": rest,
        },
        role="input",
        brief=(
            "A code {form} counts long ({sign} of {long}) and short ones ({short}); {rest} "
            "between repeats; the first may be cut off."
        ),
    )


def table(*, film: bool) -> tuple[Clause, ...]:
    """Return where the machines are and what the table looks like."""
    if film:
        where = Clause(
            "where",
            (
                "The {lamp|fault lamp} of unit n {is|lies} at {place}{, the first unit being "
                "1|, units counting from 1}: lit above 128; the small lines {beside it|to its "
                "right} are disk activity.",
                "{Look|Watch} at {place} for unit n (n from 1): {more than 128|over 128} is lit. "
                "{Ignore|Disregard} the flicker {next to it|beside it}, {that is|it is only} "
                "disk activity.",
                "Unit n, {counted|numbered} from 1 {at the top|downwards}, has its lamp around "
                "{place}; {brighter|more} than 128 {means|is} lit{, and the rest of the "
                "picture is of no interest|}.",
                "{place} is {the centre of|in the middle of} unit n's lamp, units "
                "{from|starting at} 1; {above|over} 128 it is on. {Other|All other} pixels {do "
                "not matter|mean nothing}.",
                "{Take|Read} pixel {place} for the lamp of unit n, where n {runs|counts} from "
                "1: on if {over|above} 128. The {rest|picture beside it} {shows|is} disk "
                "activity.",
                "{Lamps|The lamps} lie {one below the other|in a column}: unit n "
                "({from|beginning with} 1) at {place}, lit {when|if} brighter than 128.",
            ),
            facts={"place": "x=4, y=8n-4"},
            role="input",
            brief="The lamp of unit n (from 1) is at {place}, lit above 128.",
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
