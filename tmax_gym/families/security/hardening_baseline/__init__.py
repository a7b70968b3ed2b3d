"""SEC-16 hardening baseline: a host's tree that has drifted from its written baseline.

The effective settings of sshd and systemd are graded, not the wording of files: the first line
counts, lines appended after a Match block belong to it, drop-ins override.  Exceptions that still
hold stay.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from tmax_gym.checks import exact
from tmax_gym.checks.check import Check, Evidence, Gate, unchanged
from tmax_gym.families.contract import Attempt, Context, Family, World
from tmax_gym.families.products import Product, Table
from tmax_gym.families.security.hardening_baseline import facts
from tmax_gym.families.security.hardening_baseline.baseline import (
    BASELINES,
    MANIFESTS,
    REPORTS,
    ROOTS,
    baseline,
)
from tmax_gym.families.security.hardening_baseline.drift import Drift, drifted
from tmax_gym.families.security.hardening_baseline.facts import SSHD, UNITS, Facts, Tree, Visitor
from tmax_gym.families.security.hardening_baseline.host import DROPINS, OLD_SINS, Host, host
from tmax_gym.families.shared.programs import program_text
from tmax_gym.nodes import Node, prose, text
from tmax_gym.rng import Rng
from tmax_gym.texts.obligations import Obligation

COMPARE = program_text(__package__, "compare.sh").removesuffix("\n")
PRINTS = """\
for f in home/*/.ssh/authorized_keys; do echo $f; ssh-keygen -lf $f; done; cat {register}"""


@dataclass(frozen=True, kw_only=True)
class Drifted(World):
    """The decided facts."""

    names: Mapping[str, str]
    """Paths of the root, the documents and the report."""
    drifts: tuple[Drift, ...]
    before: Tree
    after: Tree
    visitors: tuple[Visitor, ...]
    altered: tuple[str, ...]
    """Lines of the report."""
    listed: tuple[str, ...]
    """Paths that the manifest names."""


class HardeningBaseline(Family[Drifted]):
    """Bring a host back to its baseline, repair by repair, and say what had been altered."""

    id = "SEC-16"
    slug = "hardening-baseline"
    domain = "security"
    skill = "Systems"
    primitives = (
        "SSH hardening and key management",
        "File permission and access control",
        "Process isolation and sandboxing",
        "File integrity verification",
    )
    fixtures = ("text_only",)
    verifiers = ("exact_text",)
    languages = ("any", "bash")
    followed_by = {  # noqa: RUF012
        "group-report": ("report", "The auditor wants to know how many files differ, by kind."),
        "split-delivery": ("report", "Each kind of difference is examined by another team."),
        "export-diff": ("report", "The last audit of this host made the same list."),
        "sqlite-load": ("report", "The findings of all hosts are kept in a database."),
        "json-feed": ("report", "The ticket system takes findings as JSON."),
    }
    tools = ("bash", "awk", "find", "join", "sed", "sha256sum", "ssh-keygen", "stat")

    def world(self, ctx: Context) -> Drifted:
        """Return the drifted host, its baseline, exceptions, register and manifest."""
        rng = ctx.rng.fork("host")
        goal, rules = host(ctx, rng.fork("clean"))
        drifted_host, drifts = drifted(ctx, goal, rules, rng=rng.fork("drift"))
        names = _names(ctx, rng.fork("names"))
        manifest = _installed(ctx, rng.fork("manifest"), goal, drifted_host)
        listing = "".join(f"{path} {m.lstrip('0')} {d}\n" for path, (m, d) in manifest.items())
        exceptions = "\n".join(",".join(r) for r in rng.shuffled(rules.exceptions))
        register = "\n".join(",".join(r) for r in rng.shuffled(rules.register))
        documents = (
            prose(names["baseline"], baseline(rules, names)),
            text(names["exceptions"], f"until,object,setting,reason\n{exceptions}\n"),
            text(names["register"], f"fingerprint,account,state,from\n{register}\n"),
            text(names["manifest"], listing),
        )
        root = names["root"]
        return Drifted(
            nodes=(*documents, *drifted_host.nodes(root)),
            outputs=(names["report"], root),
            names=names,
            drifts=drifts,
            before=_below(root, drifted_host.nodes(root)),
            after=_below(root, goal.nodes(root)),
            visitors=tuple(rules.visitors),
            altered=_differences(manifest, drifted_host),
            listed=tuple(manifest),
        )

    def oracle(self, ctx: Context, world: Drifted) -> tuple[str, ...]:
        """Return the comparison, then one repair a deviation."""
        return self._solved(world, [d.repair for d in world.drifts])

    def _solved(self, world: Drifted, repairs: list[str], *, first: bool = True) -> tuple[str, ...]:
        names = world.names
        compared = COMPARE.replace("@manifest", names["manifest"]).replace(
            "@report", names["report"]
        )
        return (
            f"cd {names['root']}; cat {names['baseline']} {names['exceptions']}; id; "
            f"namei -l {SSHD}",
            *((compared,) if first else ()),
            f"cat {SSHD} {UNITS}/*.service; cat {DROPINS}/* {UNITS}/*.d/* 2>/dev/null",
            PRINTS.format(register=names["register"]),
            *repairs,
            *(() if first else (compared,)),
            "cd /app",
        )

    def checks(self, ctx: Context, world: Drifted) -> tuple[Check | Gate, ...]:
        """Return the report and one share an area; what no rule is about is a gate."""
        root = world.names["root"]
        graded = (SSHD, DROPINS, UNITS)
        others = [
            node
            for node in world.nodes
            if not node.path.removeprefix(f"{root}/").startswith(graded)
            and not node.path.endswith("/authorized_keys")
        ]
        plain = [f"{path}\tcontent" for path in world.listed]
        report = world.names["report"]
        checks: list[Check | Gate] = [
            unchanged("rest", others),
            exact.lines("report", report, world.altered, initial=plain, weight=1.5),
        ]
        return (*checks, *(_area(world, name, read) for name, read in _readers(world).items()))

    def products(self, ctx: Context, world: Drifted) -> Mapping[str, Product]:
        """Return the report of the files that were altered."""
        rows = tuple(tuple(line.split("\t")) for line in world.altered)
        table = Table(
            world.names["report"], ("path", "kind"), rows, "altered files", "\t", header=False
        )
        return {"report": table}

    def say(self, ctx: Context, world: Drifted) -> tuple[Obligation, ...]:
        """Return the rules' place, the report, and what stays."""
        root, baseline, manifest, report = (
            world.names[name] for name in ("root", "baseline", "manifest", "report")
        )
        return (
            Obligation(
                "goal",
                f"The directory `{root}` holds the files of one of our hosts, which no longer "
                f"complies with the baseline in `{baseline}`. Bring its sshd, its authorized keys, "
                f"its file modes and its services back in line with the baseline.",
                "goal",
            ),
            Obligation(
                "keep",
                "Change only what a rule of the baseline requires. Exceptions that still hold, "
                "settings that no rule mentions, and files that have been altered without breaking "
                "a rule must stay as they are, and so must the given documents.",
                keys=("exceptions", "only what", "stay", "leave", "untouched"),
            ),
            Obligation(
                "report",
                f"Also write to `{report}` which regular files of the host differ from the "
                f"manifest `{manifest}` in the state in which you found the host, before any of "
                f"your repairs. Each line of the manifest has the path, the mode and the SHA-256 "
                f"of a file as it was installed.",
                "output",
            ),
            Obligation(
                "form",
                f"`{report}` has no header and one line for each file that differs, sorted by path "
                f"in byte order: the path as in the manifest, a tab, and the kind of difference. "
                f"The kind is `added` (not in the manifest), `missing` (only in the manifest), "
                f"`content`, `mode`, or `both` if content and mode differ.",
                "output",
            ),
            Obligation(
                "judged",
                "What counts is the configuration that sshd and systemd would read from the files, "
                "with includes, Match blocks and drop-ins, and not how the files are written.",
                "grading",
                keys=("effective", "what counts", "would read", "how the files are written"),
            ),
        )

    def mutants(self, ctx: Context, world: Drifted) -> tuple[Attempt, ...]:
        """Return a careless repair in each area, a forgotten one, and a report too late."""
        right = [d.repair for d in world.drifts]
        wrong = {}
        for area in ("ssh", "keys", "modes", "units"):
            place = next(n for n, d in enumerate(world.drifts) if d.area == area)
            one = [*right[:place], world.drifts[place].careless, *right[place + 1 :]]
            wrong[f"careless: {area}"] = self._solved(world, one)
        wrong["one forgotten"] = self._solved(world, right[:-1])
        wrong["report of the repaired"] = self._solved(world, right, first=False)
        return tuple(Attempt(name, commands) for name, commands in wrong.items())

    def exploits(self, ctx: Context, world: Drifted) -> tuple[Attempt, ...]:
        """Return everything shut, everything emptied, and everything reported."""
        root, report = world.names["root"], world.names["report"]
        everything = f"awk -v OFS='\\t' '{{ print $1, \"content\" }}' {world.names['manifest']}"
        return (
            Attempt("all modes shut", (f"chmod -R go-rwx,ug-s {root}",)),
            Attempt("configuration gone", (f"rm -r {root}/etc/ssh {root}/etc/systemd",)),
            Attempt("no keys", (f"rm {root}/home/*/.ssh/authorized_keys",)),
            Attempt("all reported", (f"{everything} > {report}",)),
        )


