"""Follow-up: the agent packs all files into one archive, with a manifest and a digest."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import sha256

from tmax_gym.checks import exact, tolerance
from tmax_gym.checks.check import BadOutput, Check, Evidence, Gate, fraction
from tmax_gym.families.contract import Attempt, Following, FollowUp, write_file
from tmax_gym.families.follow_ups.pack_bundle.members import Member, members
from tmax_gym.families.follow_ups.pack_bundle.plan import HEADER, Bundle, decided, lines
from tmax_gym.families.products import Files
from tmax_gym.families.shared import file_sets
from tmax_gym.families.shared.columns import run_once
from tmax_gym.families.shared.programs import program_text
from tmax_gym.texts.obligations import Obligation

PROGRAM = program_text(__package__, "bundle.py")
STAGE, LIST = "/tmp/stage", "/tmp/list"
SLACK = 1 << 20
"""Bytes that an archive may have beside the files in it."""
SHOWN = {
    "sums": f"(cd {{root}}; xargs -d '\\n' sha256sum < {LIST})",
    "sizes": f"(echo {HEADER}; cd {{root}}; xargs -d '\\n' stat -c %n,%s < {LIST})",
    "list": f"cat {LIST}",
}


class PackBundle(FollowUp[Files, Bundle]):
    """One archive of all files, a manifest of them, and the digest of the archive."""

    slug = "pack-bundle"
    tools = ("bash", "tar", "zip", "python3")
    works_on = Files

    def suits(self, product: Files) -> bool:
        """Return whether there are several files."""
        return len(product.contents) >= 2

    def world(self, ctx: Following[Files]) -> Bundle:
        """Return the form of the archive; there are no files to begin with."""
        return decided(ctx)

    def oracle(self, ctx: Following[Files], world: Bundle) -> tuple[str, ...]:
        """Return copies in a folder of the right form, which tar or zip packs."""
        return _packed(ctx, world)

    def alternative(self, ctx: Following[Files], world: Bundle) -> tuple[str, ...]:
        """Return a program in Python."""
        words = (ctx.product.root, world.target, world.top, world.manifest, world.listing)
        ends = (str(world.mtime), str(int(world.stored)))
        return (f"mkdir -p {ctx.home}", *run_once("/tmp/bundle.py", PROGRAM, (*words, *ends)))

    def checks(self, ctx: Following[Files], world: Bundle) -> tuple[Check | Gate, ...]:
        """Return checks of the members, their form, the manifest and the digest."""
        wanted = {world.top + path: body for path, body in ctx.product.contents.items()}
        right = lines(ctx.product, world.listing)

        def opened(evidence: Evidence) -> tuple[Member, ...]:
            limit = 2 * sum(map(len, wanted.values())) + SLACK
            return members(evidence.read(world.target, limit=2 * limit), world.kind, limit)

        def files(evidence: Evidence) -> float:
            return _share(opened(evidence), wanted, world)

        def form(evidence: Evidence) -> float:
            packed = opened(evidence)
            return _share(packed, wanted, world) * _formed(packed, world)

        def manifest(evidence: Evidence) -> float:
            packed = opened(evidence)
            body = {m.path: m.body for m in packed}.get(world.top + world.manifest) or b""
            told = body if world.inside else evidence.read(world.manifest)
            return _listed(told, right, world) * _share(packed, wanted, world)

        def digest(evidence: Evidence) -> float:
            name = world.target.rpartition("/")[2]
            line = f"{sha256(evidence.read(world.target)).hexdigest()}  {name}"
            told = exact.value("digest", world.checksum, line).score(evidence)
            return told * _share(opened(evidence), wanted, world)

        return (
            Check("files", "exact_text", files, weight=0.5),
            Check("form", "exact_text", form, weight=0.15),
            Check("manifest", "exact_text", manifest, weight=0.2),
            Check("digest", "exact_text", digest, weight=0.15),
        )

    def say(self, ctx: Following[Files], world: Bundle) -> tuple[Obligation, ...]:
        """Return the archive, its members, the manifest and the digest."""
        root = ctx.product.root
        kind = "zip archive" if world.kind == "zip" else "tar archive that is compressed with gzip"
        start = f"`{world.top}` and then its path" if world.top else "its path"
        name = world.target.rpartition("/")[2]
        return (
            Obligation(
                "goal",
                f"Pack the {ctx.product.noun} in `{root}` into `{world.target}`, a {kind}.",
                "goal",
            ),
            Obligation(
                "members",
                f"It has every regular file below `{root}` with its final content. The path of "
                f"each in the archive is {start} relative to `{root}`. The archive has no other "
                f"files{' except the manifest' * world.inside}; entries for directories do not "
                "matter.",
                "format",
            ),
            *_about_form(world),
            _about_manifest(root, world),
            Obligation(
                "digest",
                f"Write the SHA-256 of the archive to `{world.checksum}`, as `sha256sum {name}` "
                "prints it.",
                "output",
            ),
        )

    def mutants(self, ctx: Following[Files], world: Bundle) -> tuple[Attempt, ...]:
        """Return archives with another folder, a file less or in reverse, and a wrong digest."""
        right = _packed(ctx, world)
        lost = f"sed -i 1d {LIST}"
        return (
            Attempt("another folder", _packed(ctx, replace(world, top="contents/"))),
            Attempt("a file is lost", (*right[:2], lost, *right[2:])),
            Attempt("reversed", tuple(c.replace("C sort", "C sort -r") for c in right)),
            Attempt("whole path", (*right, f"sha256sum {world.target} > {world.checksum}")),
            Attempt("no manifest", (*right, f": > {world.manifest}") if not world.inside
                    else tuple(c for c in right if world.manifest not in c)),
        )  # fmt: skip

    def exploits(self, ctx: Following[Files], world: Bundle) -> tuple[Attempt, ...]:
        """Return an archive of what is there at the start, and an empty one."""
        empty = f"tar -czf {world.target} -T /dev/null"
        if world.kind == "zip":
            empty = f"echo UEsFBgAAAAAAAAAAAAAAAAAAAAAAAA== | base64 -d > {world.target}"
        digest = f"cd {ctx.home}; sha256sum {world.target.rpartition('/')[2]} > {world.checksum}"
        name = world.manifest.rpartition("/")[2]
        return (
            Attempt("at once", _packed(ctx, world)),
            Attempt("empty", (f"mkdir -p {ctx.home}", empty, digest,
                              write_file(ctx.path(name), HEADER))),
        )  # fmt: skip


def _share(packed: Sequence[Member], wanted: Mapping[str, bytes], world: Bundle) -> float:
    """Return 1 if all files are right, and else less, the steeper the more are wrong."""
    extra = world.top + world.manifest
    kept = [member for member in packed if not world.inside or member.path != extra]
    hits = sum(
        member.body is not None and wanted.get(member.path) == member.body for member in kept
    )
    return file_sets.steep(fraction(2 * hits, len(kept) + len(wanted)))


def _formed(packed: Sequence[Member], world: Bundle) -> float:
    """Return the share of the rules of form that an archive keeps."""
    paths = [member.path.encode("utf-8", "replace") for member in packed]
    kept = [paths == sorted(paths)]
    if world.mtime:
        kept.append(all(member.mtime == world.mtime for member in packed))
    if world.stored:
        kept.append(all(member.stored for member in packed))
    return fraction(sum(kept), len(kept))


def _listed(data: bytes, right: Sequence[str], world: Bundle) -> float:
    """Return how far a manifest is right."""
    content = tolerance.text(data, world.manifest)
    wanted: list[tuple[str, ...]] = [(line,) for line in right]
    told: list[tuple[str, ...]] = [(line,) for line in tolerance.lines(content)]
    if world.listing == "sizes":
        wanted = tolerance.rows("\n".join(right), world.manifest)
        told = tolerance.alike(tolerance.rows(content, world.manifest), wanted)
    if told == wanted:
        return 1.0
    if not told:
        raise BadOutput(f"{world.manifest} is empty or absent")
    hits = sum((Counter(told) & Counter(wanted)).values())
    share = fraction(2 * hits, len(told) + len(wanted))
    return exact.NOT_WHOLE * file_sets.steep(share)


def _about_form(world: Bundle) -> tuple[Obligation, ...]:
    rules = "The files are in the archive in byte order of their paths there"
    rules += ", and the manifest has its place among them." if world.inside else "."
    if world.mtime:
        rules += f" Each file has the modification time {world.mtime} (`{world.when}`)."
    if world.stored:
        rules += " They are stored without compression."
    return (Obligation("form", rules, "format", ("byte order",)),)


def _about_manifest(root: str, world: Bundle) -> Obligation:
    start = f"Write a manifest to `{world.manifest}`"
    if world.inside:
        start = f"Put a manifest into the archive, with the path `{world.top}{world.manifest}`"
    kinds = {
        "sums": "one line with the SHA-256 and the path of each packed file, as `sha256sum` "
        f"prints it, with paths relative to `{root}`",
        "sizes": f"a CSV file with the header `{HEADER}` and one row for each packed file, with "
        f"its path relative to `{root}` and its size in bytes",
        "list": f"the path of each packed file relative to `{root}`, one per line",
    }
    return Obligation(
        "manifest",
        f"{start}: {kinds[world.listing]}, in byte order of these paths"
        f"{'. It does not list itself.' if world.inside else '.'}",
        "output",
    )


def _packed(ctx: Following[Files], world: Bundle) -> tuple[str, ...]:
    """Return commands that copy the files, and write the manifest, the archive and its digest."""
    root, name = ctx.product.root, world.target.rpartition("/")[2]
    folder = f"{STAGE}/{world.top}"
    shown = SHOWN[world.listing].format(root=root)
    path = f"{folder}{world.manifest}" if world.inside else world.manifest
    all_files = f"cd {STAGE}; find . -type f -printf '%P\\n' | LC_ALL=C sort > /tmp/all"
    times = f"--mtime=@{world.mtime} " if world.mtime else ""
    pack = f"tar -czf {world.target} {times}-T /tmp/all"
    if world.kind == "zip":
        pack = f"zip -q -X {'-0 ' * world.stored}{world.target} -@ < /tmp/all"
    return (
        f"mkdir -p {ctx.home} {folder}",
        f"cd {root}; find . -type f -printf '%P\\n' | LC_ALL=C sort > {LIST}",
        f"xargs -d '\\n' cp --parents -t {folder} < {LIST}",
        f"{shown} > {shlex.quote(path)}",
        f"{all_files}; {pack}",
        f"cd {ctx.home}; sha256sum {name} > {name}.sha256; cd /; rm -r {STAGE} /tmp/all {LIST}",
    )


FOLLOW_UP = PackBundle()
