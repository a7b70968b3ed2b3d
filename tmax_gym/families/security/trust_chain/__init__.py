"""SEC-06 trust chain: find the servers that clients would refuse, and repair their bundles.

The scanner is run on a hidden fleet.  Bundles are compared certificate by certificate: a bundle
whose chain a client can complete by itself is not right yet.
"""

from __future__ import annotations

import base64
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tmax_gym.checks import exact
from tmax_gym.checks.check import BadOutput, Case, Check, Evidence, Gate, fraction, unchanged
from tmax_gym.families.contract import Attempt, Context, Family, World, write_file
from tmax_gym.families.products import Product, Table
from tmax_gym.families.security.trust_chain import fleet as trust
from tmax_gym.families.security.trust_chain.fleet import PAIRS, TROUBLES, Fleet, Policy
from tmax_gym.families.security.trust_chain.policy import policy as document
from tmax_gym.families.security.trust_chain.rendering import MISTAKES, Edit, source
from tmax_gym.families.shared.programs import program_text
from tmax_gym.families.shared.sources import Source
from tmax_gym.nodes import Node, prose, text
from tmax_gym.rng import Rng
from tmax_gym.texts.obligations import Obligation
from tmax_gym.world import toolchains

ELSEWHERE = "/srv/fleet"
"""Where the verifier puts the hidden fleet."""
MEETING = 0.4
"""Level from which on two troubles may meet."""
STEMS = ("scan", "audit", "check_fleet", "certscan", "nightly", "fleet_check")
REPORTS = ("verdicts", "findings", "scan_result", "state", "report")
TARGETS = ("repaired", "bundles", "fixed", "deploy", "mended")
POLICIES = ("POLICY", "VERDICTS", "CERTIFICATES", "TLS", "RULES")
CLIMB = program_text(__package__, "climb.sh").removesuffix("\n")
_PEM = re.compile(r"-----BEGIN CERTIFICATE-----(.*?)-----END CERTIFICATE-----", re.S)


@dataclass(frozen=True, kw_only=True)
class Scanned(World):
    """The decided facts."""

    names: Mapping[str, str]
    program: Source
    policy: Policy
    shown: Fleet
    unseen: Fleet
    troubles: frozenset[str]


