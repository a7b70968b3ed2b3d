"""Follow-up: the agent publishes files as a release, moves a link and removes old releases."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass, replace

from tmax_gym.checks import exact, tolerance
from tmax_gym.checks.check import BadOutput, Check, Evidence, Gate, fraction
from tmax_gym.families.contract import Attempt, Following, FollowUp, World
from tmax_gym.families.follow_ups.publish_release.shelves import Shelf, shelf
from tmax_gym.families.products import Files
from tmax_gym.families.shared import file_sets
from tmax_gym.nodes import Node
from tmax_gym.texts.obligations import Obligation

WEIGHTS = {"release": 0.5, "links": 0.2, "kept": 0.15, "list": 0.15}


@dataclass(frozen=True, kw_only=True)
class Release(World):
    """The decided facts."""

    shelf: Shelf
    on_top: bool
    """Whether the list has the newest release first, below a heading."""
    mirrored: bool
    """Whether the list loses the lines of removed releases."""
    lines: tuple[str, ...]
    """The right lines of the list."""


class PublishRelease(FollowUp[Files, Release]):
    """A new release, a link to it, and a list that says so."""

    slug = "publish-release"
    tools = ("bash", "awk", "sed")
    works_on = Files

    def suits(self, product: Files) -> bool:
        """Return whether there are files with plain names."""
        return bool(product.contents) and file_sets.plain(product)

    def world(self, ctx: Following[Files]) -> Release:
        """Return a directory with earlier releases, a link to one of them, and their list."""
        rng = ctx.rng.fork("release")
        drawn = shelf(ctx)
        on_top, mirrored = rng.chance(0.5), rng.chance(0.5)
        sizes = file_sets.sizes(ctx.product)
        new = f"{drawn.new} {len(sizes)} {sum(sizes.values())}"
        left = [line for name, line in drawn.lines if not mirrored or name in drawn.kept]
        before = [line for _, line in drawn.lines]
        head = ["# release files bytes"]
        if on_top:
            before, right = [*head, *reversed(before)], [*head, new, *reversed(left)]
        else:
            right = [*left, new]
        listed = Node(drawn.list, data="".join(f"{line}\n" for line in before).encode())
        return Release(
            nodes=(*drawn.nodes, listed),
            outputs=(f"{drawn.releases}/{drawn.new}", drawn.list),
            shelf=drawn,
            on_top=on_top,
            mirrored=mirrored,
            lines=tuple(right),
        )

    def oracle(self, ctx: Following[Files], world: Release) -> tuple[str, ...]:
        """Return commands that copy, link, list and remove."""
        return _written(ctx, world)

    def checks(self, ctx: Following[Files], world: Release) -> tuple[Check | Gate, ...]:
        """Return checks of the copies, the links, the releases that are left, and the list.

        All but the first count as far as the release itself is right: without it, nothing is
        published.
        """
        parts = {"links": _links, "kept": _kept, "list": _listed}

        def release(evidence: Evidence) -> float:
            return _copied(evidence, ctx.product, world)

        def part(name: str) -> Check:
            def score(evidence: Evidence) -> float:
                whole = release(evidence)
                return whole and whole * parts[name](evidence, world)

            return Check(name, "exact_text", score, weight=WEIGHTS[name])

        first = Check("release", "exact_text", release, weight=WEIGHTS["release"])
        return (first, *(part(name) for name in parts))

    def say(self, ctx: Following[Files], world: Release) -> tuple[Obligation, ...]:
        """Return where the release goes, the links, what is removed, and the list."""
        files, drawn = ctx.product, world.shelf
        deep = ", with their directories," if file_sets.nested(files) else ""
        obligations = [
            Obligation(
                "goal",
                f"Publish the {files.noun} in `{files.root}` as the release `{drawn.new}`: copy "
                f"all files there{deep} to `{drawn.releases}/{drawn.new}`.",
                "goal",
            ),
            Obligation(
                "copies",
                "The names stay the same, and the release holds copies, not links, and nothing "
                "else.",
                "format",
                ("nothing else", "no other", "only"),
            ),
            Obligation(
                "link",
                f"Make the symbolic link `{drawn.link}` point to the new release, with the "
                f"relative target `{drawn.target}`.",
                "output",
            ),
        ]
        if drawn.previous:
            obligations.append(
                Obligation(
                    "previous",
                    f"Make a symbolic link `{drawn.previous}` too, with the relative target that "
                    f"`{drawn.link}` has now.",
                    "output",
                )
            )
        return (*obligations, _kept_rule(drawn), _list_rule(world))

    def mutants(self, ctx: Following[Files], world: Release) -> tuple[Attempt, ...]:
        """Return releases with another link, too many left, no line, and one level too deep."""
        drawn, every = world.shelf, _written(ctx, world)
        deep = f"{drawn.releases}/{drawn.new}"
        more = replace(drawn, keep=drawn.keep + 1)
        return (
            Attempt("absolute link", (*every, f"ln -sfn {deep} {drawn.link}")),
            Attempt("one too many kept", _written(ctx, replace(world, shelf=more))),
            Attempt("no line", (*every, f"sed -i '/^{drawn.new} /d' {drawn.list}")),
            Attempt("one file too many", (*every, f"date > {deep}/PUBLISHED")),
            Attempt(
                "one level deeper",
                (*every, f"mv {deep} /tmp/new && mkdir {deep}", f"mv /tmp/new {deep}/{drawn.new}"),
            ),
        )

    def exploits(self, ctx: Following[Files], world: Release) -> tuple[Attempt, ...]:
        """Return an empty release, and a copy of an old one."""
        drawn = world.shelf
        new = f"{drawn.releases}/{drawn.new}"
        rest = (f"ln -sfn {drawn.target} {drawn.link}", *_pruned(world), *_line(world))
        return (
            Attempt("empty", (f"mkdir {new}", *rest)),
            Attempt("old files", (f"cp -R {drawn.releases}/{drawn.kept[0]} {new}", *rest)),
        )


def _copied(evidence: Evidence, files: Files, world: Release) -> float:
    """Return the F1 of the files in the release, reduced unless all are right."""
    root = f"{world.shelf.releases}/{world.shelf.new}/"
    actual = {
        node.path.removeprefix(root): node
        for node in evidence.tree(world.shelf.releases)
        if node.path.startswith(root) and node.kind != "dir"
    }
    if not actual:
        raise BadOutput(f"{root} holds no files")
    hits = sum(
        node.kind == "file" and node.data == files.contents.get(path)
        for path, node in actual.items()
    )
    share = fraction(2 * hits, len(actual) + len(files.contents))
    return file_sets.steep(share)


def _links(evidence: Evidence, world: Release) -> float:
    """Return the share of the links that lead to the right release by a relative path."""
    drawn = world.shelf
    wanted = {drawn.link: drawn.target}
    if drawn.previous:
        wanted[drawn.previous] = drawn.old_target
    nodes = {node.path: node for node in evidence.tree(posixpath.dirname(drawn.link))}
    right = [
        path in nodes
        and nodes[path].kind == "link"
        and posixpath.normpath(nodes[path].target) == target
        for path, target in wanted.items()
    ]
    return fraction(sum(right), len(right))


def _kept(evidence: Evidence, world: Release) -> float:
    """Return 1 if exactly the right releases are there, and the old ones are unchanged."""
    drawn = world.shelf
    head = f"{drawn.releases}/"
    nodes = {node.path: node for node in evidence.tree(drawn.releases)}
    names = {path.removeprefix(head).split("/", 1)[0] for path in nodes if path.startswith(head)}
    if names != {*drawn.kept, drawn.new}:
        return 0.0
    before = {n.path: n.data for n in drawn.nodes if n.path.startswith(head) and n.kind == "file"}
    kept = tuple(f"{head}{name}/" for name in drawn.kept)
    now = {n.path: n.data for n in nodes.values() if n.kind != "dir" and n.path.startswith(kept)}
    return float(now == {path: data for path, data in before.items() if path.startswith(kept)})


def _listed(evidence: Evidence, world: Release) -> float:
    lines = tolerance.lines(exact.read_text(evidence, world.shelf.list))
    return float(lines == list(world.lines))


def _kept_rule(drawn: Shelf) -> Obligation:
    keep = f"Keep only the newest {drawn.keep} releases in `{drawn.releases}`, the new one included"
    return Obligation("kept", f"{keep}, and remove all others. {drawn.order}", "rule")


def _list_rule(world: Release) -> Obligation:
    place = "directly below the heading" if world.on_top else "at the end"
    gone = (
        ", remove the lines of the releases that you remove, and leave all other lines as they are"
        if world.mirrored
        else " and leave all other lines as they are, also those of releases that you remove"
    )
    return Obligation(
        "list",
        f"`{world.shelf.list}` has a line for each release: its name, the number of its files and "
        "the sum of their sizes in bytes, separated by single spaces. Add the line of the new "
        f"release {place}{gone}.",
        "output",
    )


def _written(ctx: Following[Files], world: Release) -> tuple[str, ...]:
    drawn = world.shelf
    new = f"{drawn.releases}/{drawn.new}"
    previous = f'ln -s "$(readlink {drawn.link})" {drawn.previous}'
    return (
        f"mkdir {new}",
        f"cp -R {ctx.product.root}/. {new}",
        *((previous,) if drawn.previous else ()),
        f"ln -sfn {drawn.target} {drawn.link}",
        *_pruned(world),
        *_line(world),
    )


def _line(world: Release) -> tuple[str, ...]:
    """Return commands that count the files of the new release and list it."""
    drawn = world.shelf
    line = f'"{drawn.new} $files $bytes"'
    add = f"sed -i 1a{line} {drawn.list}" if world.on_top else f"echo {line} >> {drawn.list}"
    return (
        f"files=$(find {drawn.releases}/{drawn.new} -type f | wc -l)",
        f"bytes=$(find {drawn.releases}/{drawn.new} -type f -printf '%s\\n' "
        "| awk '{ n += $1 } END { print n + 0 }')",
        add,
    )


def _pruned(world: Release) -> tuple[str, ...]:
    """Return commands that remove old releases, and their lines where that is asked for."""
    drawn = world.shelf
    old = f"ls {drawn.releases} | sort -V | head -n -{drawn.keep}"
    lines = f'for name in $({old}); do sed -i "/^$name /d" {drawn.list}; done'
    return (
        *((lines,) if world.mirrored else ()),
        f"for name in $({old}); do rm -r {drawn.releases}/$name; done",
    )


FOLLOW_UP = PublishRelease()
