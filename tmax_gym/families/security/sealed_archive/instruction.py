"""What the instruction of a sealed archive says."""

from __future__ import annotations

from tmax_gym.families.contract import Context
from tmax_gym.families.security.sealed_archive.media import VOID, Coding
from tmax_gym.families.security.sealed_archive.solution import Sealed, medium_noun
from tmax_gym.texts.obligations import Obligation

CIPHER = "openssl enc -aes-256-cbc -pbkdf2 -md sha256"


def say(ctx: Context, world: Sealed) -> tuple[Obligation, ...]:
    """Return where the passphrases are, how they are read, and what to deliver."""
    noun = medium_noun(ctx)
    audio = ctx.fixture == "audio"
    return (
        *(_layers(world, noun) if world.layers else _one_layer(world, noun)),
        *(_recording() if audio else _card(world.how)),
        *([_TURNED] if world.turned else []),
        *([_void(noun)] if world.void else []),
        _row(world),
        Obligation(
            "keep",
            "Do not change the given files.",
            "limit",
            keys=("not change", "n't change", "unchanged", "as they are", "untouched", "intact"),
        ),
    )


def _one_layer(world: Sealed, noun: str) -> tuple[Obligation, ...]:
    place = "in the recording" if noun == "recording" else "on the scanned card"
    return (
        Obligation(
            "goal",
            f"The file `{world.container}` is encrypted. Decrypt it and write a few values from "
            f"the table inside to `{world.target}`.",
            "goal",
        ),
        Obligation(
            "medium",
            f"It was encrypted with `{CIPHER} -iter {world.rounds[0]}`. The only copy of the "
            f"passphrase is {place} `{world.source}`.",
            "input",
        ),
    )


def _layers(world: Sealed, noun: str) -> tuple[Obligation, ...]:
    place = "in the recordings" if noun == "recording" else "on the scanned cards"
    return (
        Obligation(
            "goal",
            f"The file `{world.container}` is encrypted in layers. Decrypt it and write a few "
            f"values from the table inside to `{world.target}`.",
            "goal",
        ),
        Obligation(
            "seals",
            f"`{world.layers}` lists the layers from the outermost to the innermost, with the "
            f"number of the {noun} whose passphrase opens the layer, and the number of iterations "
            f"(`-iter`). Every layer was made with `{CIPHER}`.",
            "input",
        ),
        Obligation(
            "media",
            f"The only copies of the passphrases are {place} `{world.source}`. The text of a "
            f"{noun} begins with 4 digits, which are the number of the {noun}. The rest of the "
            f"text is the passphrase.",
            "input",
        ),
    )


def _card(how: Coding) -> tuple[Obligation, ...]:
    top, bottom, next_ = (64, 1, "half as much") if how.heavy_top else (1, 64, "twice as much")
    return (
        Obligation(
            "coding",
            f"Each column of cells on a card is one ASCII character; read the columns from left to "
            f"right. A column has 7 cells. The top cell is worth {top}, each cell below it is "
            f"worth {next_}, and the bottom cell is worth {bottom}. The code of the character is "
            f"the sum of the punched cells. A cell is punched if the pixel at its centre is black.",
        ),
        Obligation(
            "geometry",
            f"The centre of the first cell, at the top left, is the pixel x={how.left}, "
            f"y={how.top}, counted from 0 from the upper left corner of the picture. The centres "
            f"of neighbouring cells are {how.pitch} pixels apart, both across and down.",
        ),
    )


def _recording() -> tuple[Obligation, ...]:
    return (
        Obligation(
            "coding",
            "The text of a recording was dialled on a telephone keypad with all 16 keys, including "
            "the letters A to D. Each character is one DTMF tone, followed by a short pause.",
        ),
    )


_TURNED = Obligation(
    "turned",
    "Some cards were scanned upside down. A card is the right way up if the pixel at x=8, y=8 is "
    "black; otherwise turn it by 180 degrees before you read it.",
)


def _void(noun: str) -> Obligation:
    return Obligation(
        "void",
        f"A {noun} whose text ends with `{VOID}` was withdrawn. Ignore it; another {noun} has the "
        f"same number.",
    )


def _row(world: Sealed) -> Obligation:
    names = [f"`{name}`" for name in world.fields]
    fields = " and ".join([", ".join(names[:-1])] * (len(names) > 1) + names[-1:])
    row = f"whose `code` is `{world.key}`" if world.key else "with the largest `amount`"
    opened = "of the innermost layer" if world.layers else "that opens the file"
    verb = "are" if len(names) > 1 else "is"
    return Obligation(
        "row",
        f"The table is a CSV file with a header. Write `{world.target}` as one JSON object of "
        f"strings: `passphrase` is the passphrase {opened}, and {fields} {verb} taken from the row "
        f"{row}.",
        "format",
    )
