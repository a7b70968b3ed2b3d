"""Follow-up: the agent writes down what it edited as one unified diff."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Literal

from tmax_gym.checks import exact
from tmax_gym.checks.check import BadOutput, Check, Evidence, Gate, fraction
from tmax_gym.families.contract import Attempt, Following, FollowUp, World, write_file
from tmax_gym.families.follow_ups.patch_file import unified
from tmax_gym.families.products import Edits
from tmax_gym.families.shared import edited
from tmax_gym.texts.obligations import Obligation

Side = Literal["list", "sums", "lengths"]
SIDES: Mapping[Side, tuple[str, ...]] = {
    "list": ("changed.txt", "files.txt", "CHANGED"),
    "sums": ("sums.txt", "SHA256SUMS", "repaired.sha256"),
    "lengths": ("lengths.csv", "lines.csv", "sizes.csv"),
}
"""What is written beside the diff, and names for its file."""
PREFIXES = (("a", "b"), ("old", "new"), ("before", "after"), ("orig", "fixed"), ("was", "now"))
HEADER = ("path", "before", "after")
SHOWN = {
    "list": "echo $f",
    "sums": "(cd {root} && sha256sum $f)",
    "lengths": "echo $f,$(wc -l < {original}/$f),$(wc -l < {root}/$f)",
}


@dataclass(frozen=True, kw_only=True)
class Patch(World):
    """The decided facts."""

    target: str
    original: str
    """The directory with the original files."""
    old: str
    new: str
    context: int
    side: Side
    side_path: str


class PatchFile(FollowUp[Edits, Patch]):
    """A diff from the original files to the edited ones, and a list of these."""

    slug = "patch-file"
    tools = ("bash", "diff", "git")
    works_on = Edits

    def world(self, ctx: Following[Edits]) -> Patch:
        """Return the original files, and the form of the diff."""
        rng = ctx.rng.fork("patch")
        original = ctx.path(rng.choice(("original", "pristine", "untouched", "as_found")))
        target = ctx.path(rng.choice(("repair.patch", "changes.diff", "fix.patch", "0001.patch")))
        old, new = rng.choice(PREFIXES)
        side = rng.choice(tuple(SIDES))
        side_path = ctx.path(rng.choice(SIDES[side]))
        return Patch(
            nodes=edited.copies(ctx.product, original),
            outputs=(target, side_path),
            target=target,
            original=original,
            old=old,
            new=new,
            context=rng.choice((1, 2, 3, 4, 5)),
            side=side,
            side_path=side_path,
        )

    def oracle(self, ctx: Following[Edits], world: Patch) -> tuple[str, ...]:
        """Return a loop over the files with diff, a trial of the result, and the list."""
        return _written(ctx, world)

    def alternative(self, ctx: Following[Edits], world: Patch) -> tuple[str, ...]:
        """Return the same by git, in a copy of the original files."""
        names = edited.words(edited.in_order(ctx.product))
        form = f"-U{world.context} --src-prefix={world.old}/ --dst-prefix={world.new}/"
        return (
            f"cp -r {world.original} /tmp/tree; cd /tmp/tree; git init -q; git add -A",
            f"for f in {names}; do cp {ctx.product.root}/$f $f; done",
            f"git diff {form} > {world.target}; cd /; rm -rf /tmp/tree",
            *_listed(ctx, world),
        )

    def checks(self, ctx: Following[Edits], world: Patch) -> tuple[Check | Gate, ...]:
        """Return checks of the diff, of its form, and of the list beside it."""
        before = ctx.product.before

        def parts(evidence: Evidence) -> tuple[float, tuple[unified.Section, ...]]:
            now = edited.changed(evidence, ctx.product)
            diff = unified.sections(evidence.read(world.target), world.old, world.new)
            if any(part.path not in before for part in diff):
                raise BadOutput(f"{world.target} has a file that is not in {world.original}")
            right = sum(_leads_to(part, before[part.path], now.get(part.path)) for part in diff)
            return fraction(right, len({*now, *(part.path for part in diff)})), diff

        def changes(evidence: Evidence) -> float:
            share, _ = parts(evidence)
            return exact.reduced(share)

        def form(evidence: Evidence) -> float:
            share, diff = parts(evidence)
            paths = [part.path.encode() for part in diff]
            kept = (
                paths == sorted(paths),
                all(part.bare for part in diff),
                all(unified.has_context(p, before[p.path], world.context) for p in diff),
            )
            return share * fraction(sum(kept), len(kept))

        def side(evidence: Evidence) -> float:
            now = edited.changed(evidence, ctx.product)
            return _side_check(world, before, now).score(evidence)

        return (
            Check("changes", "exact_text", changes, weight=0.6),
            Check("form", "exact_text", form, weight=0.2),
            Check("side", "exact_text", side, weight=0.2),
        )

    def say(self, ctx: Following[Edits], world: Patch) -> tuple[Obligation, ...]:
        """Return what the diff compares, its form, and the list beside it."""
        product = ctx.product
        return (
            Obligation(
                "goal",
                f"Write everything that you have changed in the {product.noun} in "
                f"`{product.root}` as one unified diff to `{world.target}`.",
                "goal",
            ),
            Obligation(
                "original",
                f"Copies of the original files are in `{world.original}`, with the same relative "
                "paths. The diff leads from them to the final files, and has only files that are "
                f"in `{world.original}` and have changed.",
                "input",
            ),
            Obligation(
                "paths",
                f"Its paths are relative to `{product.root}`, with `{world.old}/` in front in the "
                f"header lines with `---` and `{world.new}/` in those with `+++`, so that "
                "`git apply` and `patch -p1` accept it without an offset.",
                "format",
            ),
            Obligation(
                "form",
                f"Every hunk has {_lines(world.context)} of context on both sides, or fewer only "
                "where the file begins or ends. The files are in byte order of their paths, and "
                "the header lines have no timestamp after the path.",
                "format",
            ),
            _about_side(product, world),
        )

    def mutants(self, ctx: Following[Edits], world: Patch) -> tuple[Attempt, ...]:
        """Return diffs in the wrong direction, with wrong paths or context, and no unified one."""
        swapped = replace(world, old=world.new, new=world.old)
        whole = replace(world, old=world.original, new=ctx.product.root)
        return (
            Attempt("reversed", _written(ctx, world, f"{ctx.product.root}/$f {world.original}/$f")),
            Attempt("prefixes swapped", _written(ctx, swapped)),
            Attempt("whole paths", _written(ctx, whole)),
            Attempt("no context", _without_context(ctx, world)),
            Attempt("no list", _written(ctx, world)[:-1]),
        )

    def exploits(self, ctx: Following[Edits], world: Patch) -> tuple[Attempt, ...]:
        """Return a diff of a change that nobody made, an empty one, and a list of all files."""
        first = edited.in_order(ctx.product)[0]
        head = f"--- {world.old}/{first}\n+++ {world.new}/{first}\n@@ -0,0 +1 @@\n+#"
        names = "\n".join(edited.in_order(ctx.product))
        return (
            Attempt("a comment", (write_file(world.target, head),)),
            Attempt(
                "all files",
                (f": > {world.target}", write_file(world.side_path, names)),
            ),
        )


def _leads_to(part: unified.Section, original: bytes, final: bytes | None) -> bool:
    """Return whether a part of the diff applies, and leads to the final file."""
    try:
        return unified.applied(part, original) == final
    except BadOutput:
        return False


def _side_check(world: Patch, before: Mapping[str, bytes], now: Mapping[str, bytes]) -> Check:
    """Return a check of the file beside the diff, for these changed files."""
    if world.side == "lengths":
        rows = [(p, before[p].count(b"\n"), body.count(b"\n")) for p, body in now.items()]
        return exact.rows("side", world.side_path, rows, header=HEADER)
    if world.side == "list":
        return exact.lines("side", world.side_path, tuple(now))
    sums = [f"{sha256(body).hexdigest()}  {path}" for path, body in now.items()]
    return exact.lines("side", world.side_path, sums)


def _about_side(product: Edits, world: Patch) -> Obligation:
    kinds = {
        "list": f"Write the paths of the changed files, relative to `{product.root}`, to "
        f"`{world.side_path}`, one per line and in byte order.",
        "sums": f"Write the SHA-256 of each changed file in its final state to "
        f"`{world.side_path}`, as `sha256sum` prints it, with paths relative to `{product.root}` "
        "and in byte order of the paths.",
        "lengths": f"Write a CSV file `{world.side_path}` with the header `{','.join(HEADER)}` and "
        f"one row for each changed file: its path relative to `{product.root}`, and its number of "
        "lines, as `wc -l` counts them, in the original and in the final file. The rows are in "
        "byte order of the paths.",
    }
    return Obligation("side", kinds[world.side], "output")


def _lines(count: int) -> str:
    return "1 line" if count == 1 else f"{count} lines"


def _written(ctx: Following[Edits], world: Patch, sides: str = "") -> tuple[str, ...]:
    """Return commands that write the diff, try it and list the files."""
    names = edited.words(edited.in_order(ctx.product))
    labels = f"--label {world.old}/$f --label {world.new}/$f"
    compared = sides or f"{world.original}/$f {ctx.product.root}/$f"
    return (
        f"for f in {names}; do diff -U{world.context} {labels} {compared}; done > {world.target}",
        f"cp -r {world.original} /tmp/trial; git -C /tmp/trial apply --stat {world.target}; "
        "rm -rf /tmp/trial",
        *_listed(ctx, world),
    )


def _without_context(ctx: Following[Edits], world: Patch) -> tuple[str, ...]:
    """Return commands that write a diff without context, and repeat it where it is right so.

    It is right if nothing of an original file is left.
    """
    right, *others = _written(ctx, world)
    wrong, *_ = _written(ctx, replace(world, context=0, target="/tmp/bare"))
    twice = f"cat /tmp/bare /tmp/bare > {world.target}"
    return (
        right,
        wrong,
        f"if cmp -s /tmp/bare {world.target}; then {twice}; else cp /tmp/bare {world.target}; fi",
        *others,
    )


def _listed(ctx: Following[Edits], world: Patch) -> tuple[str, ...]:
    """Return the command that lists the changed files."""
    root = ctx.product.root
    names = edited.words(edited.in_order(ctx.product))
    shown = SHOWN[world.side].format(root=root, original=world.original)
    head = f"echo {','.join(HEADER)}; " if world.side == "lengths" else ""
    loop = f"for f in {names}; do cmp -s {world.original}/$f {root}/$f || {shown}; done"
    return (f"({head}{loop}) > {world.side_path}",)


FOLLOW_UP = PatchFile()
