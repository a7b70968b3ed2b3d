"""The questions of the bill-of-materials family, each a clause with the path of its answer."""

from __future__ import annotations

from collections.abc import Mapping

_BARE = (
    "bought parts (nothing {goes into|is in} them)|parts without {parts of their own|components}"
    "|parts that {contain|take} no others|bare parts ({made of|containing} no other)"
    "|parts at the bottom ({nothing|none} inside them)|{lowest|elementary} parts (made of none)"
)
_ONE = "{{in|inside} one|{needed |}for {one|a single}} {product}"
_SUM = (
    "{added up|summed} {over|across} all levels|{with|and} quantities {multiplied|carried} down "
    "every level|counted {through|over} the whole {tree|structure}|{with|and} the total {number|"
    "quantity} of each|{in|with} the number it takes over all {branches|levels}"
)

QUESTIONS: Mapping[str, tuple[str, ...]] = {
    "exploded": (
        f"{{path}} {{header}}: {{{_BARE}}} {_ONE}, {{{_SUM}}}, by part.",
        f"{{For|To build|To make}} one {{product}}, {{which|what}} {{{_BARE}}} {{are needed|does "
        "it "
        f"take}}, {{{_SUM}}}? By part, {{in|to}} {{path}} {{header}}.",
        f"{{path}} {{header}} {{lists|has|gives}} by part the {{{_BARE}}} {_ONE}, {{{_SUM}}}.",
        f"{{Explode|Expand|Take apart}} one {{product}} {{into|down to}} the {{{_BARE}}}, "
        f"{{{_SUM}}}: {{path}} {{header}}, {{sorted|ordered}} by part.",
        f"{{Numbers|The quantities}}{{, {{added up|summed}} over all levels,|, multiplied {{down|"
        f"through}} the levels,}} of {{all|the}} {{{_BARE}}} {_ONE} {{belong|go}} in {{path}} "
        f"{{header}}, {{by|sorted by}} part.",
        f"{{Into|In}} {{path}} {{header}}{{, by part,|}} {{go|belong}} {{the|all}} {{{_BARE}}} "
        f"{_ONE}, "
        f"{{{_SUM}}}{{; sort|, sorted}} by part.",
    ),
    "where_used": (
        "{path} {header}: {every|each} part that {contains|includes} {common}, {however|no matter "
        "how} deep, with the {fewest|smallest number of} levels {down to it|in between} (1 if "
        "{directly|it is used directly}), by code.",
        "{Where|In what} is {common} {used|built in}, {directly|at once} or {through|by way of} "
        "others? {Give|Note} the {fewest|least} levels {from there|down}, {with 1|1} for direct "
        "use, by code: {path} {header}.",
        "{All|The} assemblies {above|that depend on|that need} {common} and how many levels {up|"
        "above it} they {are|stand} at least, {a direct use|direct} being 1, by code, {to|in} "
        "{path} {header}.",
        "{Trace|Follow} {common} upwards: {path} {header} {lists|names} by code {what|everything} "
        "it ends up in, {and|with} the shortest {way|distance} {in|counted in} levels, {beginning|"
        "from} at 1.",
        "If {common} {fails|is recalled|runs out}, what {is affected|is hit|suffers}? {path} "
        "{header}, by code, {with|and} the {smallest|fewest} levels from each down to it; {direct "
        "use|a direct one} {is|counts} 1.",
        "{path} {header} {is for|names|collects} {all|the} parts {with|that have} {common} "
        "{somewhere inside|at any depth}, by code; {the|its} level is 1 {where|if} it is {a "
        "direct|an immediate} part and the {least|smallest} there is {otherwise|elsewhere}.",
        "{Which|What} codes {rest|depend} on {common}, {and|and at} how {near|close}? {path} "
        "{header} {takes|gets} them {in order|by code} with the {shortest|smallest} number of "
        "steps {down|to it}, {an immediate|a direct} use {being|as} 1.",
        "{Everything|Whatever} {built|made} with {common}, {itself or|directly or} by {other "
        "parts|parts in between}, {belongs|goes} in {path} {header} by code; level 1 is {direct|"
        "immediate}, and {of several ways|if ways differ} the shortest counts.",
        "By code, {list|enter} {in|into} {path} {header} {who|what} {uses|takes} {common}: level 1 "
        "{uses it at first hand|directly}, level 2 {one step|a level} {removed|away}, and so on, "
        "the {lowest|smallest} {if|where} {there are two|several fit}.",
    ),
    "costs": (
        "{path} {header}: the full cost {of|for} {every|each} product ({contains something|has "
        "parts} and is in {nothing|no other}), own cost {plus|and} all it takes, {the |}dearest "
        "first.",
        "{Roll up|Add up} {the costs|costs} {through|over} all levels for {every|each} top part, "
        "one that has parts and {goes|is built} into none, {the|} dearest {on top|first}: {path} "
        "{header}.",
        "{Top|Final|Finished} products, {those|the ones} with parts that {nobody|nothing} uses "
        "{further|again}, and their {whole|full} cost, their own {included|too}, dearest first, "
        "{in|to} {path} {header}.",
        "What {does|will} {each|every} product (with parts, {itself|but} in no other) cost {all "
        "in all|in all}? Own cost and {everything|all that is} {inside|below}, {from|the} dearest "
        "down: {path} {header}.",
        "{path} {header} {ranks|sorts|orders} products, {parts|items} {with|having} parts that are "
        "{used|built in} nowhere, by full cost {from|with} the dearest: their own {plus|and} that "
        "of what they take.",
        "{Give|Report|State} the {complete|full} cost, own and {of all levels|all the way down}, "
        "of {whatever|what} has parts but {is|goes} in no {other|assembly}: {path} {header}, "
        "dearest first.",
        "{Dearest|The dearest} {first|on top}, {path} {header} {has|shows} what a product costs "
        "{together with|including} all that {is in it|it takes}; {products|these} {contain|have} "
        "parts and are {part of|in} nothing.",
        "{Sum|Total} {own|the own} costs {times|by} quantities {down|through} the whole tree of "
        "each product, its own {too|as well}, {to|into} {path} {header}, {falling|dearest first}; "
        "a product {has|is made of} parts and goes {nowhere|into none}.",
        "{How|So how} much {is|costs} {each|every} {root|top part} of the structure (parts in it, "
        "itself in none), {with|and} everything {inside|in it}? {path} {header}, {high to low|"
        "dearest first}.",
    ),
    "lead": (
        "{path} {header}: {days|the days} until a product (has parts, {is|goes} in no other) is "
        "ready {if|when} its parts are made {side by side|in parallel} first, by product.",
        "How long {does|will} each top product take: {own|its own} time {after|on top of} that of "
        "its slowest part, {and so on|likewise} down; by product {in|to} {path} {header}.",
        "{Lead|Delivery} times of products, {parts|those} used in nothing that have parts: "
        "{longest|the longest} chain of own times, {top|the top} included, {by product|sorted by "
        "product}, {path} {header}.",
        "{For|Of} {every|each} product with parts and {no|without} use elsewhere, {sum|add} own "
        "times along the {slowest|longest} branch: {path} {header}, by product.",
        "{path} {header}, by product: all parts of an assembly {start|begin} at once, it {starts|"
        "follows} when the last is done. {When|After how many days} is each top product {done|"
        "ready}?",
        "{Work|Parts} {on|of} one assembly {go|run} in parallel, then {comes|follows} its own "
        "time. {Report|List|Give} the days {of|for} products that are in {nothing|no other}: "
        "{path} {header}, by product.",
        "{Count|Reckon} the days to {a|each} finished product, {one|that is,} with parts {and|"
        "but} in no assembly: {a part|any part} {waits|has to wait} for the slowest {in|inside} "
        "it, then {adds|takes} its own time; {path} {header}, by product.",
        "{path} {header} {tells|says} by product (top {parts|ones} only, {with|having} parts) how "
        "{long|many days} the {slowest|longest} {path|line} of own times {from it down to|"
        "between it and} {the "
        "bottom|a bare part} {is|takes}.",
        "{Assembly|Building} {begins|starts} once the last part is {there|ready}, parts {being|"
        "are} made {at the same time|side by side}. By {product|top product} (has parts, is in "
        "nothing), {write|put} the days {to|in} {path} {header}.",
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
        "{List|Collect} {the|all} parts that {only|just} invalid uses name, {as parent|above} or "
        "child, by code, {in|to} {path} {header}; a {single|lone} {none} {stands|is} for nothing.",
        "By code, {parts|codes} that occur among all uses {yet|but} not among {those|the ones} "
        "valid that day: {path} {header}; {if|should} there {be|are} none, {write|say} {none}.",
        "{Some|A few} codes {may |}{occur|turn up} in no use {valid|that holds} that day, though "
        "in "
        "{another|some other} row: {path} {header} {has|lists} them by code, or {just|only} "
        "{none}.",
        "{Compare|Hold} all uses {with|against} the valid ones: codes {missing from|not in} the "
        "latter, {parents and children|on either side}, {make up|fill} {path} {header}, {sorted|by "
        "code}; {no code at all|an empty result} is {written|put} as {none}.",
    ),
}
