"""Words of the tone-telemetry family."""

from __future__ import annotations

from itertools import permutations

from tmax_gym.texts.clauses import Clause

HEADER = ("number", "station", "value")


WORD = (
    "{recording} {is|holds|contains} {a|one} word {sent|transmitted} {over the air|as tones|by "
    "modem}. {Decode|Demodulate} it and {write|put|save} {it|the word} {in|into} {target}.",
    "{Find out|Read|Work out} {which|what} word was {sent|keyed|transmitted} in {recording}; "
    "{target} {should|is to|must} {hold|contain} {it|just the word}{ and nothing else|}.",
    "{Write|Save|Put} {in|into} {target} the {single|one} word that {recording} {carries|transmits|"
    "has in it}.",
    "A modem {sent|said|keyed} one word, {recorded|taped|kept} {as|in} {recording}. {Leave|Store|"
    "Put} {the text|it} in {target}.",
    "{Decode|Turn|Demodulate} {recording} into text: {the|its} {one|single} word {belongs|goes|is "
    "wanted} in {target}.",
    "{We need|I need|Wanted is} the word {behind|in} the tones of {recording}, {as|in} {plain "
    "text|text}, in {target}.",
    "{target} {should|must|is to} {give|hold} the word {that was|} {sent|transmitted} in "
    "{recording}.",
    "{Listen to|Take} {recording}: {a|one} word was {sent|transmitted} {there|in it}, {which|and "
    "it} {belongs|goes} in {target}.",
)


def word(recording: str, target: str) -> Clause:
    """Return the task of one word."""
    return Clause(
        "goal",
        WORD,
        facts={"recording": recording, "target": target},
        role="goal",
        brief=(
            "{Decode|Demodulate} the {one|single|} word in {recording} {into|to} {target}.",
            "{recording} {holds|carries} {one|a} word: {write|put} it in {target}.",
            "{target}: the word {sent|transmitted} in {recording}.",
        ),
    )


def goal(folder: str, target: str) -> Clause:
    """Return the task of many recordings."""
    return Clause(
        "goal",
        (
            "{Decode|Demodulate} the telemetry {recordings|recorded} in {folder} {into|to} one "
            "table, {target}.",
            "The {receiver|radio} left a WAV file per {pass|contact} in {folder}; {collect|gather} "
            "their records {in|into} {target}.",
            "{target} should {hold|list} every {good|sound} record {transmitted|sent} in the "
            "recordings {below|of} {folder}.",
            "{folder} is a {shift|night} of telemetry as {sound|audio files}. {Make|Produce} "
            "the table {target} {of|from} it.",
            "{Get|Extract} the {records|readings} out of the {tones|WAV files} in {folder}: "
            "the table {is|goes to} {target}.",
            "All we {kept|have} of the telemetry is {audio|sound}, in {folder}. {Turn|Convert} "
            "it into {target}.",
        ),
        facts={"folder": folder, "target": target},
        role="goal",
        brief="Decode the recordings in {folder} into {target}.",
    )


_SHIFT = (
    "{a 0|zero} {sounds|is heard} as {space} Hz, {a 1|one} as {mark} Hz, {which is|and that is} "
    "also {the idle tone|what an idle line gives}",
    "{mark} Hz {means|is|stands for} 1 and {an idle line|idle}, {space} Hz {means|is|stands for} 0",
    "two tones {carry|make} the bits, {space} Hz {a 0|for 0} and {mark} Hz {a 1|for 1}, the "
    "{latter|second} also {sounding while idle|filling the pauses|heard between bytes}",
    "the {line|signal} {rests|idles} at {mark} Hz, {the tone of|which means} a 1; {a 0|zero} is "
    "{space} Hz",
    "{at|with} {space} Hz {a bit|the bit} is 0, {at|with} {mark} Hz {it is 1|1}, {idle|a pause} "
    "{sounding like|being like} 1",
    "{by frequency|as for tones}: {space} Hz is a 0, {mark} Hz a 1 or {no data|an idle line}",
    "frequency-shift {keying|keyed}: {mark} Hz {if|for} 1 or idle, {space} Hz {if|for} 0",
)
"""Which tone is which bit."""
_SPEED = (
    "{the rate|the speed} is {baud} {baud|bits per second|bits a second}",
    "{it runs|the line runs|bits follow} at {baud} {baud|bits per second}",
    "{each|every|a} bit {lasts|takes|is} 1/{baud} {s|of a second|second}",
    "{expect|assume|there are} {baud} {baud|bits per second|bits a second}",
    "{baud} bits {go|fit} {into|in} {a|one} second",
)
"""How fast bits follow."""
_BYTES = (
    "{a|each|every} byte {has|is|takes} {a|one} start bit 0, eight {data |}bits, {lowest|the "
    "lowest} first, {and |}{a|one} stop bit 1; {the text|all of it} is ASCII",
    "{the framing is|bytes are} 8N1 with the {lowest|least significant} bit {first|ahead}, "
    "{characters|text} {in |}ASCII",
    "ASCII {comes|is sent|goes out} {as|in} 8N1 {frames|bytes}, {low|lowest|least} bit first",
    "{text|the text}, in ASCII, {is sent|goes out} {serially|asynchronously}: {a|one} start bit "
    "(0), eight data bits {lowest first|from the lowest up}, no parity, {a|one} stop bit (1)",
    "{in|within} {a frame|each frame}, eight bits of {an|one} ASCII {character|byte}, lowest "
    "first, {stand|lie} between {a|the} start bit 0 and {a|the} stop bit 1",
    "{serial|asynchronous} {format|framing}: 8N1, ASCII, {lowest|least significant} bit "
    "{first|leading}",
)
"""How bits make characters."""


