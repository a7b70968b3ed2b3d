"""Words of the resample family."""

from __future__ import annotations

from tmax_gym.texts.clauses import Clause

HEADER = ("slot", "sensor", "value", "flag")


_SHORT = (
    "{source} {logs|has|consists of} lines {line}. {For each|For every|Of each} minute that "
    "{occurs|appears} {write|put} {out}, with the {highest|greatest|top} value, {into|in} "
    "{target}, in order of time.",
    "{Reduce|Thin|Condense} {source} (lines {line}) to {the maximum|one maximum|its peak} "
    "{per|for each} minute: {target}{ with|, made of} lines {out}, {earliest|first minute} "
    "{first|on top}.",
    "{target} should {give|list|show} the {top|largest|greatest} value of {each|every} minute "
    "{of|in} {source} as {out}, {sorted|in order|oldest first}; the log {reads|is made of|has "
    "lines} {line}.",
    "{Per minute|For each minute} the {peak|maximum|highest value} is {wanted|needed}: "
    "{read|take} {line} from {source}, {write|put} {out} {into|in} {target}, {ascending|in time "
    "order|minutes rising}.",
    "From {source}, {whose lines {are|read}|with lines} {line}, {make|derive|build} {target}: {a "
    "line|one line} {out} for {every minute|each minute found} with its {maximum|highest value}, "
    "{sorted by time|by time}.",
    "{Boil|Bring} {source} down to minutes. {Lines|Its lines} {are|read} {line}; {target} "
    "{gets|holds|takes} {out} with the {biggest|greatest|highest} {value|one}{ of a minute|}, "
    "{minutes in order|in order}.",
    "{person2} {wants|needs} the {peak|maximum} of {each|every} minute in {source}{, "
    "which|, a log that} {holds|is made of} lines {line}. {Write|Put} {out} lines {in|into} "
    "{target}, {by time|sorted by time}.",
    "{How high|To what top value} did {source} ({line} {per|in each} line) {go|rise} in each "
    "minute? {Answer|Reply} {in|with} {target}: {lines {out}|{out} lines} in order of time{, | }"
    "{for the minutes that {occur|have readings}|one for each minute {with readings|that occurs}}.",
    "{Lines|Readings} {line} {fill|stand in} {source}; {keep|save} {just|only} the {highest|top} "
    "value of {a|each} minute, {as|in the form} {out}, in {target}, {going|} from the {earliest|"
    "first} minute to the last.",
)
_SHORT_BRIEF = (
    "{Write|Put} the {highest|greatest} value of each minute {of|in} {source} (lines {line}) "
    "{to|into} {target}, {lines|as} {out}, by time.",
    "{target}: {lines {out}|{out} lines} {by|in order of} time, {the|each with the} {maximum|peak} "
    "of a minute in {source}, {whose lines are|which has lines} {line}.",
    "{Reduce|Condense} {source} ({line}{ a line|}) to {a maximum|its peak} {per|a} minute, "
    "{target}: {out}, {sorted|by time}.",
    "{Per|For each} minute of {source} ({lines {line}|{line} lines}) {the|its} {top|highest} "
    "{value|reading}, {as|lines} {out}, {in order|sorted by time}, {to|into} {target}.",
)


def short(source: str, target: str) -> tuple[Clause, ...]:
    """Return the task of one log."""
    return (
        Clause(
            "goal",
            _SHORT,
            facts={
                "source": source,
                "target": target,
                "line": "`HH:MM:SS value`",
                "out": "`HH:MM value`",
            },
            role="goal",
            brief=_SHORT_BRIEF,
        ),
    )