def _names(ctx: Context, rng: Rng) -> dict[str, str]:
    return {
        "root": ctx.path(rng.choice(ROOTS)),
        "baseline": ctx.path(f"{rng.choice(BASELINES)}.md"),
        "exceptions": ctx.path("exceptions.csv"),
        "register": ctx.path("keys.csv"),
        "manifest": ctx.path(f"{rng.choice(MANIFESTS)}.txt"),
        "report": ctx.path(f"{rng.choice(REPORTS)}.tsv"),
    }


def _installed(ctx: Context, rng: Rng, goal: Host, host: Host) -> dict[str, tuple[str, str]]:
    """Return the manifest: the host as it was before local changes, honest ones included."""
    then = goal.copy()
    for path in [p for p in then.lines if p not in host.lines or ".d/" in p.removeprefix("etc/")]:
        del then.lines[path], then.modes[path]
    then.lines[SSHD] = [line for line in then.lines[SSHD] if line[0] not in "M "]
    plain = sorted(p for p in then.lines if p.startswith("usr/local/") or p.endswith(".conf"))
    for path in rng.sample(plain, ctx.knob(1, 3)):
        then.lines[path].append("# as shipped")
    lost = f"usr/local/sbin/{ctx.skin.stem(rng).replace('_', '-')}-verify"
    then.add(lost, ["#!/bin/sh", "exit 0"], 0o755)
    entries = {path: then.entry(path) for path in sorted(then.lines)}
    for path in entries:
        if path in host.lines and path != SSHD and rng.integer(1, OLD_SINS) == 1:
            entries[path] = host.entry(path)
    return entries


