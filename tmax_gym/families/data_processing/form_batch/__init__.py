"""DPR-12 form batch: scanned forms with filled boxes become a table, bad ones with a reason.

Below `SHORT` there is one form, and its number is wanted.  Above, every form carries a check
digit, and some are filled in wrongly.
"""

from __future__ import annotations

from dataclasses import dataclass

from tmax_gym.checks import exact
from tmax_gym.checks.check import Check, Gate, unchanged
from tmax_gym.families.contract import Attempt, Context, Family, World, write_file
from tmax_gym.families.data_processing.form_batch import words
from tmax_gym.families.data_processing.form_batch.words import HEADER
from tmax_gym.families.shared.marks import table
from tmax_gym.families.shared.programs import program_text
from tmax_gym.families.shared.readers import PICTURE
from tmax_gym.nodes import Node
from tmax_gym.rng import Rng
from tmax_gym.texts.clauses import Clause
from tmax_gym.world.media import png
from tmax_gym.world.media.raster import Raster

SHORT = 0.2
DIGITS = 7
"""Rows of boxes: four of the number, two of the amount, one check digit."""

READ = program_text(__package__, "read.py")
ROW = """\
for path in sys.argv[1:]:
    number, amount, state = judged(path)
    print(os.path.basename(path), number, amount, state, sep=",")
"""


@dataclass(frozen=True, kw_only=True)
class Batch(World):
    """The decided facts."""

    target: str
    forms: tuple[str, ...]
    place: tuple[int, int, int]
    """Left and top of the first box's centre, and the pitch."""
    rows: tuple[tuple[object, ...], ...]