def whole(
    paths: tuple[str, str, str], *, step: int, gap: int, span: tuple[int, int]
) -> tuple[Clause, ...]:
    """Return the task of a network."""
    readings, clocks, target = paths
    return (
        Clause(
            "goal",
            (
                "{Bring|Put} the readings in {readings} (a file {per|for each} sensor) on one "
                "grid of {step} seconds, from {first} {to|up to} {last}, and {write|save} it "
                "as {target}.",
                "{target} should {hold|be} a regular grid: slots of {step} s, {the first "
                "at|beginning at} {first}, {the last at|ending with the one at} {last}, from "
                "the sensor files in {readings}.",
                "The sensors {report|write} whenever they like, see {readings}. "
                "{Resample|Align} them to slots of {step} seconds, {first} {through|until} "
                "{last}, in {target}.",
                "We need {readings} {resampled|regular}: every {step} seconds {a value|one "
                "value} for each sensor, slots {first} to {last}{ inclusive|, both included}, "
                "in {target}.",
                "{Build|Make} {target} from the files in {readings}; {its|the} slots "
                "{start|begin} at {first} and go on every {step} seconds {to|until} {last}.",
                "{Resample|Regrid} {readings} for {the model|the analysts}: step {step} s, "
                "slots {first} up to {last}, {result|output} {in|to} {target}.",
            ),
            facts={
                "readings": readings,
                "target": target,
                "step": str(step),
                "first": str(span[0]),
                "last": str(span[1]),
            },
            role="goal",
            brief=(
                "Resample the files in {readings} to slots of {step} s from {first} to {last}, "
                "in {target}."
            ),
        ),
        Clause(
            "clocks",
            (
                "{clocks} {says|tells} by how many seconds each clock is behind: {add|first "
                "add} that to its times{; it may be negative|, negative ones too}.",
                "{Before anything else|First}, {correct|shift} the times: a clock {runs|is} "
                "behind by the seconds {given|listed} in {clocks}, so add them{ (some are "
                "negative)|}.",
                "Sensor clocks are {wrong|off}; {clocks} has the {seconds|number of seconds} "
                "to add {for each|per sensor}{, sign included|}.",
                "{Add|Apply} the {correction|seconds behind} of {clocks} to every {time "
                "stamp|reading's time} {of|from} that sensor, {before slots are formed|to "
                "begin with}.",
                "{True time|The true time} is {time stamp|the stamp} plus the sensor's entry "
                "in {clocks}{, which may be below zero|}.",
                "A reading {happened|was taken} at its time {plus|increased by} what {clocks} "
                "{lists|has} for the sensor {as behind|under behind}.",
            ),
            facts={"clocks": clocks},
            role="input",
            brief="Add the seconds of {clocks} to each sensor's times first.",
        ),
        Clause(
            "value",
            (
                "A slot covers its {time|own second} and {all|everything} before the next one; "
                "{its value is|it takes} the mean of the readings {in it|inside}, rounded "
                "down, {with the flag|flag} {measured}.",
                "{Readings|All readings} from a slot's time up to the next {slot|one} "
                "(exclusive) are averaged, rounded {down|towards minus infinity}: "
                "{flag|flagged} {measured}.",
                "{Take|Form} the mean {of|over} the readings that fall {into|in} a slot (its "
                "time {included|inclusive}, the next {excluded|exclusive}), {rounded "
                "down|floor it} and mark it {measured}.",
                "{measured} {means|is for} slots with readings: {their|the} average, {rounded "
                "down|rounded to the integer below}, a slot {reaching|extending} to just "
                "before the next.",
                "{Average|The average of} what lies {between|from} a slot and the next, {the "
                "latter|next one} excluded, {and round|rounded} down; {such slots are|that is} "
                "{measured}.",
                "Where a slot has readings{ (until the next slot begins)|, up to the next "
                "slot}, {write|put} their mean, rounded down, {and|with} {measured}.",
            ),
            facts={"measured": "`measured`"},
            bullet=True,
            brief=(
                "Value: mean of the readings from the slot up to the next, rounded down, flag "
                "{measured}."
            ),
        ),
        *_gaps_and_form(gap),
    )


def _gaps_and_form(gap: int) -> tuple[Clause, ...]:
    return (
        Clause(
            "fill",
            (
                "Up to {gap} empty slots {in a row|running} between measured ones are "
                "{bridged|filled} by a straight line, rounded down, flag {filled}; "
                "{others|longer runs and open ends} {stay empty|get no value} with {none}.",
                "{Interpolate|Bridge} linearly (rounded down, {flag|flagged} {filled}) where "
                "at most {gap} slots {are missing|lack readings} between two measured ones; "
                "{elsewhere|otherwise} the value is empty and the flag {none}.",
                "A run of {missing|empty} slots no longer than {gap}, measured on both sides, "
                "gets {the line|values on the line} between {its neighbours|them}, rounded "
                "down, as {filled}; {anything else|the rest} is {none} with an empty value.",
                "{filled}: {linear|straight} interpolation, rounded down, for runs of {one "
                "to|up to} {gap} empty slots {inside|between measured slots}. {none}, without "
                "a value: {longer runs|all longer ones}, {and|also} both ends.",
                "{Short|Small} gaps (not more than {gap} slots, measured {before and after|at "
                "both ends}) become {filled}: interpolate {linearly|on a line} and round down. "
                "{Leave|Keep} all others empty as {none}.",
                "{If|When} {gap} or fewer slots {in succession|in a row} are empty between "
                "measured ones, {draw|use} a line between those, rounded down, {mark|flag} "
                "{filled}; {otherwise|else} {nothing|no value} and {none}.",
            ),
            facts={"gap": str(gap), "filled": "`filled`", "none": "`gap`"},
            bullet=True,
            brief=(
                "Runs of at most {gap} empty slots between measured ones: linear, rounded "
                "down, {filled}; else empty, {none}."
            ),
        ),
        Clause(
            "format",
            (
                "{Format|The form} is CSV under {header}; {sensors|all sensors} by name, each "
                "with {all|all its} slots in order. {A sensor|Each} is {called|named} like its "
                "file, {less the|without the} suffix.",
                "{Write|Make it} CSV, {header} first, sensor after sensor ({named as|after} "
                "their files less the suffix, {alphabetical|in alphabetical order}), slots "
                "{ascending|rising} "
                "within.",
                "{header} {heads|opens} the CSV; {then|below} come the sensors {in|by} "
                "alphabetical order{ with|, each with} every slot{ by time|}. {Their "
                "names|Names} are those of the files, suffix {dropped|left out}.",
                "CSV: {header}, {sorted|ordered} by sensor and {then|within it} by slot, "
                "sensor names {taken from|as in} the file names, {without|less} the suffix.",
                "{One line|A line} per sensor and slot, CSV, {header} {on top|as header}; "
                "{sensor|sensor name} first in {the order|order}, then time. Sensors {are "
                "called|go by} their file's name, {minus|without} its suffix.",
                "The {table|grid} starts with {header}; {rows|its rows} {go by|are in order "
                "of} sensor (file name without suffix), {then|and then} slot; {commas "
                "between|comma-separated}.",
            ),
            facts={"header": f"`{','.join(HEADER)}`"},
            role="format",
            brief="CSV with {header}, by sensor (file name without suffix), then slot.",
        ),
    )