def _differences(manifest: Mapping[str, tuple[str, str]], host: Host) -> tuple[str, ...]:
    """Return the lines of the report."""
    lines = []
    for path in sorted({*manifest, *host.lines}):
        if path not in manifest or path not in host.lines:
            lines.append(f"{path}\t{'missing' if path in manifest else 'added'}")
            continue
        (mode, digest), (is_mode, is_digest) = manifest[path], host.entry(path)
        kind = {(True, True): "both", (True, False): "mode", (False, True): "content"}.get(
            (mode != is_mode, digest != is_digest)
        )
        if kind:
            lines.append(f"{path}\t{kind}")
    return tuple(lines)


def _below(root: str, nodes: tuple[Node, ...]) -> Tree:
    return {n.path.removeprefix(f"{root}/"): n for n in nodes if n.path != root}


def _readers(world: Drifted) -> dict[str, Callable[[Tree], Facts]]:
    return {
        "ssh": partial(facts.sshd, visitors=world.visitors),
        "keys": facts.keys,
        "modes": facts.modes,
        "units": facts.units,
    }


def _area(world: Drifted, name: str, read: Callable[[Tree], Facts]) -> Check:
    """Return a check: deviations mended less things spoilt, as a share of the deviations."""
    was, wanted = read(world.before), read(world.after)
    if name == "modes":
        # Whether a drop-in stays or its lines move elsewhere is a matter of taste.
        wanted = {path: mode for path, mode in wanted.items() if path in was and ".d" not in path}
        was = {path: was[path] for path in wanted}
    bad = [key for key in {**was, **wanted} if was.get(key) != wanted.get(key)]
    good = [key for key in wanted if was.get(key) == wanted[key]]

    def score(evidence: Evidence) -> float:
        now = read(_below(world.names["root"], evidence.tree(world.names["root"])))
        mended = sum(now.get(key) == wanted.get(key) for key in bad)
        spoilt = sum(now.get(key) != wanted[key] for key in good)
        # A key that nobody asked for is a door; another new setting is a matter of taste.
        spoilt += len(set(now) - set(was) - set(wanted)) if name == "keys" else 0
        return max(0.0, (mended - spoilt) / len(bad))

    return Check(name, "exact_text", score)


FAMILY = HardeningBaseline()
