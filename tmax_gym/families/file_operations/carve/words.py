"""Words and reference scanners of the carve family."""

from __future__ import annotations

from tmax_gym.families.shared.programs import program_sections
from tmax_gym.texts.clauses import Clause

HEADERS = {
    "png": ("offset", "size", "width", "height"),
    "wav": ("offset", "size", "rate", "samples"),
}
SCAN = program_sections(__package__, "scan.py")
_NOUN = {"png": "PNG picture", "wav": "WAV recording"}


def short(kind: str, dump: str, target: str, *, place: tuple[int, int]) -> tuple[Clause, ...]:
    """Return the task of one file at a known place."""
    return (
        Clause(
            "goal",
            (
                "{Cut|Copy} the {noun} out of {dump}: it {starts|begins} at byte {offset} (the "
                "first byte is 0), is {size} bytes long and {goes|belongs} {in|into} {target}.",
                "{dump} {holds|contains} {an:noun} of {size} bytes at offset {offset}{, counted "
                "from 0|}. {Save|Store} it as {target}.",
                "Bytes of {dump} {from|starting at} {offset} {onwards|on}, {size} of them, are "
                "{an:noun}; {they belong in|write them to} {target}.",
                "At {offset} (zero-based) in the {raw dump|dump} {dump} {lies|sits} {an:noun}, "
                "{size} bytes {long|in all}: {extract|recover} it to {target}.",
                "{target} should {become|be} the {noun} that {occupies|fills} {size} bytes of "
                "{dump} {starting at|from} offset {offset}{, the first byte being 0|}.",
                "{Recover|Restore} {target} from {dump}. {It is|We know it is} {an:noun}, {size} "
                "bytes, {at|from} byte offset {offset}{ counted from 0|}.",
            ),
            facts={
                "dump": dump,
                "target": target,
                "offset": str(place[0]),
                "size": str(place[1]),
                "noun": _NOUN[kind],
            },
            role="goal",
            brief="Copy the {noun} ({size} bytes at offset {offset}) of {dump} to {target}.",
        ),
    )


def whole(kind: str, dump: str, folder: str, *, index: str) -> tuple[Clause, ...]:
    """Return the task of a whole dump."""
    noun = _NOUN[kind]
    return (
        Clause(
            "goal",
            (
                "{Carve|Recover} every {intact|undamaged} {noun} {out of|from} the raw dump "
                "{dump} into {folder}.",
                "{dump} is what the {failed|broken} card reader {gave us|left}. {Somewhere "
                "in|In} "
                "it are {noun} files{, some of them damaged|}: put the {sound|intact} ones into "
                "{folder}.",
                "The file system of {dump} is {gone|lost}; {look|search} for {noun} signatures "
                "and {write|save} what is {whole|still intact} to {folder}.",
                "We need all {noun} files that {survived|are intact} in {dump}, each {as a|in a} "
                "file of its own {in|below} {folder}.",
                "{Search|Scan} {dump} byte by byte; {each|every} {sound|valid} {noun} {in it|you "
                "find} {becomes|is to be} a file in {folder}.",
                "{folder} should {hold|contain} {every|each} {noun} that can {still be|be} "
                "recovered {whole|undamaged} from {dump}.",
            ),
            facts={"dump": dump, "folder": folder, "noun": noun},
            role="goal",
            brief="Recover every intact {noun} of {dump} into {folder}.",
        ),
        _sound(kind),
        _names(kind),
        _list(kind, index),
    )


