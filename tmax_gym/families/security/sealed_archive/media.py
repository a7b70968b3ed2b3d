"""Media with a passphrase of the sealed archive: a scanned punched card, or dialled keys.

Covers drawing and recording, the programs that read both back, and the words that describe
the coding.  Neither needs recognition of print or speech: a card is read at stated pixels, a
recording by the two frequencies of every key.
"""

from __future__ import annotations

from dataclasses import dataclass

from tmax_gym.families.shared.programs import program_text
from tmax_gym.rng import SAFE_ALPHABET, Rng
from tmax_gym.texts.clauses import Clause
from tmax_gym.world.media import png, wav
from tmax_gym.world.media.raster import Raster

VOID = "*"
"""Last character on a withdrawn card or recording."""
KEYS = "0123456789ABCD"
"""Keys that a dialled passphrase is made of."""
BITS = 7

READ_CARDS = program_text(__package__, "read_cards.py")
READ_CALLS = program_text(__package__, "read_calls.py")


@dataclass(frozen=True, slots=True)
class Coding:
    """How the characters lie on a card; pixels are those of an upright scan."""

    left: int
    top: int
    pitch: int
    heavy_top: bool
    """True where the uppermost row is worth 64, False where it is worth 1."""

    def program(self, source: str) -> str:
        """Return the program that prints the text of every card of a file pattern."""
        rows = list(range(BITS)) if self.heavy_top else list(range(BITS - 1, -1, -1))
        named = {"LEFT": self.left, "TOP": self.top, "PITCH": self.pitch, "ROWS": rows}
        head = "".join(f"{name} = {value!r}\n" for name, value in named.items())
        return f"SOURCE = {source!r}\n{head}{READ_CARDS}"


def coding(rng: Rng) -> Coding:
    """Return a layout."""
    pitch = rng.integer(9, 14)
    return Coding(rng.integer(20, 34), rng.integer(40, 52), pitch, rng.chance(0.5))


def passphrase(rng: Rng, fixture: str) -> str:
    """Return a passphrase that the medium can carry."""
    return rng.secret(8, KEYS) if fixture == "audio" else rng.secret(10, SAFE_ALPHABET)


