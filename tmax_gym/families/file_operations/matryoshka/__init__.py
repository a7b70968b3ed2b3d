"""FIL-01 matryoshka: nested containers with wrong suffixes, and one wanted record.

Below `SHORT` one member of one tar archive is wanted.
"""

from __future__ import annotations

from dataclasses import dataclass

from tmax_gym.checks import exact
from tmax_gym.checks.check import Check, Gate, unchanged
from tmax_gym.families.contract import Attempt, Context, Family, Port, World, write_file
from tmax_gym.families.shared.programs import program_text
from tmax_gym.nodes import Node, text
from tmax_gym.rng import Rng
from tmax_gym.texts.clauses import Clause
from tmax_gym.world.archives import tar, zip_archive
from tmax_gym.world.deflate import gzip

SHORT = 0.2
STATES = ("open", "sealed", "disputed", "withdrawn", "pending")
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
    produces = {"reference": Port("secret")}  # noqa: RUF012

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
            f'cd /app; rm -r /tmp/nest; {ctx.shell_name("reference")}="$ref"',
        )

    def alternative(self, ctx: Context, world: Nest) -> tuple[str, ...] | None:
        """Return the same in Python, without a file on the way."""
        if ctx.level < SHORT:
            return None
        read = f"python3 -c \"import json; print(json.load(open('{world.target}'))['reference'])\""
        return (
            write_file("/tmp/nest.py", _program(world)),
            "python3 /tmp/nest.py",
            f"{ctx.shell_name('reference')}=$({read})",
        )

    def checks(self, ctx: Context, world: Nest) -> tuple[Check | Gate, ...]:
        """Return the member, or the two fields of the record."""
        keep = unchanged("source", world.nodes)
        if ctx.level < SHORT:
            return (keep, exact.value("member", world.target, world.content))
        fields = {"reference": world.reference, "keeper": world.keeper}
        return (keep, exact.fields("record", world.target, fields))

    def say(self, ctx: Context, world: Nest) -> tuple[Clause, ...]:
        """Return where to look and what for."""
        return _say_short(world) if ctx.level < SHORT else _say_nest(world)

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
        produces={
            "reference": ctx.yields(
                "reference",
                "secret",
                (wanted.data or b"").decode().strip(),
                f"the content of {target}",
            )
        },
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
    phrase = f"the `reference` in {target}"
    return Nest(
        nodes=(Node(source, data=data),),
        outputs=(target,),
        hidden=(reference,),
        source=source,
        target=target,
        state=state,
        reference=reference,
        keeper=people[place],
        produces={"reference": ctx.yields("reference", "secret", reference, phrase)},
    )


def _wrap(ctx: Context, rng: Rng, data: bytes) -> bytes:
    """Put a container beside decoys into the next one, compressed so that grep is blind."""
    inside = [Node(f"{ctx.skin.stem(rng)}.{rng.choice(SUFFIXES)}", data=gzip(data, compress=True))]
    for number in range(rng.integer(0, 2)):
        noise = rng.bytes(rng.integer(40, 200))
        inside.append(Node(f"part{number}.{rng.choice(SUFFIXES)}", data=b"\0" + noise))
    return tar(inside) if rng.chance(0.5) else zip_archive(inside)


def _say_short(world: Nest) -> tuple[Clause, ...]:
    return (
        Clause(
            "goal",
            (
                "{Extract|Take} {member} {from|out of} {source} and {save|write} its "
                "content {to|as} {target}.",
                "{source} contains {member}; its content {belongs in|goes to|is wanted "
                "in} {target}.",
                "{Put|Place} the content of {member}, {a member of|which is packed in} "
                "{source}, into {target}.",
                "I {only|just} {need|want} {member} out of {source}, as {target}.",
                "{target} {should|must} hold what {member} {holds|contains} inside {source}.",
                "{Unpack|Pull} {member} {from|out of} {source} {into|to} {target}.",
                "{Of|From} {all that is in|everything in} {source} {we need|I want} "
                "{member}, {saved|stored} as {target}.",
            ),
            facts={"member": world.member, "source": world.source, "target": world.target},
            role="goal",
            brief="Extract {member} from {source} into {target}.",
        ),
    )


