"""DPR-19 template mill: the agent prints letters in many languages by a template language.

Phrases, plural rules, topics and the tables of characters are data.  If a program language is
named, the agent leaves a program behind, and it is run again on hidden folders.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from tmax_gym.checks import exact
from tmax_gym.checks.check import Case, Check, Gate, unchanged
from tmax_gym.families.contract import Attempt, Context, Family, World, write_file
from tmax_gym.families.data_processing.template_mill import content, language
from tmax_gym.families.data_processing.template_mill.guide import guide as described
from tmax_gym.families.data_processing.template_mill.rendering import program, slipping
from tmax_gym.families.shared import sources, tricks
from tmax_gym.later import Later
from tmax_gym.nodes import Node, prose, text
from tmax_gym.rng import Rng
from tmax_gym.texts.obligations import Obligation
from tmax_gym.world import toolchains

CASES = 4
DRAWS = 24
"""Folders drawn until the tables of characters matter in one; mostly one of the first three."""
HEADER = ("lang", "name", "parcels", "place", "items", "note")


@dataclass(frozen=True, kw_only=True)
class Mail(World):
    """The decided facts."""

    plan: language.Plan
    folder: str
    guide: str
    target: str
    programs: sources.Sources
    """The program that must be left behind; none if no language is named."""
    folded: bool
    """Whether the letters depend on the table of foldings."""
    lines: Sequence[str]
    cases: Sequence[tuple[Case, bytes]]


class TemplateMill(Family[Mail]):
    """Compose, tokenise, match, fill in."""

    id = "DPR-19"
    slug = "template-mill"
    domain = "data_processing"
    skill = "String/Text"
    primitives = (
        "Template-based text generation",
        "Unicode and multi-language text processing",
        "Tokenization and normalization",
    )
    fixtures = ("text_only",)
    verifiers = ("exact_text", "fuzz_equivalence")
    languages = ("any", "python", "bash", "go")
    tools = ("bash", "gawk", "python3")

    def world(self, ctx: Context) -> Mail:
        """Return a template, its rows and tables, and the guide to them."""
        rng = ctx.rng.fork("mill")
        plan = language.plan(rng, features=ctx.knob(1, 6))
        folder, guide = ctx.path(ctx.skin.directory(rng)), ctx.path("GUIDE.md")
        codes = ["en", *rng.sample(sorted(set(content.LANGUAGES) - {"en"}), ctx.knob(2, 7))]
        mill, folded = _telling(ctx, rng.fork("shown"), plan, codes)
        asked = sources.sources(ctx, "mill") if ctx.language != "any" else ()
        target = ctx.path(f"{ctx.skin.stem(rng)}_letters.txt")
        return Mail(
            nodes=(*_nodes(folder, mill), prose(guide, described(plan))),
            outputs=(target, *(one.path for one in asked)),
            plan=plan,
            folder=folder,
            guide=guide,
            target=target,
            programs=asked,
            folded=folded,
            lines=Later(lambda: language.letters(plan, mill)),
            cases=Later(lambda: (_case(ctx, plan, n) for n in range(CASES if asked else 0))),
        )

    def oracle(self, ctx: Context, world: Mail) -> tuple[str, ...]:
        """Return a look at the guide and the tables, the program, and one run of it."""
        return (
            f"cat {world.guide}; tail -n +1 {world.folder}/*.tpl {world.folder}/[prt]*.tsv",
            f"cut -f 2 {world.folder}/rows.tsv | tail -n +2 | xxd | head; "
            f"paste {world.folder}/compose.tsv {world.folder}/fold.tsv | head -n 20",
            *_done(ctx, world, partial(program, world.plan)),
            f"grep -c -F -x -e '{world.plan.between}' {world.target}; wc -L {world.target}",
        )

    def alternative(self, ctx: Context, world: Mail) -> tuple[str, ...] | None:
        """Return gawk where no program is asked for."""
        if world.programs:
            return None
        run = f"bash /tmp/mill.sh {world.folder} > {world.target}"
        return (write_file("/tmp/mill.sh", program(world.plan, "bash")), run)

    def checks(self, ctx: Context, world: Mail) -> tuple[Check | Gate, ...]:
        """Return the letters, and the program on hidden folders."""
        run = exact.lines("letters", world.target, world.lines)
        graded = sources.by_run(ctx.verifier, run, world.programs, cases=world.cases)
        return (unchanged("tables", world.nodes), *graded)

    def say(self, ctx: Context, world: Mail) -> tuple[Obligation, ...]:
        """Return the folder, the guide, the file of letters and the program."""
        folder = world.folder
        obligations = [
            Obligation(
                "goal",
                f"Our letters are made from the tables in `{folder}`. Make a letter from the "
                f"template `{folder}/letter.tpl` for every row of `{folder}/rows.tsv`, in the "
                f"language of the row, and write all letters to `{world.target}`.",
                "goal",
            ),
            Obligation(
                "guide",
                f"`{world.guide}` describes the template language, the tables, and how topics are "
                "found in notes. Follow it exactly: every character of the letters counts.",
            ),
        ]
        for one in world.programs:
            obligations.append(
                Obligation(
                    "program",
                    f"Write the mill itself in {one.name}, as `{one.path}`: a program whose only "
                    "argument is the path of a folder, and which prints the letters of this folder "
                    "to standard output.",
                    "output",
                )
            )
            if one.build:
                call = toolchains.call(one.language)
                obligations.append(
                    Obligation(
                        "built",
                        f"`{one.path}` must compile with `{call}` on its own, with the standard "
                        "library only and without a network.",
                        "limit",
                    )
                )
            obligations.append(
                Obligation(
                    "other",
                    f"We will run the program on other folders like `{folder}`, with other "
                    "templates, rows and tables.",
                    "grading",
                )
            )
        keep = Obligation(
            "keep",
            "Do not change the files that are there now.",
            "limit",
            (
                "not change",
                "unchanged",
                "as it is",
                "as they are",
                "untouched",
                "not modify",
                "not edit",
            ),
        )
        return (*obligations, keep)

    def mutants(self, ctx: Context, world: Mail) -> tuple[Attempt, ...]:
        """Return mills that forget a table, and letters that run into each other."""
        plan = world.plan
        right = _done(ctx, world, partial(program, plan))
        ways = {
            "uncomposed": _done(ctx, world, partial(slipping, plan, "uncomposed")),
            "last one lost": (*right, f"sed -i '$d' {world.target}"),
            "run together": (
                *right,
                f"grep -vFx -e '{plan.between}' {world.target} > /tmp/b; cp /tmp/b {world.target}",
            ),
        }
        if world.folded:
            ways["unfolded"] = _done(ctx, world, partial(slipping, plan, "unfolded"))
        if world.programs:
            ways["no program"] = (*right, f"rm {world.programs[0].path}")
        return tuple(Attempt(name, way) for name, way in ways.items())

    def exploits(self, ctx: Context, world: Mail) -> tuple[Attempt, ...]:
        """Return the template as the letters, and a program that prints it."""
        copied = f"cat {world.folder}/letter.tpl {world.folder}/phrases.tsv > {world.target}"
        shown = [
            write_file(one.path, tricks.prints(one.language, [world.plan.between]))
            for one in world.programs
        ]
        return (Attempt("template", (copied,)), Attempt("lines between", (copied, *shown)))


def _done(ctx: Context, world: Mail, writer: sources.Writer) -> tuple[str, ...]:
    """Return the commands that write a mill and run it on the folder."""
    if world.programs:
        (one,) = world.programs
        run = f"{one.call} {world.folder} > {world.target}"
        return (*sources.written(world.programs, writer), run)
    run = f"python3 /tmp/mill.py {world.folder} > {world.target}"
    return (write_file("/tmp/mill.py", writer("python")), run)


def _telling(
    ctx: Context, rng: Rng, plan: language.Plan, languages: Sequence[str]
) -> tuple[language.Mill, bool]:
    """Return a folder in which composing matters, and whether folding matters too."""
    spare: list[language.Mill] = []
    for number in range(DRAWS):
        mill = _drawn(ctx, rng.fork(number), plan, languages, more=ctx.knob(1, 8))
        loose = "".join(row["name"] for row in mill.rows[::2])
        if unicodedata.is_normalized("NFD", loose):
            continue
        bare = replace(mill, folds={})
        if language.letters(plan, bare) != language.letters(plan, mill):
            return mill, True
        spare.append(mill)
    if not spare:
        raise ValueError(f"{DRAWS} draws from {languages} have no name with a mark")
    return spare[0], False


def _drawn(
    ctx: Context, rng: Rng, plan: language.Plan, languages: Sequence[str], *, more: int = 0
) -> language.Mill:
    rows = [
        _row(ctx, rng.fork("row", n), languages[n % len(languages)])
        for n in range(len(languages) + more)
    ]
    rows = rng.shuffled(rows)
    topics = {
        topic: (
            1 if topic == "invoice" else rng.choice((1, 1, 2)),
            tuple(p for lang in languages for p in content.NOTES[lang][topic][0]),
        )
        for topic in content.TOPICS
    }
    phrases = {
        (key, lang): _bracketed(plan, wordings)
        for lang in languages
        for key, wordings in content.PHRASES[lang].items()
    }
    if "fallback" in plan.features:
        gone = rng.sample(sorted(k for k in phrases if k[1] != "en"), 2)
        phrases = {key: wordings for key, wordings in phrases.items() if key not in gone}
    template = _template(rng.fork("template"), plan)
    mill = language.Mill(template, phrases, topics, tuple(rows), folds={})
    folds = {ord(one): folded for one, folded in content.folding(_texts(mill))}
    return replace(mill, folds=folds)


def _texts(mill: language.Mill) -> list[str]:
    """Return every text of a folder, composed."""
    phrases = [phrase for _, topic in mill.topics.values() for phrase in topic]
    cells = [cell for row in mill.rows for cell in row.values()]
    return [*phrases, *cells, *mill.phrases.values(), *mill.template]


def _row(ctx: Context, rng: Rng, lang: str) -> dict[str, str]:
    """Return a row, composed."""
    topic = rng.choice(("delay", "damage", "invoice", ""))
    notes = [rng.choice(content.NOTES[lang][topic][1]), rng.choice(content.NOTES[lang][""][1])]
    labels = rng.sample((*content.LABELS, *(t.singular for t in ctx.skin.things)), 3)
    items = [f"{label}*{rng.integer(1, 250)}" for label in labels[: rng.integer(0, 3)]]
    own = rng.choice(content.NAMES[lang])
    cells = {
        "lang": lang,
        "name": own if rng.chance(0.8) else ctx.skin.person(rng),
        "parcels": str(rng.choice((1, 2, 3, 5, 11, 12, 21, 22, 101, 102, rng.integer(0, 130)))),
        "place": ctx.skin.place(rng),
        "items": ";".join(items),
        "note": " ".join(rng.shuffled(notes)),
    }
    if rng.chance(0.4):
        cells["note"] = content.unmarked(cells["note"])
    return {key: unicodedata.normalize("NFC", cell) for key, cell in cells.items()}


def _bracketed(plan: language.Plan, phrase: str) -> str:
    return phrase.replace("}", "\0").replace("{", plan.open).replace("\0", plan.close)


def _template(rng: Rng, plan: language.Plan) -> tuple[str, ...]:
    """Return a template that uses every feature of the plan."""
    k, has = plan.control, plan.features.__contains__
    blocks: list[list[str]] = []
    for topic, key in rng.shuffled((("delay", "late"), ("damage", "damage"), ("invoice",) * 2)):
        other = [f"{k} else", "{=quiet}"] if has("else") and rng.chance(0.7) else []
        blocks.append([f"{k} if #{topic}", f"{{={key}}}", *other, f"{k} end"])
    if has("else") and not any(f"{k} else" in block for block in blocks):
        blocks[0][-1:] = [f"{k} else", "{=quiet}", f"{k} end"]
    if has("not"):
        inserted = rng.choice(("{=quiet}", "{name}: ok", "{place} / {name}"))
        blocks.append([f"{k} if !#{rng.choice(content.TOPICS)}", inserted, f"{k} end"])
    blocks.append(["{=count parcels}" if has("plural") else "{name} / {parcels}"])
    if has("each"):
        item = "{no}. {it:12}|{qty:>4}|" if has("width") else "- {it} x {qty}"
        loop = [f"{k} each items", rng.choice((item, f"{item} ({{name}})")), f"{k} end"]
        blocks.append([f"{k} if items", "{=list}", *loop, f"{k} end"])
    if has("width"):
        blocks.append(
            [rng.choice(("|{name:10}|{place:>14}|", "{place:>9}/{name:>12}/{parcels:4}/"))]
        )
    if rng.chance(0.5):
        # A block within a block.
        inner = blocks.pop(rng.integer(0, 2))
        blocks.append([f"{k} if items", "{name} / {lang}", *inner, f"{k} end"])
    middle = [line for block in rng.shuffled(blocks) for line in block]
    lines = ("{=greet}", *middle, rng.choice(("{=thanks}", "{=thanks} ({lang})")))
    return tuple(line if line.startswith(f"{k} ") else _bracketed(plan, line) for line in lines)


def _nodes(folder: str, mill: language.Mill) -> tuple[Node, ...]:
    """Return the files of a folder; every other row is written with separate marks."""
    seen = _texts(mill)
    listed: list[tuple[str, ...]] = [HEADER]
    for number, row in enumerate(mill.rows):
        cells = [row[name] for name in HEADER]
        if number % 2 == 0:
            cells = [unicodedata.normalize("NFD", cell) for cell in cells]
        listed.append(tuple(cells))
    languages = sorted({row["lang"] for row in mill.rows} | {"en"})
    plurals = [(lang, *rule.split()) for lang in languages for rule in content.PLURALS[lang]]
    tables: dict[str, Sequence[Sequence[str]]] = {
        "rows.tsv": listed,
        "plurals.tsv": plurals,
        "phrases.tsv": [
            (key, lang, phrase) for (key, lang), phrase in sorted(mill.phrases.items())
        ],
        "topics.tsv": [(t, str(n), ";".join(p)) for t, (n, p) in sorted(mill.topics.items())],
        "compose.tsv": content.composing(seen),
        "fold.tsv": content.folding(seen),
    }
    bodies = {
        name: "".join("\t".join(cells) + "\n" for cells in table) for name, table in tables.items()
    }
    bodies["letter.tpl"] = "".join(f"{line}\n" for line in mill.template)
    return tuple(text(f"{folder}/{name}", body) for name, body in sorted(bodies.items()))


def _case(ctx: Context, plan: language.Plan, number: int) -> tuple[Case, bytes]:
    """Return a hidden folder and its letters."""
    rng = ctx.rng.fork("case", number)
    languages = ["en", *rng.sample(sorted(set(content.LANGUAGES) - {"en"}), 2 + number)]
    folder = ctx.path("other", f"{number}")
    mill = _drawn(ctx, rng, plan, languages, more=2)
    out = "".join(f"{line}\n" for line in language.letters(plan, mill))
    return Case(argv=(folder,), nodes=_nodes(folder, mill)), out.encode()


FAMILY = TemplateMill()
