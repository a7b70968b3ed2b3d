"""Records of the log-stitcher family: their texts, and their layouts over several lines.

Covers the encodings with phrases that fit them, five layouts of multi-line records, and the
bytes of a log.  Does not cover edits: see `edits.py`.
"""

from __future__ import annotations

import codecs
from collections.abc import Sequence
from dataclasses import dataclass

from tmax_gym.rng import Rng
from tmax_gym.texts.skins import Skin

WESTERN = (
    "Kühlung überhitzt", "pression à vérifier", "válvula atascada", "forsinket på grunn av tåke",
    "Größe überschritten", "contrôle terminé", "señal perdida", "låsen är öppen",
)  # fmt: skip
QUOTED = ("Türe “Süd” offen", "relais « nord » muet – à revoir", "pris over 40 €")
CENTRAL = (
    "zásobník prázdný", "błąd odczytu", "příliš žhavé", "túl magas hőmérséklet",
    "połączenie zerwane", "měření přerušeno", "šifra neplatná", "zła wartość",
)  # fmt: skip
CYRILLIC = (
    "датчик не отвечает", "перегрев насоса", "связь потеряна", "журнал повреждён", "клапан закрыт",
    "низкое давление", "нет питания", "ошибка чтения",
)  # fmt: skip
GREEK = (
    "βλάβη αντλίας", "χαμηλή πίεση", "θύρα ανοικτή", "χωρίς ρεύμα", "σφάλμα ανάγνωσης",
    "υψηλή θερμοκρασία",
)  # fmt: skip
JAPANESE = (
    "表示エラー", "ソケット切断", "温度が高い", "予備電源", "能力不足", "時刻表", "十分な余裕",
    "貼り付け不可能",
)  # fmt: skip
ENCODINGS: dict[str, tuple[str, ...]] = {
    "ISO-8859-1": WESTERN,
    "WINDOWS-1252": WESTERN + QUOTED,
    "IBM850": WESTERN,
    "ISO-8859-2": CENTRAL,
    "WINDOWS-1250": CENTRAL,
    "KOI8-R": CYRILLIC,
    "WINDOWS-1251": CYRILLIC,
    "ISO-8859-7": GREEK,
    "CP932": JAPANESE,
    "EUC-JP": JAPANESE,
    "UTF-16": WESTERN + CYRILLIC + JAPANESE,
    "UTF-8": QUOTED + CENTRAL + GREEK,
}
"""Encodings that both `iconv` and Python know by these names, with phrases that they can hold."""
LEVELS = ("INFO", "NOTE", "WARN", "ERROR")
KINDS: dict[str, str] = {
    "stamped": "A line that begins with a stamp is the first line of a record. Every other line "
    "belongs to the record above it.",
    "indented": "A line that begins with a blank or a tab belongs to the record above it. Every "
    "other line is the first line of a record.",
    "slashed": "If a line ends in a backslash, the record continues on the next line. The "
    "backslash is not part of the text.",
    "counted": "The first line of a record ends in a blank, a plus sign and a number. The number "
    "says how many of the lines after it belong to the record, no matter what they look like. The "
    "blank, the plus sign and the number are not part of the text.",
    "framed": "The lines of a record are those between a line `<<` and the next line `>>`. Lines "
    "outside such a frame do not belong to any record.",
}
"""The description of each layout in the guide."""


@dataclass(frozen=True, slots=True)
class Record:
    """One record, as it is meant."""

    stamp: str
    level: str
    pieces: tuple[str, ...]
    """The text of its lines; the first one stands behind stamp and level."""


@dataclass(frozen=True, slots=True)
class Source:
    """One log."""

    name: str
    """The file name."""
    encoding: str
    kind: str
    records: tuple[Record, ...]
    data: bytes


def record(rng: Rng, skin: Skin, *, phrases: Sequence[str], second: int) -> Record:
    """Return a record of one to five lines."""
    day, rest = divmod(second, 86_400)
    clock = f"{rest // 3600:02d}:{rest // 60 % 60:02d}:{rest % 60:02d}"
    ident = f"id={rng.integer(100, 999_999)}"
    events = [event for event in skin.events if event.isascii()]
    head = rng.choice((
        f"{rng.choice(phrases)}, {ident}",
        f"unit {rng.integer(1, 40)}: {rng.choice(phrases)}",
        f"{rng.choice(phrases)} ({ident}) unit {rng.integer(1, 40)}",
        f"heartbeat {ident}",
        f"{rng.choice(events)}: {rng.choice(phrases)} {ident}",
    ))  # fmt: skip
    more = [
        f"at {rng.choice(STEMS)}.{rng.choice(STEMS)}:{rng.integer(3, 900)}",
        f"cause: {rng.choice(events)} (unit {rng.integer(1, 40)}) {rng.choice(phrases)}",
        f"{rng.choice(skin.codes)}-{rng.integer(1, 9999):04d} retry {rng.integer(1, 9)}",
        f"# {rng.choice(phrases)}",
        f"at {rng.choice(STEMS)} ({ident}) retry {rng.integer(2, 12)}",
    ]
    rest_of = rng.sample(more, rng.weighted((0, 1, 2, 3, 4), (3, 3, 3, 2, 1)))
    stamp = f"2026-{3 + day // 28:02d}-{1 + day % 28:02d} {clock}"
    return Record(stamp, rng.choice(LEVELS), (head, *rest_of))


STEMS = ("intake", "queue", "relay", "writer", "meter", "poll", "cache", "frame")


def source(rng: Rng, name: str, *, encoding: str, kind: str, records: Sequence[Record]) -> Source:
    """Return a log with these records, and with other lines if the layout has any."""
    lines: list[str] = []
    if kind in ("stamped", "indented") and rng.chance(0.5):
        indent = "  " if kind == "indented" else ""
        lines.append(f"{indent}left over of a file that was turned")
    for number, one in enumerate(records):
        lines += _laid_out(rng.fork("layout", number), one, kind)
    end = "\r\n" if rng.chance(0.4) else "\n"
    body = "".join(line + end for line in lines)
    return Source(name, encoding, kind, tuple(records), _encoded(rng, body, encoding))


def _encoded(rng: Rng, body: str, encoding: str) -> bytes:
    if encoding == "UTF-8":
        return (codecs.BOM_UTF8 if rng.chance(0.7) else b"") + body.encode()
    if encoding == "UTF-16":
        little = rng.chance(0.5)
        mark = codecs.BOM_UTF16_LE if little else codecs.BOM_UTF16_BE
        return mark + body.encode("utf-16-le" if little else "utf-16-be")
    return body.encode(encoding)


def _laid_out(rng: Rng, one: Record, kind: str) -> list[str]:
    first, *more = one.pieces
    head = f"{one.stamp} {one.level} {first}"
    if kind == "indented":
        return [head, *(rng.choice(("  ", "\t", "    ")) + piece for piece in more)]
    if kind == "slashed":
        lines = [head, *more]
        return [f"{line}{rng.choice((' ', ''))}\\" for line in lines[:-1]] + [lines[-1]]
    if kind == "counted":
        return [f"{head} +{len(more)}", *(rng.choice(("", "  ")) + piece for piece in more)]
    if kind == "framed":
        noise = [f"{one.stamp} INFO rotated"] if rng.chance(0.3) else []
        return [*noise, "<<", head, *more, ">>"]
    blank = [""] if more and rng.chance(0.3) else []
    return [head, *blank, *(rng.choice(("", "  ")) + piece for piece in more)]