def coding(space: int, mark: int, *, baud: int) -> Clause:
    """Return how bits are sent."""
    frames = []
    for order in permutations((_SHIFT, _SPEED, _BYTES)):
        first, second, third = ("{" + "|".join(part) + "}" for part in order)
        frames += [f"{first}. {second}; {third}.", f"{first}; {second}. {third}."]
    return Clause(
        "coding",
        tuple(frames),
        facts={"space": str(space), "mark": str(mark), "baud": str(baud)},
        role="input",
        brief=(
            "FSK, {space} Hz is 0, {mark} Hz is 1 {and|or} idle, {baud} baud, 8N1, {lowest|low} "
            "bit first, ASCII.",
            "{baud} {baud|bits per second}, 8N1, ASCII, {lowest|least} bit first; 1 {and|or} idle: "
            "{mark} Hz, 0: {space} Hz.",
            "ASCII 8N1 {at|with} {baud} {baud|bits per second}, {lowest|low} bit first, {as|in} "
            "tones: {mark} Hz {idle and|idle or} 1, {space} Hz 0.",
        ),
    )


def records() -> tuple[Clause, ...]:
    """Return the form of a record and of the table."""
    return (
        Clause(
            "record",
            (
                "A record is a line {form}: {sum} is the sum of all bytes before it{, blanks "
                "included|, the blanks too}, modulo 256, in hex. {Drop|Skip} records whose sum "
                "{is wrong|does not match}.",
                "{Lines|Records} look like {form}, where {sum} {adds up|totals} every byte {in "
                "front of|before} it (with the blanks) modulo 256, {hexadecimal|two hex digits}; "
                "{discard|leave out} those that {fail|do not add up}.",
                "{Each|A} line {form} ends in {sum}, a hex byte: the {bytes|characters} before "
                "it, blanks and all, summed {modulo|mod} 256. {Where it is off|If it is "
                "wrong}, the record {does not count|is void}.",
                "{Format|Form} of a record: {form}. {Check|Verify} {sum} (all {preceding|earlier} "
                "bytes with blanks, {added|summed} modulo 256, in hex) and {ignore|reject} {bad "
                "lines|lines that fail}.",
                "{form} is {one line|a record}; {only those|lines} whose {sum} equals the sum "
                "of the bytes {before it|ahead of it} modulo 256{, in hex and with the "
                "blanks,|, hexadecimal, blanks counted,} {are wanted|count}.",
                "{Trust|Accept} a line {form} only if {sum}, {hexadecimal|in hex}, is the sum "
                "modulo 256 of {what precedes it|the bytes before it}, {blanks too|including "
                "blanks}.",
            ),
            facts={"form": "`<number> <station> <value> <sum>`", "sum": "`<sum>`"},
            brief=(
                "Records are lines {form}; drop those whose {sum} is not the sum of all bytes "
                "before it modulo 256, in hex."
            ),
        ),
        Clause(
            "table",
            (
                "The table is CSV under {header}, {numbers without leading zeros|no leading "
                "zeros}, {in the order|in order} of the numbers; a record sent {twice|again} "
                "{counts|appears} once.",
                "{Write|Use} CSV with the header {header}: {one line|a line} per record "
                "number{, repeats dropped|, no repeats}, sorted by number, leading zeros "
                "{stripped|gone}.",
                "{Repeated|Repeats of} records {appear|go in} once. {Header|The header} "
                "{header}, comma-separated, {plain integers|integers without leading zeros}, "
                "by rising number.",
                "CSV, {first line|headed} {header}; {every|each} number {once|a single time} "
                "although some were {repeated|sent twice}; {ascending|in rising order}, "
                "numbers and values {free of|without} leading zeros.",
                "{Sort by|Order by} number, {keep|list} repeats once, {strip|drop} leading "
                "zeros; {format|the form} is CSV and {begins|starts} with {header}.",
                "{Under|Below} {header} (CSV) {goes|comes} a line for each record, {lowest number "
                "first|by number}, {no repeats|repeats only once}, integers {plain|without leading "
                "zeros}.",
            ),
            facts={"header": f"`{','.join(HEADER)}`"},
            role="format",
            brief="CSV with {header}, by number, repeats once, no leading zeros.",
        ),
    )