class TrustChain(Family[Scanned]):
    """Write a scanner of certificates, and repair the bundles that can be repaired."""

    id = "SEC-06"
    slug = "trust-chain"
    domain = "security"
    skill = "Web Security"
    primitives = (
        "Certificate chain validation",
        "TLS/SSL certificate management",
        "Automated vulnerability scanning",
    )
    fixtures = ("text_only",)
    verifiers = ("fuzz_equivalence",)
    languages = ("bash", "python")
    tools = ("bash", "awk", "openssl")
    followed_by = {  # noqa: RUF012
        "group-report": (
            "verdicts",
            "For the weekly meeting we want to know how many hosts have which verdict.",
        ),
        "lookup-join": (
            "verdicts",
            "Every host has an owner, who should hear about the verdict on it.",
        ),
        "export-diff": (
            "verdicts",
            "We want to see what has changed since the scan of last month.",
        ),
        "json-feed": (
            "verdicts",
            "The monitoring team wants the verdicts as JSON for its dashboard.",
        ),
    }

    def world(self, ctx: Context) -> Scanned:
        """Return a policy, a fleet with servers in trouble, and the CAs at hand."""
        rng = ctx.rng.fork("fleet")
        policy = Policy(rng.choice((2048, 3072)), rng.choice((90, 200, 398)))
        kinds = _kinds(ctx, rng.fork("kinds"))
        names, program = _names(ctx, rng.fork("names"))
        shown, unseen = (
            trust.fleet(ctx, rng.fork(side), policy=policy, wanted=wanted)
            for side, wanted in _wanted(ctx, rng.fork("wanted"), kinds).items()
        )
        named = {TROUBLES[kind] for kind in kinds} | {"incomplete", "name", "expired", "bundle"}
        pool = tuple(
            text(f"{names['fleet']}/pool/ca-{n:02d}.pem", trust.texts((der,)))
            for n, der in enumerate(shown.pool, start=1)
        )
        return Scanned(
            nodes=(
                prose(names["policy"], document(policy, named)),
                *_files(shown, names["fleet"]),
                *pool,
            ),
            outputs=(program.path, names["report"], names["folder"]),
            names=names,
            program=program,
            policy=policy,
            shown=shown,
            unseen=unseen,
            troubles=frozenset(kinds),
        )

    def oracle(self, ctx: Context, world: Scanned) -> tuple[str, ...]:
        """Return the scanner, its report, and the bundles that pass it."""
        return self._solved(world)

    def _solved(
        self, world: Scanned, edit: Edit = ("", ""), *, mend: tuple[str, ...] | None = None
    ) -> tuple[str, ...]:
        names, scan = world.names, world.program.call
        folder, fleet = names["folder"], names["fleet"]
        kept = (
            f"mkdir -p {folder}; {scan} /tmp/try | awk '$2 == \"ok\" {{ print $1 }}' | "
            f"while read name; do cp /tmp/try/hosts/$name/bundle.pem {folder}/$name.pem; done"
        )
        return (
            f"cat {names['policy']}; cat {fleet}/as_of; ls {fleet} {fleet}/hosts {fleet}/pool",
            write_file(world.program.path, source(world.program.language, world.policy, edit)),
            f"{scan} {fleet} > {names['report']}; cut -f2 {names['report']} | sort | uniq -c",
            *(mend or (CLIMB.replace("@fleet", fleet).replace("@report", names["report"]), kept)),
            f"rm -rf /tmp/try; ls {folder}",
        )

    def checks(self, ctx: Context, world: Scanned) -> tuple[Check | Gate, ...]:
        """Return checks of the scanner on the hidden fleet, of the report and of the bundles."""
        rows = [f"{s.name}\t{s.verdict}" for s in world.shown.servers]
        fine = [f"{s.name}\tok" for s in world.shown.servers]
        return (
            unchanged("fleet", world.nodes),
            _scanner(world),
            exact.lines("report", world.names["report"], rows, initial=fine),
            _bundles(world),
        )

    def products(self, ctx: Context, world: Scanned) -> Mapping[str, Product]:
        """Return the report."""
        rows = tuple((server.name, server.verdict) for server in world.shown.servers)
        report = world.names["report"]
        columns = ("host", "verdict")
        return {"verdicts": Table(report, columns, rows, "hosts", separator="\t", header=False)}

    def say(self, ctx: Context, world: Scanned) -> tuple[Obligation, ...]:
        """Return the scanner, its interface, and what must be repaired."""
        names, language = world.names, toolchains.NAMES[world.program.language]
        fleet, folder = names["fleet"], names["folder"]
        kind = "script" if world.program.language == "bash" else "program"
        return (
            Obligation(
                "goal",
                "Twice this month clients refused our servers because of their certificates. Write "
                f"a {language} {kind} `{names['program']}` that checks the certificates of a fleet "
                f"of servers and gives each host a verdict. `{names['policy']}` describes the "
                "files of a fleet and defines the verdicts.",
                "goal",
            ),
            Obligation(
                "interface",
                f"The {kind} takes the directory of a fleet as its only argument. For every host "
                "it prints one line, "
                "`NAME<tab>VERDICT`, with a tab character between the name of the host and the "
                "verdict, in byte order of the names. Its exit status is `0`, whatever the "
                "verdicts are.",
                "format",
            ),
            Obligation(
                "report",
                f"Run it on our own fleet, `{fleet}`, and save the output as `{names['report']}`.",
                "output",
            ),
            Obligation(
                "repair",
                f"Some hosts of `{fleet}` only need another bundle. Where the verdict of a host is "
                "not `ok`, but becomes `ok` with a bundle that consists of the host's own "
                f"certificate and CA certificates from `{names['pool']}`, write this bundle in PEM "
                f"format to {names['target']}, where `NAME` is the name of the host. Put nothing "
                f"else into `{folder}`.",
                "output",
            ),
            Obligation(
                "keep",
                f"Do not change `{names['policy']}` or anything in `{fleet}`.",
                "limit",
            ),
            Obligation(
                "judged",
                f"We will run `{names['program']}` by itself on another fleet that you have not "
                f"seen. That fleet has the files that `{names['policy']}` describes, but no pool "
                "of CA certificates.",
                "grading",
            ),
        )

    def mutants(self, ctx: Context, world: Scanned) -> tuple[Attempt, ...]:
        """Return scanners with a blind spot, and bundles as they were."""
        fleet, folder = world.names["fleet"], world.names["folder"]
        copied = f"for h in {fleet}/hosts/*; do cp $h/bundle.pem {folder}/${{h##*/}}.pem; done"
        attempts = [
            Attempt(name, self._solved(world, edits[world.program.language]))
            for name, (kinds, edits) in MISTAKES.items()
            if kinds & world.troubles
        ]
        as_sent = self._solved(world, mend=(f"mkdir {folder}", copied))
        return (*attempts[:5], Attempt("bundles as sent", as_sent))

    def exploits(self, ctx: Context, world: Scanned) -> tuple[Attempt, ...]:
        """Return a scanner that finds nothing, one that repeats the report, and copies."""
        names, python = world.names, world.program.language == "python"
        fine = (
            'import os, sys\nfor n in sorted(os.listdir(sys.argv[1] + "/hosts")):\n'
            '    print(n + "\\tok")\n'
            if python
            else 'for h in "$1"/hosts/*; do printf "%s\\tok\\n" "${h##*/}"; done\n'
        )
        folder = names["folder"]
        every = f"for h in {names['fleet']}/hosts/*; do cat $h/bundle.pem {names['fleet']}/pool/*"
        return (
            Attempt(
                "all fine",
                (
                    write_file(world.program.path, fine),
                    f"{world.program.call} {names['fleet']} > {names['report']}",
                ),
            ),
            Attempt(
                "every bundle with all",
                (f"mkdir {folder}; {every} > {folder}/${{h##*/}}.pem; done",),
            ),
        )