def scan(text: str, how: Coding, *, title: str, turned: bool = False) -> bytes:
    """Return a card as a 1-bit PNG; cells without a hole are printed as faint corners."""
    width = how.left + how.pitch * len(text) + 12
    height = how.top + how.pitch * BITS + 12
    card = Raster(width, height, mode="1")
    card.rect(4, 4, size=(9, 9))
    card.text(18, 5, title[: (width - 24) // 6])
    card.rect(18, 20, size=(width - 36, 1))
    size, half = how.pitch - 3, (how.pitch - 3) // 2
    for column, character in enumerate(text):
        for row in range(BITS):
            x, y = how.left + column * how.pitch, how.top + row * how.pitch
            weight = BITS - 1 - row if how.heavy_top else row
            if ord(character) >> weight & 1:
                card.rect(x - half, y - half, size=(size, size))
            else:
                card.rect(x - half, y - half, size=(2, 1))
    if turned:
        card.pixels.reverse()
    return png.encode(card)


def call(text: str, rng: Rng, *, hiss: int) -> bytes:
    """Return dialled keys as a WAV file; `hiss` is the peak of the noise, 0 for none."""
    voice = wav.Voice()
    sound = wav.silence(voice, 30)
    sound += wav.dtmf(voice, text, ms=rng.integer(54, 62), gap=rng.integer(34, 42))
    if hiss:
        noise = [(b - 128) * hiss >> 7 for b in rng.bytes(len(sound))]
        sound = wav.mix(sound, noise)
    return wav.wav(voice, sound)


def say_card(how: Coding, *, turned: bool) -> tuple[Clause, ...]:
    """Return how a card is read."""
    clauses = [
        Clause(
            "coding",
            (
                "{Every|Each} column of cells on a card is {one|a single} ASCII "
                "character: seven cells, {the top one|the uppermost} worth {first}, the "
                "bottom one {last}, {and a hole is|with holes} black {at|in} the centre "
                "of {its|the} cell.",
                "Read a card column by column; a {cell|position} is punched if its "
                "centre is black, {its|the} seven cells are worth {first} (top) to "
                "{last} (bottom) and {their|the} sum is an ASCII code.",
                "{A punched|Punched means a} cell {is|whose centre is} black {in the "
                "middle|there}; {the|a column's} seven cells, {worth|of value} {first} "
                "at the top to {last} at the bottom, {add up to|sum to} the ASCII code "
                "of {one|a} character{ a column|, column after column}.",
                "{Characters|The characters} {run|go} from left to right, {one a "
                "column|a column each}, in ASCII: {of|among} seven cells the topmost "
                "{counts|is worth} {first} and the lowest {last}, {if|where} its centre "
                "is black, {which is a hole|that is, punched}.",
                "{Seven|The seven} cells {of|in} a column {are the bits|stand for the "
                "bits} of an ASCII character, {top|upper} cell {first}, bottom cell "
                "{last}; {a bit is set|it counts} where the {middle|centre} of the cell "
                "is black.",
                "{Cards|The cards} {code|hold} one ASCII character {per|in every} "
                "column, {as the sum of|adding up} the holes, {from|worth} {first} at "
                "the top {to|down to} {last} at the bottom; a hole {shows|is seen} as {a "
                "black|black in the} centre of the cell.",
            ),
            facts={
                "first": "64" if how.heavy_top else "1",
                "last": "1" if how.heavy_top else "64",
            },
            role="input",
            brief="A column is an ASCII code, top cell {first}, bottom cell {last}, black is 1.",
        ),
        Clause(
            "geometry",
            (
                "The centre of the first cell is at {place} (pixels from the upper left "
                "corner, {from|counted from} 0), and {the cells are|cells are} {pitch} "
                "pixels apart {both|in both} ways.",
                "{Cells are|The grid is} {pitch} pixels apart in both directions, "
                "{starting|beginning} with a centre at {place}, counted from 0 at the "
                "{upper|top} left.",
                "{Count|Counting} pixels from 0 {at|in} the upper left corner, {the "
                "first cell has its|you find the first cell's} centre at {place}; {the "
                "others follow|its neighbours are} {pitch} pixels {on|away} {across|to "
                "the right} and down.",
                "{At|From} {place} {lies|you find} the {middle|centre} of the first cell "
                "({the upper left pixel|the corner} is x=0, y=0); {from there|thence} "
                "{it is|every} {pitch} pixels to the next, {right or down|in both "
                "directions}.",
                "{pitch} pixels {separate|lie between} the centres of "
                "{neighbouring|adjacent} cells, {across|horizontally} and "
                "{down|vertically}, and the first {of them|centre} is {place} {when|if} "
                "the {top|upper} left pixel is 0, 0.",
                "{Columns|The columns} and rows of cells {have|keep} a pitch of {pitch} "
                "pixels; {the|its} first centre {is|lies} at {place}, {with|taking} the "
                "upper left {corner|pixel} as 0, 0.",
            ),
            facts={"place": f"x={how.left}, y={how.top}", "pitch": str(how.pitch)},
            role="input",
            brief="The first cell is centred at {place}, the pitch is {pitch} pixels.",
        ),
    ]
    if turned:
        clauses.append(
            Clause(
                "turned",
                (
                    "Some cards {went through|passed} the scanner upside down: {upright|the "
                    "right way up}, a card has a black square around {mark}.",
                    "A card whose pixel at {mark} is not black was scanned {upside down|the "
                    "wrong way round}: {turn|rotate} it by 180 degrees {first|before "
                    "reading}.",
                    "{Check|Look at} {mark} {first|on every card}: {if it is|where it is} "
                    "not black, the card {lies|was} upside down {and|so it} has to be "
                    "{turned|rotated} by 180 degrees.",
                    "{Upright|Properly placed} cards are black at {mark}; {any|each} other "
                    "{has been|was} {scanned|fed in} upside down.",
                    "{Not|Beware: not} all cards {were fed in|are} the right way up. "
                    "{Those|The ones} that {are|have} no black at {mark} {must be "
                    "turned|stand on their head}.",
                    "The {black|printed} square at {mark} {tells|shows} which way is up: "
                    "{without|a card without} it {there|in that place} {is|lies} upside down.",
                ),
                facts={"mark": "x=8, y=8"},
                role="input",
                brief="Upright cards are black at {mark}; the others are upside down.",
            )
        )
    return tuple(clauses)


def say_call() -> tuple[Clause, ...]:
    """Return how a recording is read."""
    return (
        Clause(
            "coding",
            (
                "{Every|Each} character was keyed in on a telephone with {keys} keys: "
                "{standard|ordinary} {dtmf} tones, {one after the other|with a short gap "
                "between them}.",
                "What you hear are {dtmf} tones of a {keys} key {pad|telephone}, {one "
                "tone|one} {per|for each} character.",
                "{Somebody|Someone} {typed|dialled} the characters on {a pad of|a "
                "telephone with} {keys} keys; {each is|you hear} a {dtmf} tone{ of its "
                "own|}.",
                "{Decode|Read} the {tones|beeps} as {dtmf}, {from|of} a {pad|telephone} "
                "{of|with} {keys} keys, {one|a tone} {a|per} character.",
                "{dtmf} it is{, with|:} all {keys} keys {in use|allowed}, {a tone|one "
                "tone} {for|to} {each|every} character{ and silence between|}.",
                "The {sound|signal} {consists of|is made of} {dtmf} tones ({keys} keys, "
                "{as|like those} on a telephone), {each|every one} {standing for|being} "
                "a character.",
            ),
            facts={"keys": "16", "dtmf": "DTMF"},
            role="input",
            brief="Characters are {dtmf} tones of a {keys} key pad.",
        ),
    )


def say_void(noun: str) -> Clause:
    """Return how withdrawn media are recognised."""
    return Clause(
        "void",
        (
            f"A {noun} {{whose text ends|that ends}} with {{mark}} was "
            f"{{withdrawn|replaced|cancelled}}: {{ignore|skip}} it.",
            f"{{Disregard|Leave out}} any {noun} that {{ends|finishes}} with "
            f"{{mark}}; {{another one|its successor}} has the same number.",
            f"{{Where|If}} a {noun} {{has|carries}} {{mark}} at {{its|the}} end, it "
            f"{{is void|no longer counts|was withdrawn}}.",
            f"{{mark}} as the last character {{means|says}} that the {noun} {{was "
            f"withdrawn|is out of use}}{{; use|, so take}} the other {{one|{noun}}} "
            "of that number.",
            f"{{Of|Among}} two {noun}s with {{one|the same}} number, the one "
            f"{{closing|ending}} in {{mark}} {{is void|was withdrawn}}.",
            f"{{Beware of|Mind the}} {noun}s {{ending|that close}} with {{mark}}: "
            f"{{these were|they have been}} {{withdrawn|cancelled}}.",
        ),
        facts={"mark": f"`{VOID}`"},
        role="input",
        brief=f"A {noun} that ends with {{mark}} is void.",
    )
