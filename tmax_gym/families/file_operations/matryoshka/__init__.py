"""FIL-01 matryoshka: nested containers with wrong suffixes, and one wanted record.

Below `SHORT` one member of one tar archive is wanted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tmax_gym.checks import exact
from tmax_gym.checks.check import Check, Gate, unchanged
from tmax_gym.families.contract import Attempt, Context, Family, World, write_file
from tmax_gym.families.products import Product, Record
from tmax_gym.families.shared.programs import program_text
from tmax_gym.nodes import Node, text
from tmax_gym.rng import Rng
from tmax_gym.texts.obligations import Obligation
from tmax_gym.world.archives import tar, zip_archive
from tmax_gym.world.deflate import gzip

SHORT = 0.2
STATES = ("open", "sealed", "disputed", "withdrawn", "pending")
KEPT = ("not change", "n't change", "unchanged", "as it is", "untouched", "not modify", "intact")
SUFFIXES = ("dat", "jpg", "bak", "log", "img", "txt")

PYTHON = program_text(__package__, "main.py")


@dataclass(frozen=True, kw_only=True)
class Nest(World):
    """The decided facts."""

    source: str
    target: str
    state: str = ""
    member: str = ""
    content: str = ""
    reference: str = ""
    keeper: str = ""


class Matryoshka(Family[Nest]):
    """Open containers by their content, not their name; find the one record in a given state."""

    id = "FIL-01"
    slug = "matryoshka"
    domain = "file_operations"
    skill = "Archives"
    primitives = (
        "Nested and multi-part archive handling",
        "Archive creation and extraction",
        "Compressed stream processing",
        "Binary format and header extraction",
    )
    fixtures = ("text_only",)
    verifiers = ("exact_text",)
    languages = ("any", "bash")
    tools = ("bash", "tar", "file", "unzip", "python3")
    followed_by = {  # noqa: RUF012
        "fill-notice": ("record", "The keeper should be told in writing that we found the record."),
        "apply-setting": ("record", "Our register takes the record from its settings file."),
    }

    def world(self, ctx: Context) -> Nest:
        """Return one file that holds all the others."""
        return _one_archive(ctx) if ctx.level < SHORT else _nested(ctx)

    def oracle(self, ctx: Context, world: Nest) -> tuple[str, ...]:
        """Return tar alone, or a loop that opens whatever is a container."""
        if ctx.level < SHORT:
            return (f"tar -xOf {world.source} {world.member} > {world.target}",)
        return (
            f"mkdir /tmp/nest && cd /tmp/nest && cp {world.source} top",
            _LOOP,
            f"hit=$(grep -rlx 'state: {world.state}' .); cat $hit",
            'ref=$(sed -n "s/^reference: //p" $hit); who=$(sed -n "s/^keeper: //p" $hit)',
            'printf \'{"reference": "%s", "keeper": "%s"}\\n\' "$ref" "$who" > ' + world.target,
            "cd /app; rm -r /tmp/nest",
        )

    def alternative(self, ctx: Context, world: Nest) -> tuple[str, ...] | None:
        """Return the same in Python, without a file on the way."""
        if ctx.level < SHORT:
            return None
        return (
            write_file("/tmp/nest.py", _program(world)),
            "python3 /tmp/nest.py",
            f"cat {world.target}",
        )

    def checks(self, ctx: Context, world: Nest) -> tuple[Check | Gate, ...]:
        """Return the member, or the two fields of the record."""
        keep = unchanged("source", world.nodes)
        if ctx.level < SHORT:
            return (keep, exact.value("member", world.target, world.content))
        fields = {"reference": world.reference, "keeper": world.keeper}
        return (keep, exact.fields("record", world.target, fields))

    def products(self, ctx: Context, world: Nest) -> Mapping[str, Product]:
        """Return the two fields; a single member is no product."""
        if ctx.level < SHORT:
            return {}
        fields = {"reference": world.reference, "keeper": world.keeper}
        return {"record": Record(world.target, fields, "record")}

    def say(self, ctx: Context, world: Nest) -> tuple[Obligation, ...]:
        """Return where to look, what for, and the format of the answer."""
        keep = Obligation("keep", "Do not change the given file.", "limit", keys=KEPT)
        if ctx.level < SHORT:
            return (_goal(world), keep)
        return (
            Obligation(
                "goal",
                f"Somewhere inside `{world.source}` there is exactly one record with the state "
                f"`{world.state}`. Find it and write its reference and its keeper to "
                f"`{world.target}`.",
                "goal",
            ),
            Obligation(
                "nest",
                "The file is an archive with further archives inside: tar, zip and gzip files in "
                "any order, some of them within others, with files beside them that hold nothing "
                "of use. The suffixes of the file names are misleading, so go by the content.",
                "input",
                keys=("suffix", "extension", "file name", "content"),
            ),
            Obligation(
                "record",
                "A record is a small text file of three lines, which begin with `state:`, "
                "`reference:` and `keeper:`, each followed by a space and the value.",
                "input",
            ),
            Obligation(
                "format",
                f"Write `{world.target}` as one JSON object with the fields `reference` and "
                f"`keeper`, both strings.",
                "format",
            ),
            keep,
        )

    def mutants(self, ctx: Context, world: Nest) -> tuple[Attempt, ...]:
        """Return another member, another record, a field forgotten."""
        if ctx.level < SHORT:
            return (
                Attempt("listing", (f"tar -tf {world.source} > {world.target}",)),
                Attempt("all members", (f"tar -xOf {world.source} > {world.target}",)),
                Attempt("name", (f"echo {world.member} > {world.target}",)),
            )
        program = _program(world)
        wrong = {
            "another record": program.replace('["state"] == ', '["state"] != '),
            "no keeper": program.replace('record["keeper"]', '""'),
            "fields swapped": program.replace(
                '"reference": record["reference"]', '"reference": record["keeper"]'
            ),
        }
        return tuple(
            Attempt(name, (write_file("/tmp/nest.py", body), "python3 /tmp/nest.py"))
            for name, body in wrong.items()
        )

    def exploits(self, ctx: Context, world: Nest) -> tuple[Attempt, ...]:
        """Return the container itself, and an empty record."""
        empty = '{"reference": "", "keeper": ""}'
        return (
            Attempt("container", (f"cp {world.source} {world.target}",)),
            Attempt("empty record", (f"echo '{empty}' > {world.target}",)),
        )


_LOOP = program_text(__package__, "unpack.sh").removesuffix("\n")


def _program(world: Nest) -> str:
    names = {"SOURCE": world.source, "TARGET": world.target, "STATE": world.state}
    return "".join(f"{name} = {value!r}\n" for name, value in names.items()) + PYTHON


def _one_archive(ctx: Context) -> Nest:
    rng = ctx.rng.fork("one")
    stems = rng.sample(sorted(set(ctx.skin.stems)), 4)
    source, target = ctx.path(f"{stems[0]}.tar"), ctx.path(f"{stems[1]}_copy.txt")
    members = [
        text(f"{name}.txt", f"{ctx.skin.code(rng)} {ctx.skin.event(rng)}\n") for name in stems[1:]
    ]
    wanted = members[0]
    return Nest(
        nodes=(Node(source, data=tar(members)),),
        outputs=(target,),
        source=source,
        target=target,
        member=wanted.path,
        content=(wanted.data or b"").decode(),
    )


def _nested(ctx: Context) -> Nest:
    rng = ctx.rng.fork("nest")
    state = rng.choice(STATES)
    others = [s for s in STATES if s != state]
    count = ctx.knob(5, 24)
    people = ctx.skin.people(rng.fork("people"), count)
    reference = f"{ctx.skin.code(rng)}-{rng.secret(8)}"
    place = rng.integer(0, count - 1)
    records = []
    for number in range(count):
        r = rng.fork("record", number)
        code = reference if number == place else f"{ctx.skin.code(r)}-{r.secret(8)}"
        shown = state if number == place else r.choice(others)
        body = f"state: {shown}\nreference: {code}\nkeeper: {people[number]}\n"
        records.append(text(f"{r.hex(6)}.{r.choice(SUFFIXES)}", body))
    data = tar(records)
    for depth in range(ctx.knob(2, 7)):
        data = _wrap(ctx, rng.fork("wrap", depth), data)
    source = ctx.path(f"{ctx.skin.stem(rng)}.{rng.choice(SUFFIXES)}")
    target = ctx.path("record.json")
    return Nest(
        nodes=(Node(source, data=data),),
        outputs=(target,),
        hidden=(reference,),
        source=source,
        target=target,
        state=state,
        reference=reference,
        keeper=people[place],
    )


def _wrap(ctx: Context, rng: Rng, data: bytes) -> bytes:
    """Put a container beside decoys into the next one, compressed so that grep is blind."""
    inside = [Node(f"{ctx.skin.stem(rng)}.{rng.choice(SUFFIXES)}", data=gzip(data, compress=True))]
    for number in range(rng.integer(0, 2)):
        noise = rng.bytes(rng.integer(40, 200))
        inside.append(Node(f"part{number}.{rng.choice(SUFFIXES)}", data=b"\0" + noise))
    return tar(inside) if rng.chance(0.5) else zip_archive(inside)


def _goal(world: Nest) -> Obligation:
    """Return the goal of the easy form."""
    return Obligation(
        "goal",
        f"Extract the member `{world.member}` from the tar archive `{world.source}` and save its "
        f"content as `{world.target}`.",
        "goal",
    )


FAMILY = Matryoshka()
