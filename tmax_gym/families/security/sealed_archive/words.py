"""What the sealed archive's instruction says, apart from how its media are coded."""

from __future__ import annotations

from collections.abc import Mapping

from tmax_gym.families.security.sealed_archive.media import say_void
from tmax_gym.texts.clauses import Clause

CIPHER = "`openssl enc -aes-256-cbc -pbkdf2 -md sha256`"


def say(
    *, facts: Mapping[str, str], noun: str, coding: tuple[Clause, ...], void: bool
) -> tuple[Clause, ...]:
    """Return the clauses; `facts` names paths, the key and the fields, "" where there is none."""
    many = bool(facts["layers"])
    clauses = [_goal(facts), (_media if many else _medium)(facts, noun), *coding]
    if many:
        clauses.append(_seals(facts, noun))
    if void:
        clauses.append(say_void(noun))
    return (*clauses, _row(facts))


def _goal(facts: Mapping[str, str]) -> Clause:
    return Clause(
        "goal",
        (
            "{Unseal|Open|Unlock} {container} and {write|save} what is asked for {to|in} {target}.",
            "{container} is sealed and nobody {here|on the team} remembers how; "
            "{get|put} {the fields named below|the wanted fields} into {target}.",
            "We {need|are after|want} {a few|some} fields of the table inside "
            "{container}, {written to|in|saved in} {target}.",
            "{target} should hold {some|a few} fields of a table that is "
            "{locked|sealed} in {container}.",
            "{Get|Break} into {container}, {which is|a file that was} sealed, and "
            "{leave|store} what {we ask for|is wanted} in {target}.",
            "{Somebody|Someone} {has|must have} locked {container}; {recover|fetch} "
            "the fields {we need|asked for} from it into {target}.",
            "{There is|We have} a table {under seal|locked away} in {container}, {of "
            "which|and} some fields {belong|go} in {target}.",
        ),
        facts={"container": facts["container"], "target": facts["target"]},
        role="goal",
        brief="Unseal {container} and write {target}.",
    )


def _medium(facts: Mapping[str, str], noun: str) -> Clause:
    return Clause(
        "medium",
        (
            f"It is {{encrypted|sealed}} with {{cipher}} ({{rounds}} iterations), and "
            f"the passphrase is {{kept|found}} only {{on|in}} one {noun}, {{source}}.",
            f"The {{cipher used|seal}} is {{cipher}} with {{rounds}} iterations; "
            f"{{one {noun}|a single {noun}}}, {{source}}, has the passphrase.",
            f"{{cipher}} {{made|was used for}} the seal, {{at|with}} {{rounds}} "
            f"iterations, and {{only|nothing but}} the {noun} {{source}} "
            f"{{keeps|has}} the passphrase.",
            f"{{Find|Look for}} the passphrase {{on|in}} the {noun} {{source}}; the "
            f"{{cipher|seal}} is {{cipher}}, {{iterated|with iterations:}} {{rounds}}.",
            f"{{The passphrase survives|We have the passphrase}} on one {noun} alone "
            f"({{source}}); {{sealing was|it was sealed}} by {{cipher}} with "
            f"{{rounds}} {{iterations|rounds of iteration}}.",
            f"{{With|Given}} the passphrase of the {noun} {{source}}, {{cipher}} "
            f"{{undoes|opens}} the seal; it {{takes|has}} {{rounds}} iterations.",
        ),
        facts={"cipher": CIPHER, "rounds": facts["rounds"], "source": facts["source"]},
        role="input",
        brief="It is sealed with {cipher}, {rounds} iterations; the passphrase is in {source}.",
    )


def _media(facts: Mapping[str, str], noun: str) -> Clause:
    return Clause(
        "media",
        (
            f"The passphrases are {{kept|found}} only on the {noun}s in {{source}}: "
            f"the first {{width}} characters of each are {{its number|the number of "
            f"the {noun}}}, the rest {{is|being}} a passphrase.",
            f"{{Each|Every}} {noun} in {{source}} {{holds|carries}} {{width}} digits, "
            f"its number, and {{then|behind them}} a passphrase; {{nothing else|no "
            f"other copy}} survives.",
            f"{{Passphrases|All passphrases}} {{stand|are}} on the {noun}s "
            f"{{source}}, {{each|every one}} behind {{the|a}} {{width}} digit number "
            f"{{of the|that names the}} {noun}.",
            f"{{A|Any}} {noun} ({{source}}) {{begins|starts}} with {{its number, of|a "
            f"number of}} {{width}} digits; {{what remains|all that remains}} is a "
            f"passphrase{{| in full}}.",
            f"{{What is on|The text of}} a {noun} in {{source}} {{consists of|is}} "
            f"{{width}} digits that number {{it|the {noun}}}, {{and a|then a}} "
            "passphrase.",
            f"{{Number|The number}} first ({{width}} digits), {{passphrase|then the "
            f"passphrase}} {{next|after it}}: that is {{how|what}} the {noun}s in "
            f"{{source}} {{are laid out|hold}}.",
        ),
        facts={"source": facts["source"], "width": "4"},
        role="input",
        brief=f"A {noun} in {{source}} holds {{width}} digits, its number, then a passphrase.",
    )


