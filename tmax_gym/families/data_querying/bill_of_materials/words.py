"""What the bill-of-materials family says of its tables, their validity and the files."""

from __future__ import annotations

from collections.abc import Mapping

from tmax_gym.families.data_querying.bill_of_materials.questions import QUESTIONS
from tmax_gym.texts.clauses import Clause, Role

GOAL = (
    "{Work out|Compute|Determine} what the {parts list|product structure} {database} {implies|"
    "says|yields} {for|on|as of} {day}, {as|in|by way of} the tables {listed|asked for|"
    "described} {below|here}.",
    "{Purchasing|The buying desk|Planning} {wants|needs|asks for} {a few|some} tables {from|out "
    "of|on} the {nested|layered} parts list {database}, {all of them|each|every one} {as of|"
    "for} {day}.",
    "{database} {keeps|stores|records} {which part goes|what is built} into which; {take|read} "
    "{it|all of it} as it {stood|was} on {day} and {produce|make|derive} the tables {below|that "
    "follow|asked for}.",
    "The {parts list|structure|product tree} in {database} {nests|goes} several levels {deep|"
    "down}. {Resolve|Unfold|Flatten} it {for|as of} {day} into the files {named|listed|"
    "described} {below|here}.",
    "{For|As of} {day}, {please|could you} {unfold|expand|resolve} the bill of materials {in|"
    "kept in} {database} {and|to} {write|save|put down} what is {asked|listed} {below|here}.",
    "{Somebody|The planner|Production} {asked|wants to know} what {goes into|makes up|is in} our "
    "products on {day}. {Everything|All of it} is in {database}; the tables {wanted|asked for} "
    "{follow|come next|are listed}.",
    "{What|Which parts} our products {consist of|are made of} on {day} {is|can be read} in "
    "{database}: {turn|bring} {that|it} into the {tables|files} {below|named here}.",
    "{Here|This} is about {database}, a bill of materials {with|of} {several|many} levels; "
    "{only|just} {its state|what holds} on {day} {counts|matters} for the {tables|files} {asked "
    "for|wanted}.",
    "{Answer|Settle} {some|a few} questions {about|on} the {assemblies|products} in {database}, "
    "{each|every one} for {day} and {in|as} {a file|a table} of its own.",
    "{An auditor|Controlling|The foreman} {picked|chose} {day}: {tell|report} from {database} "
    "how the {parts|assemblies} {hung together|were nested} {then|on that date}, in {tables|"
    "files} {as listed|as described}.",
)
_USE = (
    "{a row of {uses} {says|means} that one {parent} {takes|needs} {quantity} of {child}"
    "|in {uses}, {quantity} of {child} {go|are built} into one {parent}, {row by row|in each row}"
    "|{uses} {puts|counts} {quantity} of {child} {into|to} one {parent} per row"
    "|per row of {uses}, one {parent} {has|contains} {child} in the number {quantity}"
    "|one {parent} is {made with|built from} {quantity} of {child} in {each|every} row of {uses}"
    "|how {parts nest|it all nests} is in {uses}: {quantity} of {child} {for|to|per} one {parent}"
    "|{child}, {quantity} {times|pieces}, {is|becomes} part of one {parent} by a row of {uses}}"
)
_PART = (
    "{{parts} {gives|has} a part's own cost in cents ({price}) and its own time ({days})"
    "|a row of {parts} is one part ({price}: {own|bare} cost in cents, {days}: its own time)"
    "|what a part costs {alone|by itself} is {price} (cents) {of|in} {parts}, its own time {days}"
    "|{days} in {parts} {is|means} a part's own time, {price} its own cost in cents"
    "|{parts} {knows|lists} the own time of each part as {days} and the own cost, in cents, as "
    "{price}"
    "|own cost {in|as} cents and own time, {price} and {days}, {stand|are} in {parts}"
    "|{own|bare} time ({days}) and cost in cents ({price}) of {every|each} part are in {parts}}"
)
TABLES = (
    f"{_USE}; {_PART}.",
    f"{_USE}. {{And|Besides,}} {_PART}.",
    f"{_PART}; {_USE}.",
    f"{_PART}, {{while|and}} {_USE}.",
    f"{{There are two tables|Two tables matter}}: {_PART}; {_USE}.",
)
_SPAN = (
    "{a {use|row} is {good|in force} from {since} on, that day included, and {ends|is over} on "
    "{until}"
    "|{since} is the first day of a {use|row}, {until} the first {day after|one past} it"
    "|from {since} (included) to {until} (excluded) a {use|row} is {valid|in force}"
    "|{until} is the first day without a {use|row}, {since} the first one with it"
    "|a {use|row} {begins|starts} on {since} and is {gone|no longer valid} on {until}"
    "|the last day of a {use|row} is the one before {until}, the first {one |}is {since}"
    "|{since} {counts|is} still in the validity of a {use|row}, {until} is just outside}"
)
_OPEN = (
    "{NULL in {until} {means|is} {no end|open}"
    "|{where|if} {until} is NULL, {it never ends|there is no end}"
    "|with NULL {for|as} {until} it {goes on|lasts}"
    "|no end is {given|known} {where|if} {until} is NULL"
    "|an open end is {written|stored} as NULL in {until}}"
)
_ONLY = (
    "{only|just} {rows|uses} in force {that|on that} day {count|matter}"
    "|{skip|leave out} {rows|uses} that do not hold that day"
    "|{past|old} and future {rows|uses} {stay out|do not count}"
    "|what is not valid that day is {ignored|left out}"
    "|{disregard|drop} {uses|rows} that are over or yet to come that day"
)
VALID = (
    f"{_SPAN}; {_OPEN}. {{{_ONLY}}}.",
    f"{_SPAN} ({_OPEN}); {{{_ONLY}}}.",
    f"{{{_ONLY}}}: {_SPAN}, {{and|but}} {_OPEN}.",
    f"{{{_ONLY}}}. {{Mind the dates|That is}}: {_SPAN}; {_OPEN}.",
)
FORM = (
    "{Each|Every} file is CSV with {the|a} header {given in|shown in|taken from} brackets, "
    "{without|no} quotes.",
    "{Write|Save|Store} CSV {without|and no} quotes; the header {of each|of every file} {stands|"
    "is} in {square |}brackets.",
    "{Columns|The columns} are {named|given|listed} in brackets and {make up|form} the header "
    "{line|row}; plain CSV, {unquoted|no quotes}.",
    "{As for|On|As to} the format: {plain|unquoted|quoteless} CSV, {first|to begin with} the "
    "header {from|in} the brackets.",
    "The brackets {hold|give|state} the header; {what comes after it|the lines after it} {is|"
    "are} plain CSV {without|free of} quotes.",
    "{All|All of the} tables are {unquoted|plain} CSV {files|} whose {first|header} line is what "
    "the brackets {say|show|hold}.",
    "{Quote|Put quotes around} nothing in the CSV, and {head|begin} {every|each} file with {its "
    "names|the column names} in brackets.",
    "{Format|Form}: CSV, {unquoted|no quotes|never quoted}; {the|its} header {line|row} is {the "
    "bracketed one|what stands in brackets}.",
)


def clause(id_: str, frames: tuple[str, ...], facts: Mapping[str, str], *, role: Role) -> Clause:
    """Return a clause; questions read well as a list."""
    return Clause(id_, frames, facts=facts, role=role, bullet=id_ in QUESTIONS)
