"""What the sealed archive's instruction says, apart from how its media are coded."""

from __future__ import annotations

from collections.abc import Mapping

from tmax_gym.families.security._sealed_media import say_void
from tmax_gym.words.clauses import Clause

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
            "{Unseal|Open} {container} and {write|save} what is asked for {to|in} {target}.",
            "{container} is sealed and nobody {here|on the team} remembers how; {get|put} "
            "{the fields named below|the wanted fields} into {target}.",
            "We {need|are after} a few fields of the table inside {container}, {written to|in} "
            "{target}.",
            "{target} should hold {some|a few} fields of a table that is locked in {container}.",
        ),
        facts={"container": facts["container"], "target": facts["target"]},
        role="goal",
        brief="Unseal {container} and write {target}.",
    )


def _medium(facts: Mapping[str, str], noun: str) -> Clause:
    return Clause(
        "medium",
        (
            f"It is {{encrypted|sealed}} with {{cipher}} ({{rounds}} iterations), and the "
            f"passphrase is {{kept|found}} only {{on|in}} one {noun}, {{source}}.",
            f"The {{cipher used|seal}} is {{cipher}} with {{rounds}} iterations; {{one {noun}|a "
            f"single {noun}}}, {{source}}, has the passphrase.",
        ),
        facts={"cipher": CIPHER, "rounds": facts["rounds"], "source": facts["source"]},
        role="input",
        brief="It is sealed with {cipher}, {rounds} iterations; the passphrase is in {source}.",
    )


def _media(facts: Mapping[str, str], noun: str) -> Clause:
    return Clause(
        "media",
        (
            f"The passphrases are {{kept|found}} only on the {noun}s in {{source}}: the first "
            f"{{width}} characters of each are {{its number|the number of the {noun}}}, the rest "
            f"is a passphrase.",
            f"{{Each|Every}} {noun} in {{source}} holds {{width}} digits, its number, and "
            f"{{then|behind them}} a passphrase; {{nothing else|no other copy}} survives.",
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
            f"A seal is one {{run|round}} of {{cipher}}; {{layers}} names the {noun} and the "
            f"iteration count of every seal, {{beginning|starting}} with the outermost one.",
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
            "Inside is a {comma-separated|CSV} table. {Write|Produce} {one|a single} JSON object "
            "of strings: {passphrase}, the one {of|that opened} the innermost {seal|layer}, and "
            "{fields} {of|from} the row with {wanted}.",
            "The innermost content is a {CSV|comma-separated} table. {The result is|We expect} "
            "{a|one} JSON object with {passphrase} ({the innermost seal's|that of the innermost "
            "seal}) {and,|plus,} {of|from} its row with {wanted}, {fields}, all {of them|as} "
            "strings.",
            "{Behind|Under} the last seal {lies|is} a {CSV|comma-separated} table. {Collect|"
            "Gather} {fields} of {its row|the row} with {wanted}, and the {last|innermost} "
            "passphrase as {passphrase}, in {one|a} JSON object {of|whose values are} strings.",
        ),
        facts={**chosen, **named},
        role="format",
        brief="Write a JSON object of strings: {passphrase} (innermost seal) and {fields} of the "
        "row with {wanted} of the CSV table inside.",
    )