def _say_nest(world: Nest) -> tuple[Clause, ...]:
    return (
        Clause(
            "goal",
            (
                "Somewhere {inside|within|deep in} {source} there is exactly one record "
                "in state {state}. {Write|Save} its {ref} and {its|the} {who} {to|in} "
                "{target}.",
                "{Find|Dig out|Track down|Unearth} the {only|one} {state} record in "
                "{source} and {write|produce} {target} with its {ref} and {who}.",
                "{target} should {name|give|state} the {ref} and the {who} of the "
                "{one|only} {state} record that is {buried|packed away|hidden} in "
                "{source}.",
                "We {lost track of|cannot find|are looking for} one {state} record; it "
                "{sits|lies|is somewhere} inside {source}. Its {ref} and {who} {go "
                "to|belong in|are wanted in} {target}.",
                "{One|A single} record {in|within} {source} is {state}, {just one|and no "
                "other}: {its|the} {ref} and {who} of it {go into|are to be saved in} "
                "{target}.",
                "{Get|Bring} me the {ref} and the {who} of {whichever|the} record is "
                "{state} in {source} ({there is one|one is}), {written to|in} {target}.",
                "{source} is {a heap of records|full of records}, of which one is "
                "{state}. {Look it up|Find it} and {leave|put} its {ref} and {who} in "
                "{target}.",
                "{Which|What} record in {source} is {state}? {There is one|Only one is}; "
                "{report|save} {ref} and {who} of it {in|to} {target}.",
            ),
            facts={
                "source": world.source,
                "state": f"`{world.state}`",
                "ref": "`reference`",
                "who": "`keeper`",
                "target": world.target,
            },
            role="goal",
            brief="Find the {state} record inside {source}; write its {ref} and {who} to {target}.",
        ),
        Clause(
            "nest",
            (
                "The file is {a container with containers inside|an archive of archives} "
                "({tar, zip, gzip|gzip, tar, zip}, in any order), and {no suffix can be "
                "trusted|suffixes prove nothing}.",
                "Expect archives within archives, {gzip, tar and zip|zip, gzip and tar} "
                "{mixed|in no fixed order}; {the suffixes are|what a name ends in is} "
                "{wrong|misleading} more often than not.",
                "{Things are|Everything is} packed {several|a number of} times over, by "
                "{tar, zip or gzip|zip, tar or gzip}, {and|with} names that {lie "
                "about|hide} {the format|what they are}.",
                "{Go by content|Trust the bytes}, {not by|and never} the suffix: {the "
                "nest is made|layers are made} of {tar, gzip and zip|zip, tar and gzip} "
                "files in {any|whatever} order.",
                "{Some|Several} members are {themselves archives|archives again} ({gzip, "
                "zip or tar|tar, gzip or zip}), {whatever|no matter what} their "
                "{suffix|name} {says|claims}.",
                "{Inside|In} it you {meet|find} {more|further} {tar, gzip and zip|gzip, "
                "zip and tar} archives, {nested|one within another}; {a suffix|the "
                "ending of a name} {tells|means} nothing.",
                "It takes {unpacking|opening} {tar, zip and gzip|zip, tar and gzip} "
                "{layers|files} {one within another|inside each other}, {often|mostly} "
                "under a {wrong|false} suffix.",
            ),
            role="input",
        ),
        Clause(
            "record",
            (
                "A record is a small text file {of|with} three lines, {lines}.",
                "Records are {short text|text} files {with|made up of} the lines {lines}.",
                "{Every|Each} record {fills|takes} {a|one} text file {of its own|to "
                "itself}, {whose|and its} lines are {lines}.",
                "{Look for|You will know them as} text files {that consist|made} of "
                "{lines}, {a line each|one a line}: {those|these} are the records.",
                "{lines} are the {three lines|lines} of {a record|every record}, which "
                "is {a|one} {plain|small} text file.",
                "{What we call|By} a record {is|we mean} a text file {holding|with} "
                "{lines}, {each on its line|one below the other}.",
                "{Text|Plain text} files {with|of} three lines ({lines}) are {the|our} records.",
            ),
            facts={"lines": "`state: …`, `reference: …`, `keeper: …`"},
            role="input",
        ),
        Clause(
            "format",
            (
                "{Write|Use|Deliver} JSON: {one|a single} object with those two "
                "{fields|keys}{ as|, both} strings.",
                "The result is {one|a single} JSON object {with|of} these two "
                "{fields|keys}, both strings.",
                "{Both|The two} values are {strings|given as strings} {of|in} {one|a "
                "single} JSON object, {under|by} {their|these} names.",
                "{Make it|Let it be} {one|a single} JSON object {that has|with} the two "
                "{fields|values} {as|under these names, as} strings.",
                "{Those|These} two fields{, as strings,| as strings} {make up|form} "
                "{one|a} JSON object{| and nothing else}.",
                "{JSON|A JSON object} is {expected|wanted}{: one object,|, just one,} "
                "{the two|both} fields {in it|inside} being strings.",
            ),
            role="format",
        ),
    )


FAMILY = Matryoshka()
