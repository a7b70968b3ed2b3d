"""What the bill-of-materials family says: tables, validity, and one clause a question."""

from __future__ import annotations

from collections.abc import Mapping

from tmax_gym.words.clauses import Clause, Role

GOAL = (
    "{Work out|Compute} what the parts list {database} {implies|says} {for|on} {day}, {as|in} the "
    "tables {listed|asked for} {below|here}.",
    "Purchasing {wants|needs} {a few|some} tables {from|out of} the {nested|layered} parts list "
    "{database}, {all of them|each} as of {day}.",
    "{database} {keeps|stores} which part goes into which; {take|read} it as it {stood|was} on "
    "{day} and {produce|make} the tables {below|that follow}.",
    "The {parts list|structure} in {database} {nests|goes} several levels {deep|down}. {Resolve|"
    "Unfold} it for {day} into the files {named below|described here}.",
    "For {day}, {please|could you} {unfold|expand} the bill of materials in {database} {and|to} "
    "{write|save} what is {asked|listed} {below|next}.",
    "{Somebody|The planner} {asked|wants to know} what {goes into|makes up} our products on {day}. "
    "{Everything|All of it} is in {database}; the tables {follow|come next}.",
)
TABLES = (
    "{parts} has {one row|a row} {a|per} part ({price} is its own cost in cents, {days} its own "
    "time), {uses} {one|a row} per use: {quantity} of {child} {go|are built} into one {parent}.",
    "A row of {uses} {says|means} that one {parent} takes {quantity} of {child}; {parts} {adds|"
    "has} for {every|each} part {its|the} own cost in cents, {price}, and own time, {days}.",
    "{Look|Begin} at {uses} ({parent} {contains|takes} {quantity} {pieces |}of {child}) and at "
    "{parts}, whose {price} and {days} {are|mean} a part's own cost (in cents) and {own|its} time.",
    "In {uses} {every|each} row {puts|builds} {quantity} of {child} into one {parent}. {parts} "
    "{knows|holds} {price}, the own cost in cents, and {days}, the {own time|time it takes}.",
    "{There are two tables|Two tables matter}: {parts} with {price} (own cost, in cents) and "
    "{days} (own time), and {uses}, {where|in which} one {parent} needs {quantity} of {child}.",
    "{Own|A part's own} cost in cents and time {are|stand in} {price} and {days} of {parts}; how "
    "{parts nest|it all nests} is in {uses}, {quantity} of {child} {for|to} one {parent}.",
)
VALID = (
    "A {use|row} {counts|applies} if {since} is {on or before|not after} that day and {until} is "
    "{empty|missing} or {later|after it}: on the day of {until} it is {over|no longer valid}.",
    "Only {rows|uses} {valid|in force} that day {count|matter}: from {since} on, that day "
    "included, {up to|until} {until}, {which|that day} is {not included|excluded}; NULL means "
    "{open|no end}.",
    "{Leave out|Skip} {uses|rows} that {begin|start} later ({since}) or have ended: {until} is the "
    "first day {without it|on which it is gone}, {and NULL|NULL there} {is|means} no end.",
    "{since} is the first day of a {use|row}, {until} the first day {after|past} it {or|and} NULL "
    "{as long as it lasts|while it goes on}; {what|whatever} is not in force that day {is ignored|"
    "does not count}.",
    "Mind {the dates|validity}: a row {runs|holds} from {since} {inclusive|(included)} to {until} "
    "{exclusive|(excluded)}, {without|with no} end where that is NULL, and others {drop out|"
    "are to be ignored}.",
    "{Rows|Uses} {come and go|change}: {one|each} is good from the day {since} {onwards|on} until "
    "the day before {until}, or {for good|forever} {if|where} that is NULL. {Old|Past} and future "
    "ones {stay out|do not count}.",
)
FORM = (
    "{Each|Every} file is CSV with {the|a} header {given in|shown in} brackets, {without|no} "
    "quotes.",
    "{Write|Save} CSV {without|and no} quotes; the header {of each|of every file} {stands|is} in "
    "brackets.",
    "{Columns|The columns} are {named|given} in brackets and {make up|form} the header {line|"
    "row}; plain CSV, {unquoted|no quotes}.",
    "{As for|On} the format: {plain|unquoted} CSV, {first|to begin with} the header {from|in} the "
    "brackets.",
    "The brackets {hold|give} the header; {what follows|below it} {is|goes} plain CSV {without|"
    "free of} quotes.",
    "{All|All of the} tables are {unquoted|plain} CSV {files|} whose {first|header} line is what "
    "the brackets {say|show}.",
)
QUESTIONS: Mapping[str, tuple[str, ...]] = {
    "exploded": (
        "{path} {header}: {what|all that} has to be bought for one {product}, {that is|i.e.} the "
        "parts {below it|in it} that {take|contain} no others, {with|and} their total number, by "
        "part.",
        "{All|The} bought parts, {those|parts} made of nothing else, that one {product} {needs|"
        "takes} over all levels, and how many, by part: {path} {header}.",
        "{For|To} build one {product}, {which|what} parts without parts of their own {are needed|"
        "does it take} and how many {altogether|in all}? By part, {in|to} {path} {header}.",
        "{path} {header} {lists|has} by part what one {product} {finally|in the end} consists of: "
        "{only|just} parts that {nothing|no row} goes into, {multiplied|added up} over {all|the} "
        "levels.",
        "{Explode|Expand} {product} down to parts that {have|contain} no others {and|and then} "
        "{sum|add up} their quantities for one piece: {path} {header}, {sorted|ordered} by part.",
        "{Quantities|The numbers} of all bought parts (nothing {goes into|below} them) in one "
        "{product}, by part, {belong|go} in {path} {header}.",
    ),
    "where_used": (
        "{path} {header}: {every|each} part that {contains|includes} {common}, however deep, with "
        "the {fewest|smallest number of} levels down to it (1 if {directly|it is used directly}), "
        "by code.",
        "{Where|In what} is {common} {used|built in}, {directly|at once} or {through|by way of} "
        "others? Give the {fewest|least} levels {between|down}, 1 for direct use, by code: {path} "
        "{header}.",
        "{All|The} assemblies {above|that depend on} {common} and how many levels {up|above it} "
        "they {are|stand} at least, {a direct use|direct} being 1, by code, {to|in} {path} "
        "{header}.",
        "{Trace|Follow} {common} upwards: {path} {header} {lists|names} by code {what|everything} "
        "it ends up in, {and|with} the shortest {way|distance} in levels, {beginning|from} at 1.",
        "If {common} {fails|is recalled}, what {is affected|is hit}? {path} {header}, by code, "
        "{with|and} the {smallest|fewest} levels from each down to it; direct use {is|counts} 1.",
        "{path} {header} {is for|names} {all|the} parts {with|that have} {common} somewhere "
        "inside, by code; {the|its} level is 1 {where|if} it is {a direct|an immediate} part "
        "and the {least|smallest} there is {otherwise|elsewhere}.",
    ),
    "costs": (
        "{path} {header}: the full cost {of|for} {every|each} product ({contains something|has "
        "parts} and is in {nothing|no other}), own cost {plus|and} all it takes, dearest first.",
        "{Roll up|Add up} the costs {through|over} all levels for {every|each} top part, one that "
        "has parts and {goes|is built} into none, {the|} dearest {on top|first}: {path} {header}.",
        "{Top|Final} products, {those|the ones} with parts that {nobody|nothing} uses {further|"
        "again}, and their {whole|full} cost, their own {included|too}, dearest first, {in|to} "
        "{path} {header}.",
        "What {does|will} {each|every} product (with parts, {itself|but} in no other) cost {all|"
        "in} in? Own cost and everything below, {from|the} dearest down: {path} {header}.",
        "{path} {header} {ranks|sorts} products, {parts|items} {with|having} parts that are used "
        "nowhere, by full cost {from|with} the dearest: their own {plus|and} that of what they "
        "take.",
        "{Give|Report} the {complete|full} cost, own and {of all levels|all the way down}, of "
        "{whatever|what} has parts but {is|goes} in no {other|assembly}: {path} {header}, "
        "dearest first.",
    ),
    "lead": (
        "{path} {header}: {days|the days} until a product (has parts, {is|goes} in no other) is "
        "ready {if|when} its parts are made {side by side|in parallel} first, by product.",
        "How long {does|will} each top product take: {own|its own} time {after|on top of} that of "
        "its slowest part, {and so on|likewise} down; by product {in|to} {path} {header}.",
        "{Lead|Delivery} times of products, {parts|those} used in nothing that have parts: "
        "{longest|the longest} chain of own times, top included, {by product|sorted by product}, "
        "{path} {header}.",
        "{For|Of} {every|each} product with parts and {no|without} use elsewhere, {sum|add} own "
        "times along the {slowest|longest} branch: {path} {header}, by product.",
        "{path} {header}, by product: all parts of an assembly {start|begin} at once, it {starts|"
        "follows} when the last is done. {When|After how many days} is each top product done?",
        "{Work|Parts} {on|of} one assembly {go|run} in parallel, then {comes|follows} its own "
        "time. {Report|List} the days {of|for} products that are in {nothing|no other}: {path} "
        "{header}, by product.",
    ),
    "unused": (
        "{path} {header}: the parts {in|that stand in} {some|any} row of uses, {either|on any} "
        "side, but in none {valid|in force} that day, by code; the {word|line} {none} if there is "
        "no such part.",
        "{Which|What} parts {stand|appear} only in {rows|uses} not {valid|in force} that day? "
        "{path} {header}, by code, or {none} {if|where} there {are|is} none.",
        "{Retired|Dropped} parts, {known to|named in} uses but in no {valid|current} one, {go|"
        "belong} by code in {path} {header}, {and|with} {none} alone {for|if} an empty list.",
        "{path} {header} {is|holds} by code {what|whatever} {expired|outdated} or future uses "
        "mention and {current|valid} ones do not; {write|put} {none} {if|when} nothing is left.",
        "{List|Collect} {the|all} parts that {only|just} invalid uses name, {parent|above} or "
        "child, by code, {in|to} {path} {header}; a {single|lone} {none} {stands|is} for nothing.",
        "By code, {parts|codes} that occur among all uses {yet|but} not among {those|the ones} "
        "valid that day: {path} {header}; {if|should} there {be|are} none, {write|say} {none}.",
    ),
}


def clause(id_: str, frames: tuple[str, ...], facts: Mapping[str, str], *, role: Role) -> Clause:
    """Return a clause; questions read well as a list."""
    return Clause(id_, frames, facts=facts, role=role, bullet=id_ in QUESTIONS)
