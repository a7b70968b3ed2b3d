"""How a probe is tried: beside a little service of the verifier, in all states that matter."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from tmax_gym.checks import exact
from tmax_gym.checks.check import BadOutput, Case, Check, Evidence, Program, fraction, prints
from tmax_gym.families.products import Request, Service
from tmax_gym.families.shared.programs import program_text
from tmax_gym.nodes import Node
from tmax_gym.rng import Rng

TRIAL = program_text(__package__, "trial.py")
ASIDE = "/tmp/trial/probe"
"""Where the probe stands while it is tried."""
PORTS = (20_000, 29_999)
LONGEST = 8.0
"""Seconds for one trial; the trial itself ends a slow probe."""
ODD_STATUS = 202
"""Many probes take every status that begins with 2 for good."""
STATUSES = (500, 503, 404, 502, 429, 301)
Kind = Literal["up", "status", "body", "down"]
Way = Literal["argument", "option", "variable"]


@dataclass(frozen=True, slots=True)
class Verdicts:
    """What a probe asks for, and what it says."""

    request: Request
    field: str
    least: int | None
    """The smallest good number; None for any number, or for a string that is not empty."""
    up: str
    wrong: str
    down: str
    wrong_status: int
    down_status: int

    @property
    def is_text(self) -> bool:
        """Return whether the field is a string."""
        return isinstance(self.request.fields[self.field], str)


@dataclass(frozen=True, slots=True)
class Trial:
    """One state of a service, and what the probe must print."""

    kind: Kind
    stdin: bytes
    printed: str
    status: int


def trials(
    rng: Rng, service: Service, verdicts: Verdicts, *, way: Way, variable: str
) -> tuple[Trial, ...]:
    """Return trials of every kind, some of them on the service's own port."""
    every = []
    for number, (kind, state, printed, status) in enumerate(_states(rng.fork("states"), verdicts)):
        port = rng.fork("port", number).integer(*PORTS)
        own = number % 4 == 0
        given = {
            "argument": ([str(port)], {}),
            "option": (["-p", str(port)], {}),
            "variable": ([], {variable: str(port)}),
        }[way]
        arguments, variables = ([], {}) if own else given
        case = {
            "script": ASIDE,
            "arguments": arguments,
            "variables": variables,
            "port": service.port if own else port,
            "target": verdicts.request.path,
            "headers": dict(service.headers),
            "status": 200,
            "body": "",
            "mode": "answer",
            **state,
        }
        every.append(Trial(kind, json.dumps(case).encode(), printed, status))
    return tuple(every)


def check(script: str, cases: Sequence[Trial]) -> Check:
    """Return a check: the mean share of right answers of the four kinds, above a constant one.

    Without a single mistake it is 1; otherwise it is reduced, as a probe must not err.
    """

    def score(evidence: Evidence) -> float:
        body = evidence.read(script)
        if not evidence.node(script).mode & 0o111:
            raise BadOutput(f"{script} is not executable")
        # The trial takes the place of the script in the sandbox, and starts it from elsewhere.
        nodes = (Node(script, data=TRIAL.encode()), Node(ASIDE, data=body, mode=0o755))
        outcomes = evidence.run(
            Program(script, "python", roots=(script,)),
            [Case(stdin=case.stdin, nodes=nodes) for case in cases],
            timeout=LONGEST,
        )
        right: dict[Kind, list[bool]] = {}
        for case, outcome in zip(cases, outcomes, strict=True):
            same = prints(outcome.stdout, case.printed.encode())
            good = same and outcome.exit_code == case.status and not outcome.timed_out
            right.setdefault(case.kind, []).append(good)
        mean = sum(fraction(sum(hits), len(hits)) for hits in right.values()) / len(right)
        chance = 1.0 / len(right)
        share = max(0.0, (mean - chance) / (1.0 - chance))
        return exact.reduced(share)

    return Check("probe", "adversarial_corpus", score)


def _states(rng: Rng, verdicts: Verdicts) -> Iterator[tuple[Kind, Mapping[str, object], str, int]]:
    """Yield the kind of each state, the state, and the line and the status of a right probe."""
    for value in _good(rng, verdicts):
        yield "up", {"body": _body(verdicts, value)}, f"{verdicts.up} {value}", 0
    fine = _body(verdicts, verdicts.request.fields[verdicts.field])
    for status in (ODD_STATUS, *rng.sample(STATUSES, 3)):
        printed = f"{verdicts.wrong} {status}"
        yield "status", {"status": status, "body": fine}, printed, verdicts.wrong_status
    for body in (*(_body(verdicts, value) for value in _bad(verdicts)), "[]", "<p>busy</p>"):
        yield "body", {"body": body}, f"{verdicts.wrong} body", verdicts.wrong_status
    for mode in ("closed", "silent", "closed"):
        yield "down", {"mode": mode}, verdicts.down, verdicts.down_status


def _good(rng: Rng, verdicts: Verdicts) -> list[str | int]:
    if verdicts.is_text:
        return [rng.secret(size) for size in (4, 5, 6, 8)]
    least = verdicts.least or 0
    return [*dict.fromkeys((least, *(rng.integer(least + 1, 9_999) for _ in range(3))))]


def _bad(verdicts: Verdicts) -> list[object]:
    """Return values of the field that a right probe refuses; `...` stands for none at all."""
    if verdicts.is_text:
        return ["", 17, ...]
    return ["17", ..., *([] if verdicts.least is None else [verdicts.least - 1])]


def _body(verdicts: Verdicts, value: object) -> str:
    body = {**verdicts.request.fields, verdicts.field: value}
    return json.dumps({name: one for name, one in body.items() if one is not ...})
