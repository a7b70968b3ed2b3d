"""Words of the tone-telemetry family."""

from __future__ import annotations

from tmax_gym.words.clauses import Clause

HEADER = ("number", "station", "value")


def word(recording: str, target: str) -> Clause:
    """Return the task of one word."""
    return Clause(
        "goal",
        (
            "{recording} {is|holds} a word {sent|transmitted} over the air. "
            "{Decode|Demodulate} it and {write|put} it {in|into} {target}.",
            "{Find out|Read} which word was {sent|keyed} in {recording}; {target} should "
            "{hold|contain} it{ and nothing else|}.",
            "{Write|Save} to {target} the {single|one} word that {recording} {carries|transmits}.",
            "A modem {said|sent} one word, {recorded|taped} as {recording}. {Leave|Store} the "
            "text in {target}.",
            "{Decode|Turn} {recording} into text: {the|its} one word {belongs|goes} in {target}.",
            "{We need|I need} the word {behind|in} the tones of {recording}, as {plain "
            "text|text} in {target}.",
        ),
        facts={"recording": recording, "target": target},
        role="goal",
        brief="Decode the word in {recording} into {target}.",
    )


def goal(folder: str, target: str) -> Clause:
    """Return the task of many recordings."""
    return Clause(
        "goal",
        (
            "{Decode|Demodulate} the telemetry {recordings|recorded} in {folder} {into|to} one "
            "table, {target}.",
            "The {receiver|radio} left a WAV file per {pass|contact} in {folder}; "
            "{collect|gather} their records {in|into} {target}.",
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


def coding(space: int, mark: int, *, baud: int) -> Clause:
    """Return how bits are sent."""
    return Clause(
        "coding",
        (
            "{The line is|It is} frequency-shift keyed: {space} Hz {for|means} 0, {mark} Hz "
            "{for|means} 1 "
            "{and|as well as} idle, {baud} baud. {A byte|Each byte} {has|is} a start bit 0, "
            "{eight bits from the lowest|eight bits, lowest first}, a stop bit 1; {the text "
            "is|all of it} ASCII.",
            "Two tones {carry|are} the bits, {space} Hz a 0 and {mark} Hz a 1 (also {at "
            "rest|when idle}), {baud} a second: start bit 0, {eight data bits|the eight bits}, "
            "lowest first, stop bit 1, ASCII {throughout|text}.",
            "{Serial|Asynchronous} ASCII at {baud} baud, 8N1, {low|lowest} bit first: a 0 "
            "{sounds|is heard} as {space} Hz, a 1 {and the pause|or a pause} as {mark} Hz.",
            "{Modulation|Keying}: {baud} bits per second, {mark} Hz means 1 (and {silence on "
            "the line|idle}), {space} Hz means 0; {bytes|characters} are ASCII, 8N1, least "
            "significant bit {first|ahead}.",
            "{Bits|The bits} last 1/{baud} s each; a 1 (or {no data|idle}) is {mark} Hz, a 0 "
            "{is|means} {space} Hz. {Framing|Frames}: one start bit, eight data bits {lowest "
            "first|from the lowest up}, no parity, one stop bit; ASCII.",
            "{Expect|You will hear} {mark} Hz while idle and for ones, {space} Hz for zeros, "
            "at {baud} baud; {framing|bytes} 8N1 with the {lowest|least} bit first, "
            "{text|characters} in ASCII.",
        ),
        facts={"space": str(space), "mark": str(mark), "baud": str(baud)},
        role="input",
        brief=(
            "FSK, {space} Hz is 0, {mark} Hz is 1 and idle, {baud} baud, 8N1, lowest bit "
            "first, ASCII."
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
                "front of|before} "
                "it (with the blanks) modulo 256, {hexadecimal|two hex digits}; "
                "{discard|leave out} those that {fail|do not add up}.",
                "{Each|A} line {form} ends in {sum}, a hex byte: the {bytes|characters} before "
                "it, blanks and all, summed {modulo|mod} 256. {Where it is off|If it is "
                "wrong}, the record {does not count|is void}.",
                "{Format|Form} of a record: {form}. {Check|Verify} {sum} (all "
                "{preceding|earlier} bytes with blanks, {added|summed} modulo 256, in hex) and "
                "{ignore|reject} {bad lines|lines that fail}.",
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
                "{Under|Below} {header} (CSV) {goes|comes} a line for each record, {lowest "
                "number first|by number}, {no repeats|repeats only once}, integers "
                "{plain|without leading zeros}.",
            ),
            facts={"header": f"`{','.join(HEADER)}`"},
            role="format",
            brief="CSV with {header}, by number, repeats once, no leading zeros.",
        ),
    )
