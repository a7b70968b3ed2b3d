"""Words of the hardening baseline: the document with the rules, and the instruction."""

from __future__ import annotations

from collections.abc import Mapping

from tmax_gym.families.security.hardening_baseline.host import Rules
from tmax_gym.texts.clauses import Clause

ROOTS = ("host", "rootfs", "image", "machine", "snapshot", "sysroot")
BASELINES = ("BASELINE", "HARDENING", "POLICY", "STANDARD", "RULES")
REPORTS = ("altered", "changes", "integrity", "differences", "findings")
MANIFESTS = ("MANIFEST", "installed", "checksums", "inventory")
_BASELINE = """\
# Baseline

State of affairs: {today}. All paths are relative to the root of the host.

Exceptions stand in `{exceptions}`. One of them takes the place of the rule for its object up to
its last day, that day included. When it is over, the object follows the baseline like any other.

## sshd

Whoever connects, from wherever, gets these values, Match blocks and included files considered.
They are all set: we do not rely on defaults.

{settings}
What is not in this list stays as it is configured.

## Keys

`{register}` is the register, by fingerprint. An account's `authorized_keys` holds no key but those
that the register has as `active` for this very account; RSA keys below 3072 bits are out in any
case. Where the register has an address in `from`, the key carries the option `from="ADDRESS"`.
Keys that comply stay, and no key is added.

## Modes

| path | mode |
|---|---|
{modes}
What no row names must not be writable for others, and has no set-user-id or set-group-id bit
unless it is `{set_id}`. Take just those bits away; the others are nobody's business.

## Services

Each unit in `etc/systemd/system`, with its drop-ins, has these in `[Service]`, and set explicitly:

{directives}
Account and capabilities are exactly these (an empty cell is an empty bounding set):

| unit | User | CapabilityBoundingSet |
|---|---|---|
{services}
What is not mentioned (limits, paths, priorities) stays in force, wherever it stands.
"""


def baseline(rules: Rules, names: Mapping[str, str]) -> str:
    """Return the document with the baseline."""
    exceptions, register = (names[n].rpartition("/")[2] for n in ("exceptions", "register"))
    settings = "".join(f"    {word} {value}\n" for word, value in sorted(rules.settings.items()))
    directives = "".join(f"    {w}={v}\n" for w, v in sorted(rules.directives.items()))
    modes = "".join(f"| `{path}` | {mode} |\n" for path, mode in rules.modes)
    services = "".join(f"| `{u}` | {a} | {c} |\n" for u, (a, c) in sorted(rules.services.items()))
    return _BASELINE.format(
        today=rules.today, exceptions=exceptions, register=register, settings=settings,
        modes=modes, set_id=rules.set_id, directives=directives, services=services,
    )  # fmt: skip


def say(names: Mapping[str, str]) -> tuple[Clause, ...]:
    """Return the repairs, the report, and what must stay."""
    return (_goal(names), _report(names), _keep())


def _goal(names: Mapping[str, str]) -> Clause:
    return Clause(
        "goal",
        (
            "The host {whose|of which the} tree is in {root} has {drifted|moved away} from "
            "{baseline}: {bring|get} its sshd, keys, file modes and services back "
            "{in line|into line}.",
            "{Harden|Tidy up} the host below {root} {again|once more}: {sshd, keys, file "
            "modes and services|file modes, keys, services and sshd} {shall|must} comply with "
            "{baseline}.",
            "{baseline} {governs|holds for} our hosts, and the one {unpacked|lying} in {root} no "
            "longer complies. {Repair|Correct} its sshd, keys, file modes and services.",
            "{Somebody|Too many people} {worked on|had root on} the host that {lies|is} below "
            "{root}. {Undo|Put right} what {breaks|is against} {baseline}: sshd, keys, file "
            "modes, services.",
            "{An audit|The auditor} {measured|held} the tree in {root} against {baseline} and was "
            "not {pleased|amused}. {Fix|Mend} {every|each} deviation, in sshd, keys, file "
            "modes and services.",
            "Before {root} goes {live|into production} again, {make|see that} sshd, keys, file "
            "modes and services in it {comply|agree} with {baseline}{, one and all|}.",
        ),
        facts={"root": names["root"], "baseline": names["baseline"]},
        role="goal",
        brief="Make sshd, keys, file modes and services below {root} comply with {baseline}.",
    )


