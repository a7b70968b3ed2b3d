"""Words of the schema-etl family."""

from __future__ import annotations

from tmax_gym.texts.clauses import Clause

ORDERS = ("code", "place", "parts")
ITEMS = ("code", "number", "sku", "quantity")


def short(source: str, target: str) -> tuple[Clause, ...]:
    """Return the task of two fields."""
    return (
        Clause(
            "goal",
            (
                "{From|Out of} every record of {source} {write|print} {id} and {site}, a comma "
                "between, {in the same order|order kept}, to {target}, {no|without a} header.",
                "{source} has a JSON object a line. {Put|Store} {id} and {site} of each{, "
                "comma-separated,|, with a comma between,} {in|into} {target}; {it has no|there is "
                "no|leave out a} header.",
                "{target} should {hold|list} {id}, a comma and {site} for {each|every} line of "
                "{source}{, in sequence|, in the order given}, {with no|without a} header.",
                "{Reduce|Cut down} the JSON lines in {source} to {id} and {site}: {target}, "
                "{comma-separated|with a comma}, {no header|without a header}.",
                "{Take|Pick} {id} and {site} from {all|the} records in {source} (JSON lines) "
                "and {save|list} them as {target}, {a comma apart|comma in between}, {with no|"
                "without a} {header|heading}.",
                "{Extract|Pull} two fields, {id} and {site}, from {source} to {target}: one "
                "line {a record|per record}, {split by|with} a comma, and no {header|heading}.",
            ),
            facts={"source": source, "target": target, "id": "`id`", "site": "`site`"},
            role="goal",
            brief=(
                "Write {id},{site} of each JSON line of {source} to {target}, {no header|without "
                "a header}."
            ),
        ),
    )


def whole(folder: str, orders: str, items: str) -> tuple[Clause, ...]:
    """Return the task of two tables."""
    return (
        Clause(
            "goal",
            (
                "{Load|Convert} the exports in {folder} (JSON lines, one file a day) into two "
                "{tables|CSV tables}, {orders} and {items}.",
                "{Split|Take apart} the nested records of {folder} into {orders} and {items}, "
                "{file by file|one file after the other}, in the order of their names.",
                "The warehouse {wants|takes} flat tables, {but|while} {folder} holds nested "
                "JSON lines: {make|produce} {orders} and {items}{ from them|}.",
                "{orders} and {items} are to be {filled|built} from all files {in|of} "
                "{folder}, {by file name|in the order of file names}.",
                "{Normalise|Flatten} {folder}: a row {in|of} {orders} per record and {one|a "
                "row} in {items} per part, files {by name|in name order}.",
                "From the daily {exports|dumps} in {folder}{, JSON a line,|, JSON lines,} "
                "{derive|make} the tables {orders} and {items}.",
            ),
            facts={"folder": folder, "orders": orders, "items": items},
            role="goal",
            brief="Convert the JSON lines in {folder}, by file name, into {orders} and {items}.",
        ),
        Clause(
            "forms",
            (
                "Records {come|occur} in two forms, {old} and {new}; the {fields|fields in "
                "them} {correspond|mean the same} {one by one|in turn}. {Any|Each} of them but "
                "the code may be missing.",
                "{Two|Both} forms {occur|are mixed}: {old}, and {since the update|newer} "
                "{new}, with the same {meaning|content}; {only|just} the code is always there.",
                "{Expect|You will meet} {old} as well as {new}: {key and id|id and key}, where "
                "and site, rows and lines {are|mean} the same. {Absent|Missing} fields {are "
                "possible|happen}.",
                "{Half|Some} of the records {look like|are} {old}, the {others|rest} {new}; "
                "{read|treat} where as site and rows as lines. {Fields|Some fields} may "
                "{lack|be absent}.",
                "{Old and new|Both versions} stand {side by side|together}: {old}, {new}. "
                "{Nothing|No field} except the code {is guaranteed|must be there}.",
                "The {vendor|sender} changed {old} into {new} {one day|at some point}; both "
                "{remain|must be read}, {optional|possibly missing} fields included.",
            ),
            facts={
                "old": "`id, site, lines`",
                "new": "`key, body.where, body.rows`",
            },
            role="input",
            brief="Records are {old} or {new}; all but the code may be missing.",
        ),
        Clause(
            "orders",
            (
                "{first} {begins|starts} with {header}: code, place ({unknown} {if|where} "
                "missing) and {the number|how many} of parts, {records|rows} in order.",
                "{In|Into} {first} {goes|comes} {header}, a line a record{, in their order|}: "
                "{a missing|without a} place {is|becomes} {unknown}, no parts {count|means} 0.",
                "{Header|The header} of {first} is {header}; {fill|write} {unknown} for a "
                "place that {is not given|is missing} and {count|give the count of} the parts.",
                "{For|In} {first}: {header}, then {per|for each} record its code, its place or "
                "{unknown}, {the count|number} of its parts.",
                "{first}, {headed|under} {header}, {keeps|has} the order of the records; "
                "{places|a place} {left out|missing} {read|reads} {unknown}.",
                "{Every|Each} record is a line of {first} ({header}), {where|in which} "
                "{unknown} stands for {no place|a missing place}{ and 0 for no parts|, 0 for "
                "no parts}.",
            ),
            facts={
                "first": "`orders.csv`",
                "header": f"`{','.join(ORDERS)}`",
                "unknown": "`unknown`",
            },
            role="format",
            brief="{first} has {header}, place {unknown} if missing, the number of parts.",
        ),
        Clause(
            "items",
            (
                "{second} {begins|starts} with {header}: the code, the part's number "
                "{from|counted from} 1, {its|the} sku and {qty}, which is 1 {if|where} absent.",
                "{Rows|Lines} of {second} ({header}) are parts {in order|as they come}, "
                "numbered from 1 {in|within} each record, {qty} {defaulting|falls back} to 1.",
                "{Under|Below} {header}, {second} {lists|has} {every|each} part with its "
                "position {from 1|(the first is 1)}; {without|lacking} {qty} the quantity is 1.",
                "{For|In} {second}: {header}, one line a part{ in order|, in order}, "
                "{positions|numbers} {start|starting} at 1, {missing|an absent} {qty} "
                "{means|is} 1.",
                "{Parts|The parts} go to {second} with {header}; {number|count} them from 1 "
                "{per|in each} record and {take|assume} 1 where {qty} is {missing|left out}.",
                "{second}, {header} {on top|first}: {a part|each part} with the code of its "
                "record, its {number|place} from 1, sku, {qty} {or|else} 1.",
            ),
            facts={
                "second": "`items.csv`",
                "header": f"`{','.join(ITEMS)}`",
                "qty": "`qty`",
            },
            role="format",
            brief="{second} has {header}: parts numbered from 1 in each record, {qty} or 1.",
        ),
    )
