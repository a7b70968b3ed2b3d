"""Follow-up: the agent lists files with sizes and digests, and adds them up in a second file."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from tmax_gym.checks import exact
from tmax_gym.checks.check import Check, Gate
from tmax_gym.families.contract import Attempt, Following, FollowUp, World, write_file
from tmax_gym.families.follow_ups.file_manifest.totals import Totals, totals_of, totals_rules
from tmax_gym.families.products import Files
from tmax_gym.families.shared import file_sets
from tmax_gym.families.shared.columns import SEPARATORS, file_name, listed
from tmax_gym.families.shared.programs import program_text
from tmax_gym.rng import Rng
from tmax_gym.texts.obligations import Obligation

TOTALS = program_text(__package__, "totals.awk")
DIGESTS = {"sha256": "SHA-256", "sha1": "SHA-1", "sha512": "SHA-512", "md5": "MD5"}
HEAD = 4
"""Bytes of a file that a column may show."""
Column = tuple[str, str]
"""What a column holds (`path`, `bytes`, `digest`, `lines` or `head`) and its name."""


@dataclass(frozen=True, kw_only=True)
class Manifest(World):
    """The decided facts."""

    target: str
    columns: tuple[Column, ...]
    digest: str
    separator: str
    absolute: bool
    """Whether paths are absolute, not relative to the root."""
    largest_first: bool
    rows: tuple[tuple[str, ...], ...]
    totals: Totals

    @property
    def names(self) -> tuple[str, ...]:
        """Return the header."""
        return tuple(name for _, name in self.columns)


class FileManifest(FollowUp[Files, Manifest]):
    """One line a file, and a few totals."""

    slug = "file-manifest"
    tools = ("bash", "awk", "jq")
    works_on = Files

    def suits(self, product: Files) -> bool:
        """Return whether there are several files with plain names."""
        return len(product.contents) >= 2 and file_sets.plain(product)

    def world(self, ctx: Following[Files]) -> Manifest:
        """Return the columns, the order and the totals; there are no files to begin with."""
        files, rng = ctx.product, ctx.rng.fork("manifest")
        stem = rng.choice(("manifest", "inventory", "contents", file_name(files.noun, "")[:-1]))
        separator = rng.weighted(tuple(SEPARATORS), (3, 1, 1))
        target = ctx.path(f"{stem}.{'tsv' if separator == chr(9) else 'csv'}")
        digest = rng.weighted(tuple(DIGESTS), (3, 1, 1, 1))
        absolute, largest_first = rng.chance(0.3), rng.chance(0.4)
        columns = _columns(files, rng, digest)
        totals = totals_of(ctx, absolute=absolute, separator=separator)
        order = file_sets.in_order(files)
        if largest_first:
            order = tuple(sorted(order, key=lambda path: -len(files.contents[path])))
        cells = {kind: _cell(files, kind, digest=digest, absolute=absolute) for kind, _ in columns}
        return Manifest(
            nodes=(),
            outputs=(target, totals.target),
            target=target,
            columns=columns,
            digest=digest,
            separator=separator,
            absolute=absolute,
            largest_first=largest_first,
            rows=tuple(tuple(cells[kind](path) for kind, _ in columns) for path in order),
            totals=totals,
        )

    def oracle(self, ctx: Following[Files], world: Manifest) -> tuple[str, ...]:
        """Return commands that gather each column in a file, and paste them."""
        return _written(ctx, world)

    def checks(self, ctx: Following[Files], world: Manifest) -> tuple[Check | Gate, ...]:
        """Return a check of the lines, and one of the totals."""
        manifest = exact.rows(
            "manifest",
            world.target,
            world.rows,
            header=world.names,
            delimiter=world.separator,
            weight=0.7,
        )
        return (manifest, world.totals.check(weight=0.3))

    def say(self, ctx: Following[Files], world: Manifest) -> tuple[Obligation, ...]:
        """Return the lines, their order, what each column holds, and the totals."""
        files = ctx.product
        deep = " or in a directory below it" if file_sets.nested(files) else ""
        order = (
            "The largest file comes first, and files of equal size are in byte order of their "
            "paths."
            if world.largest_first
            else "The lines are in byte order of the paths."
        )
        return (
            Obligation(
                "goal",
                f"Write a manifest of the {files.noun} in `{files.root}` to `{world.target}`.",
                "goal",
            ),
            Obligation(
                "form",
                f"Its columns are separated by {SEPARATORS[world.separator]}, and its first line "
                f"has their names: {listed(world.names)}.",
                "format",
            ),
            Obligation(
                "lines",
                f"It has one more line for every regular file in `{files.root}`{deep}. {order}",
                "format",
            ),
            *_column_rules(ctx, world),
            *totals_rules(world.totals, files),
        )

    def mutants(self, ctx: Following[Files], world: Manifest) -> tuple[Attempt, ...]:
        """Return a manifest with other paths, orders, digests, and one without its last line."""
        other = next(name for name in DIGESTS if name != world.digest)
        every = (*_written(ctx, world), f"sed -i '$d' {world.target}")
        return (
            Attempt("dotted", _written(ctx, replace(world, absolute=False), prefix="./")),
            Attempt("other order", _written(ctx, replace(world, largest_first=False), sort="-r")),
            Attempt("other digest", _written(ctx, replace(world, digest=other))),
            Attempt("last line missing", every),
            Attempt("no totals", (*_written(ctx, world), f": > {world.totals.target}")),
        )

    def exploits(self, ctx: Following[Files], world: Manifest) -> tuple[Attempt, ...]:
        """Return empty tables, and a manifest of made-up files."""
        head = world.separator.join(world.names)
        zeros = world.separator.join("0" for _ in world.names)
        bodies = {"header alone": head, "zeros": "\n".join((head, *(zeros,) * 5))}
        return tuple(
            Attempt(
                name,
                (
                    f"mkdir -p {ctx.home}",
                    write_file(world.target, body),
                    write_file(world.totals.target, world.totals.empty),
                ),
            )
            for name, body in bodies.items()
        )


def _columns(files: Files, rng: Rng, digest: str) -> tuple[Column, ...]:
    names = {
        "path": rng.choice(("path", "file")),
        "bytes": rng.choice(("bytes", "size")),
        "digest": rng.choice((digest, "digest", "checksum")),
    }
    extra = ["", "lines"]
    if all(len(body) >= HEAD for body in files.contents.values()):
        extra.append("head")
    if more := rng.choice(extra):
        names[more] = more
    return tuple(rng.shuffled(tuple(names.items())))


def _cell(files: Files, kind: str, *, digest: str, absolute: bool) -> Callable[[str], str]:
    """Return the function that gives the cell of a file by its path."""
    ways: Mapping[str, Callable[[str], str]] = {
        "path": lambda path: f"{files.root}/{path}" if absolute else path,
        "bytes": lambda path: str(len(files.contents[path])),
        "digest": lambda path: hashlib.new(digest, files.contents[path]).hexdigest(),
        "lines": lambda path: str(files.contents[path].count(b"\n")),
        "head": lambda path: files.contents[path][:HEAD].hex(),
    }
    return ways[kind]


def _column_rules(ctx: Following[Files], world: Manifest) -> tuple[Obligation, ...]:
    names = dict(world.columns)
    path = (
        "the absolute path of the file"
        if world.absolute
        else f"the path of the file relative to `{ctx.product.root}`, without `./` in front of it"
    )
    more = {
        "lines": "the number of line feeds in it",
        "head": f"its first {HEAD} bytes as lower-case hex digits without blanks",
    }
    extra = [f" `{names[kind]}` is {what}." for kind, what in more.items() if kind in names]
    return (
        Obligation("path", f"`{names['path']}` is {path}.", "format"),
        Obligation(
            "columns",
            f"`{names['bytes']}` is its size in bytes, and `{names['digest']}` its "
            f"{DIGESTS[world.digest]} in lower-case hex.{''.join(extra)}",
            "format",
            (DIGESTS[world.digest],),
        ),
    )


def _written(
    ctx: Following[Files], world: Manifest, *, prefix: str = "", sort: str = ""
) -> tuple[str, ...]:
    root = ctx.product.root
    gather = {
        "path": f"sed 's|^|{f'{root}/' if world.absolute else prefix}|' /tmp/paths.txt",
        "bytes": f"(cd {root} && xargs stat -c %s < /tmp/paths.txt)",
        "digest": f"(cd {root} && xargs {world.digest}sum < /tmp/paths.txt) | cut -d ' ' -f 1",
        "lines": f'while read -r path; do wc -l < "{root}/$path"; done < /tmp/paths.txt',
        "head": f'while read -r path; do head -c {HEAD} "{root}/$path" | od -An -tx1; '
        "done < /tmp/paths.txt | tr -d ' '",
    }
    kinds = [kind for kind, _ in world.columns]
    by_size = " | LC_ALL=C sort -s -t \"$(printf '\\t')\" -k 2,2nr" if world.largest_first else ""
    separator = world.separator.replace("\t", "\\t")
    head = world.separator.join(world.names).replace("\t", "\\t")
    return (
        f"mkdir -p {ctx.home}",
        f"(cd {root} && find . -type f -printf '%P\\t%s\\n') | LC_ALL=C sort {sort}{by_size} "
        "> /tmp/files.tsv",
        "cut -f 1 /tmp/files.tsv > /tmp/paths.txt",
        *(f"{gather[kind]} > /tmp/column.{kind}" for kind in kinds),
        f"printf '{head}\\n' > {world.target}",
        f"paste -d '{separator}' {' '.join(f'/tmp/column.{kind}' for kind in kinds)} "
        f">> {world.target}",
        *world.totals.commands(TOTALS, root),
        "rm /tmp/files.tsv /tmp/paths.txt /tmp/column.*",
    )


FOLLOW_UP = FileManifest()