def _report(names: Mapping[str, str]) -> Clause:
    return Clause(
        "report",
        (
            "{Before you touch anything|First of all}, compare the {regular files|files} of the "
            "host with {manifest} (path, mode and SHA-256 a line) and list in {report} {whatever|"
            "all that} differs: {lines|rows} of {form} in byte order of the paths, KIND being "
            "{kinds}.",
            "{manifest} has path, mode and SHA-256 of {each|every} file as installed. {Write to|"
            "Put into} {report} which ones {differ|are different} in the state you {found|find} "
            "them in{, sorted by path in byte order|, in byte order of the path}: {form}, where "
            "KIND is {kinds}.",
            "{Also|Besides}, {report} must {tell|say} which files were altered {before you came|"
            "before your repairs}, judged by {manifest}: lines of path, mode and SHA-256. {It has|"
            "The report has} lines {form} in byte order of the path; as KIND {take|use} {kinds}.",
            "{We need|There has to be} a record, {report}, of how the files {were|stood} before "
            "your {repairs|work}, compared with {manifest} ({every|each} line: path, mode, "
            "SHA-256). {Give|Write} {form} for {each|every} file that {differs|is different}, "
            "paths in byte order, KIND one of {kinds}.",
            "In {report} {note|list} the files that {deviate|differ} from {manifest} (path, mode "
            "and SHA-256 of a file {a|per} line), {as you find them|as found}{, not as you leave "
            "them|}. {One|A} line is {form}, {sorting is|the order is} by path in bytes, and KIND "
            "{can be|is} {kinds}.",
            "{What|Whatever} {had been|was} altered when you arrived goes {into|to} {report}, one "
            "line {form} a file, {by|sorted by} path in byte order; {manifest} {gives|holds} path, "
            "mode and SHA-256 of {all files|the files} as {installed|they once were}. KIND is "
            "{kinds}.",
        ),
        facts={
            "manifest": names["manifest"],
            "report": names["report"],
            "form": "`PATH<tab>KIND`",
            "kinds": "`added`, `missing`, `content`, `mode` or `both` (content and mode)",
        },
        role="output",
        brief="List in {report} what differs, as found, from {manifest} (path, mode, SHA-256): "
        "lines {form} in byte order of paths, KIND one of {kinds}.",
    )


def _keep() -> Clause:
    return Clause(
        "keep",
        (
            "{Repair|Correct}, do not {overwrite|reinstall}: granted exceptions, {local|other} "
            "settings and files that no rule is about {stay|remain}, altered or not.",
            "{Whatever|What} the baseline {is silent about|does not mention} {stays|is kept}, "
            "altered or not, and {so does|likewise} any exception {still valid|in force}.",
            "{Keep|Leave} exceptions in force and local {settings|choices} {alone|in place}; a "
            "file that {differs|is different} but breaks no rule is {reported|listed} and not "
            "touched.",
            "{No|Never} wholesale {replacement|rewriting}: valid exceptions {remain|survive}, and "
            "{so does|likewise} everything on which the baseline {has no say|has nothing to say}.",
            "{Change|Touch} {only|no more than} what a rule {asks for|requires}; {the exceptions "
            "that still hold|valid exceptions} and altered files that break no rule {are|get} "
            "left alone.",
            "{People depend on|There are reasons for} the exceptions that still {hold|apply} and "
            "on settings {outside|beyond} the baseline, so {those stay|leave those}, {even "
            "in|and that holds for} altered files.",
        ),
        role="constraint",
        brief="Keep valid exceptions and all that no rule is about, altered or not.",
    )