def _kinds(ctx: Context, rng: Rng) -> tuple[str, ...]:
    """Return the troubles of a task: some that another bundle cures, one of time, and others."""
    always = ["alone", rng.choice(("shuffled", "with root"))]
    always.append("old authority" if ctx.level >= MEETING else rng.choice(("expired", "early")))
    rest = rng.shuffled(sorted(set(TROUBLES) - set(always)))
    return (*always, *rest[: ctx.knob(2, 5)])


def _wanted(ctx: Context, rng: Rng, kinds: tuple[str, ...]) -> dict[str, list[tuple[str, ...]]]:
    """Return the troubles of every server in the shown fleet and in the hidden one."""
    single: list[tuple[str, ...]] = [(kind,) for kind in kinds]
    meeting = [pair for pair in PAIRS if TROUBLES[pair[0]] in {TROUBLES[k] for k in kinds}]
    met = rng.sample(meeting, min(ctx.knob(1, 2), len(meeting))) if ctx.level >= MEETING else []
    cured: list[tuple[str, ...]] = [(rng.choice(kinds[:2]),) for _ in range(ctx.knob(1, 3))]
    seen = single if ctx.level < MEETING else single[:-1]
    return {
        "shown": [(), (), *seen, *met[:1], *cured],
        "unseen": [(), (), *single, *met[1:]],
    }


def _names(ctx: Context, rng: Rng) -> tuple[dict[str, str], Source]:
    stem, folder = rng.choice(STEMS), ctx.path(rng.choice(TARGETS))
    path = ctx.path(f"{stem}.{toolchains.SUFFIX[ctx.language]}")
    fleet = ctx.path(rng.choice(("fleet", "servers", "estate", "inventory")))
    names = {
        "program": path,
        "policy": ctx.path(f"{rng.choice(POLICIES)}.md"),
        "fleet": fleet,
        "pool": f"{fleet}/pool",
        "report": ctx.path(f"{rng.choice(REPORTS)}.tsv"),
        "folder": folder,
        "target": f"`{folder}/NAME.pem`",
    }
    return names, Source(ctx.language, path, f"/tmp/{stem}")


def _files(fleet: Fleet, root: str) -> tuple[Node, ...]:
    """Return a fleet as a directory."""
    stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ\n", time.gmtime(fleet.at))
    rows = "".join(f"{row}\n" for row in ("issuer,serial", *fleet.revoked))
    return (
        text(f"{root}/as_of", stamp),
        text(f"{root}/roots.pem", trust.texts(fleet.roots)),
        text(f"{root}/revoked.csv", rows),
        *(text(f"{root}/hosts/{s.name}/bundle.pem", trust.texts(s.bundle)) for s in fleet.servers),
    )


def _scanner(world: Scanned) -> Check:
    """Return a check: the share of right verdicts, above that of the best constant verdict."""
    wanted = {s.name: s.verdict for s in world.unseen.servers}
    verdicts = list(wanted.values())
    chance = max(verdicts.count(v) for v in verdicts) / len(verdicts)
    case = Case(argv=(ELSEWHERE,), nodes=_files(world.unseen, ELSEWHERE))

    def score(evidence: Evidence) -> float:
        (outcome,) = evidence.run(world.program.program(), [case])
        lines = outcome.stdout.decode("utf-8", "replace").splitlines()
        rows = [tuple(line.split("\t")) for line in lines]
        hits = sum(row == one for row, one in zip(rows, wanted.items(), strict=False))
        share = fraction(hits, max(len(wanted), len(rows)))
        dead = outcome.timed_out or outcome.exit_code != 0
        return 0.0 if dead else max(0.0, (share - chance) / (1.0 - chance))

    return Check("unseen", "fuzz_equivalence", score, 3.0)


def _bundles(world: Scanned) -> Check:
    """Return a check: the share of right bundles, less the bundles that were not wanted."""
    folder = world.names["folder"]
    wanted = {f"{folder}/{s.name}.pem": s.right for s in world.shown.servers if s.right}

    def score(evidence: Evidence) -> float:
        paths = [n.path for n in evidence.tree(folder) if n.path != folder]
        good = sum(
            path in wanted and _certificates(evidence, path) == wanted[path] for path in paths
        )
        extra = sum(path not in wanted for path in paths)
        return max(0.0, fraction(good - extra, len(wanted)))

    return Check("bundles", "exact_text", score, 2.0)


def _certificates(evidence: Evidence, path: str) -> Sequence[bytes]:
    try:
        return tuple(base64.b64decode(b) for b in _PEM.findall(exact.read_text(evidence, path)))
    except (BadOutput, ValueError):
        return ()


FAMILY = TrustChain()
