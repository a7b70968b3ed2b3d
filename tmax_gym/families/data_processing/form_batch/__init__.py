"""DPR-12 form batch: the agent reads scanned forms with filled boxes into a table.

Below `SHORT` there is one form, and only its number is wanted.  Above, every form has a check
digit, and some forms are filled in wrongly.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tmax_gym.checks import exact
from tmax_gym.checks.check import Check, Gate, unchanged
from tmax_gym.families.contract import Attempt, Context, Family, World, write_file
from tmax_gym.families.products import Product, Table
from tmax_gym.families.shared.marks import table
from tmax_gym.families.shared.programs import program_text
from tmax_gym.families.shared.readers import PICTURE
from tmax_gym.nodes import Node
from tmax_gym.rng import Rng
from tmax_gym.texts.obligations import Obligation
from tmax_gym.world.media import png
from tmax_gym.world.media.raster import Raster

SHORT = 0.2
DIGITS = 7
"""Rows of boxes: four of the number, two of the amount, one check digit."""
HEADER = ("form", "number", "amount", "state")

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
    followed_by = {  # noqa: RUF012
        "group-report": ("forms", "We want to know how many forms were filled in wrongly."),
        "split-delivery": ("forms", "Good and bad forms go to different desks."),
        "json-feed": ("forms", "The team that owns the database takes the forms as JSON."),
        "sqlite-load": ("forms", "We want to query the forms together with those of last year."),
        "export-diff": ("forms", "A clerk typed the same forms by hand, and we want to compare."),
    }

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

    def products(self, ctx: Context, world: Batch) -> Mapping[str, Product]:
        """Return the table, unless its order does not count."""
        if ctx.level < SHORT or ctx.verifier == "metric_threshold":
            return {}
        rows = tuple(tuple(str(cell) for cell in row) for row in world.rows)
        return {"forms": Table(world.target, HEADER, rows, "forms")}

    def say(self, ctx: Context, world: Batch) -> tuple[Obligation, ...]:
        """Return where the boxes are, what the rows mean, and the table."""
        if ctx.level < SHORT:
            goal = (
                "We scanned a paper form and need the number that is filled in on it. The scan is "
                f"`{world.forms[0]}`. Read the number from the first four rows of the form, from "
                f"top to bottom, and write its four digits to `{world.target}`."
            )
        else:
            goal = (
                f"Our paper forms were scanned, and the scans are in `{ctx.path('scans')}`. Read "
                f"what is filled in on each form and write it to the table `{world.target}`."
            )
        left, top, pitch = world.place
        boxes = Obligation(
            "boxes",
            f"Each form has {DIGITS} rows of boxes, and each row has one box for every digit from "
            "0 to 9, with 0 at the left. The centre of a box is the pixel "
            f"`x = {left} + {pitch} * digit`, `y = {top} + {pitch} * row`, where rows, digits and "
            "pixels are all counted from 0, from the upper left corner of the picture. If this "
            "pixel is black, the box is marked.",
            "input",
        )
        keep = Obligation(
            "keep",
            "Do not change the scans.",
            "limit",
            ("not change", "unchanged", "as it is", "as they are", "untouched", "not modify"),
        )
        table = () if ctx.level < SHORT else _table(world.target)
        return (Obligation("goal", goal, "goal"), boxes, *table, keep)

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


def _table(target: str) -> tuple[Obligation, ...]:
    """Return the meaning of the rows, the states, and the form of the table."""
    return (
        Obligation(
            "meaning",
            "From top to bottom, the first four rows are the digits of the number, the next two "
            "rows are the digits of the amount (tens first), and the last row is a check digit.",
            keys=("tens first", "tens", "the next two", "fifth", "two digits"),
        ),
        Obligation(
            "check",
            "The check digit is right if it is the sum of position times digit over the six digits "
            "above it, modulo 10. The positions count from 1 at the top to 6.",
        ),
        Obligation(
            "states",
            f"The state is `unreadable` if any of the {DIGITS} rows does not have exactly one "
            "marked box; then number and amount stay empty. Otherwise it is `good` if the check "
            "digit is right and `check` if it is wrong, and in both cases number and amount are "
            "given.",
        ),
        Obligation(
            "table",
            f"`{target}` is a CSV file with the header `{','.join(HEADER)}` and one line for each "
            "scan, sorted by file name. `form` is the file name with its suffix, without the "
            "directory. `number` always has four digits, and `amount` is an integer without "
            "leading zeros.",
            "format",
        ),
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