def _sound(kind: str) -> Clause:
    if kind == "png":
        return Clause(
            "sound",
            (
                "{Intact means|A file is intact if} every chunk {has a correct CRC|passes its "
                "CRC}, up to and including {end}{, with which it ends|}.",
                "{Follow|Walk} the chunks from the signature: {all|all of the} CRCs must "
                "{match|be "
                "right}, and {end} {closes|ends} the file.",
                "A {single|single bad} chunk whose CRC is {wrong|off} {spoils|disqualifies} the "
                "file; {a sound one|it} {runs|extends} to the end of {end}.",
                "{Leave out|Skip} files that are {cut off|incomplete} or {have|contain} a chunk "
                "with a {wrong|false} CRC; {a file|each} ends with {end}.",
                "Of the {damaged|broken} ones (a CRC that {fails|does not match}, no {end}) "
                "{nothing|not a byte} is wanted.",
                "{Check|Verify} the CRC of each chunk {before|until} you {trust|reach} {end}: "
                "one "
                "{mismatch|failure} and the picture {is out|does not count}.",
            ),
            facts={"end": "`IEND`"},
            brief="Only files whose chunks all have right CRCs, up to {end}.",
        )
    return Clause(
        "sound",
        (
            "{Intact means|A file is intact if} a {data} chunk {follows|starts} at byte 36 and "
            "{both lengths|the two lengths} agree: the {chunk|data} ends where {riff} says the "
            "file does.",
            "The length after {riff} and {that|the one} of the {data} chunk{, which begins at "
            "byte 36,|, at byte 36,} must {agree|fit} on the end of the file{; else it is "
            "damaged|}.",
            "{Damaged|Broken} ones {lie|are wrong} about a length: {trust a file|a file "
            "counts} only where the "
            "size in {riff} and the {data} chunk at byte 36 {end together|give one end}.",
            "{Leave out|Skip} a file unless its {data} chunk {sits|stands} at byte 36 and "
            "{reaches|runs} exactly to the end {announced|given} by {riff}.",
            "{Compare|Check} the {riff} size {with|against} the {data} chunk (it {starts|is} at "
            "byte 36): {different|two} ends mean damage, {and damaged files|such files} stay "
            "out.",
            "{Both|The} sizes, in the {riff} header and {in|of} the {data} chunk at byte 36, "
            "have "
            "to {lead to|name} the same last byte, or the file {does not count|is damaged}.",
        ),
        facts={"data": "`data`", "riff": "`RIFF`"},
        brief="Only files whose {riff} size agrees with the {data} chunk at byte 36.",
    )


def _names(kind: str) -> Clause:
    return Clause(
        "names",
        (
            "{Name|Call} each file {pattern}: its {byte offset|offset} in the dump (from 0) as "
            "eight {lower-case|small} hexadecimal digits.",
            "File names {follow|are} {pattern}, the offset {in the dump|of the first byte} "
            "counted from 0, in hex, {zero-padded|padded with zeros} to eight digits.",
            "{Build|Make} a name from {where|the place at which} the file {starts|begins}: "
            "{pattern}, zero-based, eight {lower-case|small} hex digits.",
            "{Use|Take} the {zero-based|zero-counted} offset for a name, {in|as} eight "
            "{lower-case|small} hex digits: {pattern}.",
            "{Names|The names} come from the {position|offset}: {pattern}, hex, eight digits"
            "{, small letters|}, the {dump's first byte|first byte of the dump} being 0.",
            "{pattern} is the {naming rule|form of a name}: the {start|offset} {in|within} the "
            "dump, zero-based, as {eight|8} hex digits.",
        ),
        facts={"pattern": f"`<offset>.{kind}`"},
        role="format",
        brief="Names are {pattern}: the zero-based offset in eight hex digits.",
    )


def _list(kind: str, index: str) -> Clause:
    what = "width and height in pixels" if kind == "png" else "sample rate and number of samples"
    return Clause(
        "list",
        (
            "{List|Record} the {files|finds} in {index} under the header {header}: offset "
            "(decimal), {length|size} in bytes, {what}, {by|in order of} offset.",
            "{index} is a CSV with {header} {on top|as its first line} and a line {for each|per} "
            "file: decimal offset, bytes, {what}; {sort by|order by} offset.",
            "{Also write|Write} {index}, {headed|header} {header}, with the {offset in "
            "decimal|decimal offset}, "
            "the size in bytes, {what} of {each|every} file, {lowest offset first|in the order "
            "of the dump}.",
            "An {inventory|index} goes to {index} ({header}){, as CSV|}: {what} {next to|after} "
            "the decimal offset and the size{ in bytes|}, one line a file, {by|sorted by} "
            "offset.",
            "{For|As} an inventory, {index}: CSV, {header}, then {per file|for every file} its "
            "decimal offset, byte count, {what}, {in the order|in order} of their offsets.",
            "{Add|Leave} a CSV {index} that {starts|begins} with {header}; lines {go|run} by "
            "offset and give it in decimal, {then the|with the} byte count, {what}.",
        ),
        facts={"index": index, "header": f"`{','.join(HEADERS[kind])}`", "what": what},
        role="output",
        brief="List them in {index} ({header}), decimal, by offset: size in bytes, {what}.",
    )
