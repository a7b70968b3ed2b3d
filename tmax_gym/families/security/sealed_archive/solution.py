"""How the sealed archive is opened: the decided facts, and two solutions made of them."""

from __future__ import annotations

from dataclasses import dataclass

from tmax_gym.families.contract import Context, World, write_file
from tmax_gym.families.security.sealed_archive import media
from tmax_gym.families.shared.programs import program_text

COLUMNS = ("code", "keeper", "amount", "reference")
OPEN = """\
cp {container} /tmp/box
while IFS=, read -r layer number rounds; do
  pass=$(grep "^$number" /tmp/read.txt | grep -v '\\*$' | cut -c5-)
  openssl enc -d -aes-256-cbc -pbkdf2 -md sha256 -iter $rounds -in /tmp/box -out /tmp/next \
-pass "pass:$pass" && mv /tmp/next /tmp/box
done < <(tail -n +2 {layers})"""
OPEN_ONE = """\
pass=$(cat /tmp/read.txt)
openssl enc -d -aes-256-cbc -pbkdf2 -md sha256 -iter {rounds} -in {container} -out /tmp/box \
-pass "pass:$pass\""""
PYTHON = program_text(__package__, "main.py")


@dataclass(frozen=True, kw_only=True)
class Sealed(World):
    """The decided facts."""

    container: str
    source: str
    """The medium, or a file pattern of all of them."""
    layers: str
    """The table of seals; "" where there is one seal."""
    rounds: tuple[int, ...]
    target: str
    how: media.Coding
    key: str
    """Code of the wanted row; "" for the row with the largest amount."""
    fields: tuple[str, ...]
    answer: dict[str, str]
    void: bool
    turned: bool


def medium_noun(ctx: Context) -> str:
    """Return what the passphrases are on, which is a column of the table of seals too."""
    return "recording" if ctx.fixture == "audio" else "card"


def _reading(ctx: Context, world: Sealed) -> tuple[str, ...]:
    audio = ctx.fixture == "audio"
    program = (
        f"SOURCE = {world.source!r}\n{media.READ_CALLS}"
        if audio
        else world.how.program(world.source)
    )
    look = f"; cat {world.layers}" if world.layers else ""
    return (
        f"ls -l {world.source}{look}",
        write_file("/tmp/read.py", program),
        "python3 /tmp/read.py > /tmp/read.txt; cat /tmp/read.txt",
    )


def solution(
    ctx: Context,
    world: Sealed,
    *,
    fields: tuple[str, ...] | None = None,
    other: bool = False,
    shift: int = 0,
) -> tuple[str, ...]:
    """Return the reference solution, or one with a mistake."""
    opening = OPEN if world.layers else OPEN_ONE
    pick = "tail -n +2 /tmp/box | sort -t, -k3,3nr | " + ("sed -n 2p" if other else "head -n 1")
    if world.key:
        sign = "!=" if other else "=="
        pick = f"tail -n +2 /tmp/box | awk -F, '$1 {sign} \"{world.key}\"' | head -n 1"
    asked = world.fields if fields is None else fields
    taken = {c: COLUMNS[(COLUMNS.index(c) + shift) % len(COLUMNS)] for c in asked}
    args = "".join(f' --arg {c} "${column}"' for c, column in taken.items())
    return (
        *_reading(ctx, world),
        opening.format(container=world.container, layers=world.layers, rounds=world.rounds[0]),
        f"IFS=, read -r {' '.join(COLUMNS)} < <({pick})",
        f"jq -n --arg passphrase \"$pass\"{args} '$ARGS.named' > {world.target}",
        "rm /tmp/read.py /tmp/read.txt /tmp/box",
    )


def second(ctx: Context, world: Sealed) -> tuple[str, ...]:
    """Return a solution whose second half is Python."""
    names = {
        "LAYERS": world.layers,
        "NUMBER": medium_noun(ctx),
        "ROUNDS": world.rounds[0],
        "CONTAINER": world.container,
        "KEY": world.key,
        "FIELDS": world.fields,
        "TARGET": world.target,
    }
    head = "".join(f"{name} = {value!r}\n" for name, value in names.items())
    return (
        *_reading(ctx, world),
        write_file("/tmp/open.py", head + PYTHON),
        "python3 /tmp/open.py; rm /tmp/open.py /tmp/read.py /tmp/read.txt",
        f"jq . {world.target}",
    )