def _seals(facts: Mapping[str, str], noun: str) -> Clause:
    return Clause(
        "seals",
        (
            f"{{layers}} lists the seals from the {{outermost|outside}} inwards, each "
            f"{{made with|by}} {{cipher}}: which {noun} {{opens it|it needs}} and "
            f"{{its|the}} number of iterations.",
            f"A seal is one {{run|round}} of {{cipher}}; {{layers}} {{names|gives}} "
            f"the {noun} and the iteration count of every seal, "
            f"{{beginning|starting}} with the outermost one.",
            f"{{From the outside in|Outermost first}}, {{layers}} {{tells|says}} "
            f"{{for|of}} every seal {{which|what}} {noun} {{it takes|opens it}} and "
            f"{{how many|the number of}} iterations; {{all are|each is}} {{cipher}}.",
            f"{{Seal by seal|Seal after seal}}, {{layers}} {{has|names}} the {noun} "
            f"and the {{iterations|iteration count}}, {{the outermost seal|the "
            f"outside}} first; {{cipher}} {{was used|is the cipher}} {{throughout|for "
            f"all of them}}.",
            f"{{cipher}} {{made every|is behind each}} seal, with the iterations and "
            f"the {noun} {{that|which}} {{layers}} {{lists|gives}} for it, "
            f"{{from|going from}} the outermost {{one|seal}} {{inwards|to the "
            f"innermost}}.",
            f"{{Consult|See}} {{layers}} for the order of {{the seals|seals}} "
            f"({{outermost first|from the outside in}}), the {noun} {{of|for}} each "
            f"and {{its|the}} iterations; {{the cipher|a seal}} is {{cipher}}.",
        ),
        facts={"layers": facts["layers"], "cipher": CIPHER},
        role="input",
        brief=f"{{layers}} lists seals ({{cipher}}) from the outside in, with {noun} and "
        f"iterations.",
    )


def _row(facts: Mapping[str, str]) -> Clause:
    chosen = {"wanted": f"code `{facts['key']}`" if facts["key"] else "the largest `amount`"}
    named = {"passphrase": "`passphrase`", "fields": facts["fields"]}
    return Clause(
        "row",
        (
            "Inside is a {comma-separated|CSV} table. {Write|Produce} {one|a single} "
            "JSON object of strings: {passphrase}, the one {of|that opened} the "
            "innermost {seal|layer}, and {fields} {of|from} the row with {wanted}.",
            "The innermost content is a {CSV|comma-separated} table. {The result "
            "is|We expect} {a|one} JSON object with {passphrase} ({the innermost "
            "seal's|that of the innermost seal}) {and,|plus,} {of|from} its row with "
            "{wanted}, {fields}, all {of them|as} strings.",
            "{Behind|Under} the last seal {lies|is} a {CSV|comma-separated} table. "
            "{Collect|Gather} {fields} of {its row|the row} with {wanted}, and the "
            "{last|innermost} passphrase as {passphrase}, in {one|a} JSON object "
            "{of|whose values are} strings.",
            "{All|Everything} opened, {you have|there is} a table {as CSV|with "
            "commas}: {take|copy} {fields} {from|of} the row with {wanted}, {add|and "
            "add} the {innermost|last} passphrase {under|as} {passphrase}, {and "
            "make|making} it {one|a single} JSON object of strings.",
            "{As|In} JSON, {one|a single} object {of|with} strings{ only|}: {fields} "
            "{out of|from} the row with {wanted} in the {CSV|comma-separated} table "
            "{at the core|inside}, {and|then} {passphrase} for the passphrase {of "
            "the innermost seal|that opened the innermost seal}.",
            "{The deliverable|What we want} is a JSON object of strings. {Its|The} "
            "{passphrase} is {that|the one} of the innermost seal; {fields} "
            "{come|are taken} from the row with {wanted} of the "
            "{CSV|comma-separated} table {inside|it sealed}.",
        ),
        facts={**chosen, **named},
        role="format",
        brief="Write a JSON object of strings: {passphrase} (innermost seal) and {fields} of the "
        "row with {wanted} of the CSV table inside.",
    )