class FormBatch(Family[Batch]):
    """Sample the boxes, refuse what is ambiguous, check the rest."""

    id = "DPR-12"
    slug = "form-batch"
    domain = "data_processing"
    skill = "String/Text"
    primitives = (
        "Structured information extraction from text",
        "Multi-format file reading and writing",
        "Data sampling and stratification",
        "Constraint-based data validation",
    )
    fixtures = ("image",)
    verifiers = ("exact_text", "metric_threshold")
    languages = ("any", "python")
    tools = ("bash", "python3")

    def world(self, ctx: Context) -> Batch:
        """Return scans of forms."""
        rng = ctx.rng.fork("forms")
        place = (rng.integer(10, 20), rng.integer(12, 22), rng.integer(6, 8))
        short = ctx.level < SHORT
        nodes, rows = [], list[tuple[object, ...]]()
        for number in range(1 if short else ctx.knob(3, 12)):
            r = rng.fork("form", number)
            digits = [r.integer(0, 9) for _ in range(6)]
            check = sum((n + 1) * d for n, d in enumerate(digits)) % 10
            state = "good" if short else ("good", "check", "good", "unreadable")[number % 4]
            marks = [[d] for d in (*digits, (check + 3) % 10 if state == "check" else check)]
            if state == "unreadable":
                row = r.integer(0, 6)
                extra = (marks[row][0] + r.integer(1, 9)) % 10
                marks[row] = [] if r.chance(0.5) else [marks[row][0], extra]
            name = f"{number + 1:02d}_{r.secret(3)}.png"
            path = ctx.path("card.png") if short else ctx.path("scans", name)
            nodes.append(Node(path, data=_scan(ctx, r, marks, place=place)))
            readable = state != "unreadable"
            shown = "".join(map(str, digits[:4])) if readable else ""
            rows.append((name, shown, digits[4] * 10 + digits[5] if readable else "", state))
        target = ctx.path("number.txt" if short else "forms.csv")
        return Batch(
            nodes=tuple(nodes),
            outputs=(target,),
            target=target,
            forms=tuple(n.path for n in nodes),
            place=place,
            rows=tuple(rows),
        )

    def oracle(self, ctx: Context, world: Batch) -> tuple[str, ...]:
        """Return a reader, and one run a form."""
        if ctx.level < SHORT:
            return (f"file {world.forms[0]}", *_one(world, _program(world)))
        return (
            f"file {ctx.path('scans')}/* | head -n 4",
            write_file("/tmp/form.py", _program(world) + ROW),
            f"echo {','.join(HEADER)} > {world.target}",
            *(f"python3 /tmp/form.py {path} >> {world.target}" for path in world.forms),
            f"cut -d, -f4 {world.target} | sort | uniq -c",
        )

    def alternative(self, ctx: Context, world: Batch) -> tuple[str, ...] | None:
        """Return all forms in one run."""
        return None if ctx.level < SHORT else _whole(world, _program(world) + ROW)

    def checks(self, ctx: Context, world: Batch) -> tuple[Check | Gate, ...]:
        """Return the number or the table."""
        keep = unchanged("scans", world.nodes)
        if ctx.level < SHORT:
            right = exact.value("number", world.target, str(world.rows[0][1]))
            return (keep, Check("number", ctx.verifier, right.score))
        return (keep, table(ctx, "forms", world.target, header=HEADER, rows=world.rows))

    def say(self, ctx: Context, world: Batch) -> tuple[Clause, ...]:
        """Return where the boxes lie, what is good, and the table."""
        if ctx.level < SHORT:
            goal = words.short(world.forms[0], world.target)
            return (goal, words.boxes(*world.place))
        goal = words.goal(ctx.path("scans"), world.target)
        return (goal, words.boxes(*world.place), *words.rules())

    def mutants(self, ctx: Context, world: Batch) -> tuple[Attempt, ...]:
        """Return rows read wrongly, or checks left out."""
        program = _program(world)
        wrong = {
            "one box off": program.replace("for c in range(10)", "for c in range(1, 10)").replace(
                "[c for", "[c - 1 for"
            ),
            "one row off": program.replace("row * PITCH", "(row + 1) * PITCH")
            .replace("DIGITS)", "DIGITS - 1)")
            .replace("digits[:4]", "digits[:3]")
            .replace("digits[5]", "digits[-2]"),
            "read upwards": program.replace(
                "return number, amount", "return number[::-1] + '.', amount"
            ),
        }
        if ctx.level < SHORT:
            return tuple(Attempt(name, _one(world, body)) for name, body in wrong.items())
        body = program + ROW
        wrong = {
            "no check": body.replace('"good" if good else "check"', '"good"'),
            "unreadable called check": body.replace('"unreadable"', '"check"'),
            "number as integer": body.replace("number, amount =", "number, amount = '0' +"),
            "amount reversed": body.replace(
                "digits[4] * 10 + digits[5]", "digits[5] * 10 + digits[4] + 100"
            ),
        }
        return tuple(Attempt(name, _whole(world, reader)) for name, reader in wrong.items())

    def exploits(self, ctx: Context, world: Batch) -> tuple[Attempt, ...]:
        """Return a bare header, and names without content."""
        loop = "for f in " + " ".join(world.forms) + "; do echo $(basename $f),,,good; done"
        return (
            Attempt("bare header", (f"echo {','.join(HEADER)} > {world.target}",)),
            Attempt("names", (f"(echo {','.join(HEADER)}; {loop}) > {world.target}",)),
        )


def _one(world: Batch, program: str) -> tuple[str, ...]:
    body = f"{program}print(judged(sys.argv[1])[0])\n"
    run = f"python3 /tmp/form.py {world.forms[0]} > {world.target}"
    return (write_file("/tmp/form.py", body), f"{run}; cat {world.target}")


def _whole(world: Batch, program: str) -> tuple[str, ...]:
    listed = " ".join(world.forms)
    run = f"(echo {','.join(HEADER)}; python3 /tmp/form.py {listed}) > {world.target}"
    return (write_file("/tmp/form.py", program), run)


def _program(world: Batch) -> str:
    left, top, pitch = world.place
    return f"LEFT, TOP, PITCH, DIGITS = {left}, {top}, {pitch}, {DIGITS}\n{PICTURE}{READ}"


def _scan(ctx: Context, rng: Rng, marks: list[list[int]], *, place: tuple[int, int, int]) -> bytes:
    """Return a form: a printed corner for every box, a filled box for every mark."""
    left, top, pitch = place
    form = Raster(left + 10 * pitch + 6, top + DIGITS * pitch + 6, mode="1")
    form.text(2, 1, ctx.skin.code(rng))
    size = pitch - 3
    for row, filled in enumerate(marks):
        for column in range(10):
            x, y = left + column * pitch - size // 2, top + row * pitch - size // 2
            form.rect(x, y, size=(2, 1))
            if column in filled:
                form.rect(x, y, size=(size, size))
    return png.encode(form)


FAMILY = FormBatch()
