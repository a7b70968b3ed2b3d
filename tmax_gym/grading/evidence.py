"""Evidence for checks: the files of a frozen sandbox, and runs of the agent's programs.

Files are read entry by entry, and a link is followed only below `/app`.  Programs and services run
as `nobody` in a fresh sandbox from the trusted root file system, whose only hidden data is the
input of the case that runs.
"""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from tmax_gym.checks import tolerance
from tmax_gym.checks.check import BadOutput, Case, Exchange, Outcome, Program, Reply, shuffled
from tmax_gym.errors import SandboxError, VerifierError
from tmax_gym.grading import drivers
from tmax_gym.nodes import Node
from tmax_gym.sandboxes import Backend, ExecResult, Limits, Sandbox
from tmax_gym.sandboxes.login import NOBODY
from tmax_gym.world import toolchains

OUTPUT_CAP = 1 << 20
"""Bytes kept of one run's output, and of one collected file."""
RUN_LIMITS = Limits(memory=1 << 30, pids=128, disk=512 << 20, inodes=50_000)
COPY_BYTES = 64 << 20
"""Largest file that is copied beside a program."""
MARGIN = 10.0
"""Seconds beyond a driver's own limits, for its start and its report."""
FLOOR = 1.0
"""Least seconds of a driver: a program that works must pass even if the time of all is over."""
OVERTIME = 5.0
"""Seconds beyond the time of all for drivers in which no run ends; then no other driver starts."""
DRIVES = 2
"""A driver that is killed, or loses its machine, runs once more.  If the program was the cause, it
does it again; a fault from outside does not happen twice."""
_OVER = "TimeoutError: the time of the conversation is over"
_KILLED = 128 + 9
_COMPILED = "/tmp/program"


class Remains:
    """Evidence from a frozen sandbox; implements `checks.Evidence`."""

    def __init__(self, sandbox: Sandbox, backend: Backend, image: str, timeout: float) -> None:
        self._sandbox = sandbox
        self._backend = backend
        self._image = image
        self._deadline = time.monotonic() + timeout
        self._timeout = timeout
        self._overtime = OVERTIME
        self.waited = 0.0
        """Seconds that programs waited for a processor; they were given as much more time."""
        self._trees: dict[str, tuple[Node, ...]] = {}

    def tree(self, root: str) -> tuple[Node, ...]:
        """Return everything at and below `root`; a link there counts as its target."""
        if root not in self._trees:
            self._trees[root] = self._below(root)
        return self._trees[root]

    def node(self, path: str) -> Node:
        """Return one entry."""
        for node in self.tree(path):
            if node.path == path:
                return node
        raise BadOutput(f"{path} does not exist")

    def read(self, path: str, *, limit: int = 8 << 20) -> bytes:
        """Return a regular file's content."""
        node = self.node(path)
        if node.kind == "link":
            tolerance.followed(path, self._entry)  # raises with the reason
        if node.kind != "file":
            raise BadOutput(f"{path} is no regular file but of kind {node.kind}")
        if node.data is None or len(node.data) > limit:
            raise BadOutput(f"{path} is too large to be read: {node.size} bytes")
        return node.data

    def _below(self, root: str, *, max_bytes: int = 16 << 20) -> tuple[Node, ...]:
        """Return everything at and below `root`, or below its target if that is a link."""
        nodes = self._sandbox.get([root], max_bytes=max_bytes)
        if nodes and nodes[0].kind != "link":
            return nodes
        try:
            real = tolerance.followed(root, self._entry)
        except BadOutput:
            return nodes
        nodes = self._sandbox.get([real], max_bytes=max_bytes)
        return tuple(replace(node, path=root + node.path[len(real) :]) for node in nodes)

    def _entry(self, path: str) -> Node | None:
        """Return one entry without what is below it."""
        return next(iter(self._sandbox.get([path], max_nodes=1)), None)

    def run(
        self,
        program: Program,
        cases: Sequence[Case],
        *,
        timeout: float = 5.0,
        chained: int = 0,
    ) -> tuple[Outcome, ...]:
        """Run a program once for each case in a sandbox of its own, in random order."""
        self.read(program.path, limit=COPY_BYTES)
        source = (program.language, program.path, _COMPILED)
        order = (*range(chained), *shuffled(range(chained, len(cases))))
        job: dict[str, object] = {
            "build": list(toolchains.build(*source)) or None,
            "argv": list(toolchains.start(*source)),
            "roots": list(program.roots),
            "cases": [_case_row(cases[number]) for number in order],
            "chained": chained,
            "timeout": timeout,
            "stretch": drivers.STRETCH,
            "cap": OUTPUT_CAP,
        }
        report = self._drive("cases", job, program.roots)
        if report["build"] and report["build"]["code"] != 0:
            raise BadOutput(f"{program.path} does not compile")
        outcomes = dict(zip(order, map(_outcome, report["cases"]), strict=True))
        return tuple(outcomes[number] for number in range(len(cases)))

    def talk(
        self, start: str, script: Sequence[Exchange], *, roots: tuple[str, ...] = ("/app",)
    ) -> tuple[Reply, ...]:
        """Start a service and hold a conversation with it."""
        self.read(start)
        job: dict[str, object] = {
            "start": start,
            "script": [_exchange_row(step) for step in script],
            "timeout": 3.0,
            "ready": 5.0,
            "stretch": drivers.STRETCH,
            "cap": OUTPUT_CAP,
        }
        report = self._drive("talk", job, roots)
        return tuple(_reply(row) for row in report["replies"])

    def _left(self) -> float:
        """Return the seconds that programs may still take; 0 if no other may start.

        Starts and ends of sandboxes do not count: they move the deadline.
        """
        floor = min(FLOOR, max(0.0, self._overtime))
        return max(floor, self._deadline + self._waited() - time.monotonic())

    def _waited(self) -> float:
        """Return how long programs waited for a processor, as far as it counts."""
        return min(self.waited, (drivers.STRETCH - 1.0) * self._timeout)

    def _drive(self, driver: str, job: dict[str, object], roots: Sequence[str]) -> dict[str, Any]:
        """Run a driver beside copies of the agent's trees; return its decoded report."""
        if self._left() <= 0:
            return _unrun(job)
        trees = [self._below(root, max_bytes=COPY_BYTES) for root in roots]
        nodes = _handed_over({node.path: node for tree in trees for node in tree}.values())
        for left in reversed(range(DRIVES)):
            try:
                budget = self._left()
                result = self._run_driver(driver, {**job, "budget": budget}, nodes)
            except (SandboxError, BadOutput):
                if not left:
                    raise
                continue
            if result.exit_code != _KILLED or not left:
                break
        report = _decoded(driver, result)
        self.waited += float(report["waited"])
        if budget <= FLOOR and _all_late(report):
            # A run has its own limit, even if less is left of the time of all.
            self._overtime -= max(FLOOR, float(str(job["timeout"])))
        return report

    def _run_driver(self, driver: str, job: dict[str, object], nodes: Sequence[Node]) -> ExecResult:
        begun = time.monotonic()
        machine = self._backend.open(self._image, limits=RUN_LIMITS)
        self._deadline += time.monotonic() - begun
        try:
            machine.put(nodes)
            return machine.exec(
                ["python3", "-I", "-S", "-c", drivers.source(driver)],
                stdin=json.dumps(job).encode(),
                timeout=drivers.longest(driver, job) + MARGIN,
                max_output=64 << 20,
            )
        except SandboxError as error:
            if machine.destroyed():
                raise BadOutput("the program brought down the sandbox that ran it") from error
            raise
        finally:
            begun = time.monotonic()
            machine.close()
            self._deadline += time.monotonic() - begun


def _handed_over(nodes: Iterable[Node]) -> list[Node]:
    """Return the files, links and directories among these nodes, with `nobody` as their owner."""
    kept = []
    for node in nodes:
        if node.kind == "other" or (node.kind == "file" and node.data is None):
            continue
        mode = (node.mode & 0o777) | (0o700 if node.kind == "dir" else 0o600)
        kept.append(replace(node, uid=NOBODY, gid=NOBODY, mode=mode))
    return kept


def _decoded(driver: str, result: ExecResult) -> dict[str, Any]:
    """Return a driver's report.

    Raises:
        VerifierError: The driver itself failed.
        BadOutput: The program made it fail.
    """
    if b"Traceback" in result.stderr:
        tail = result.stderr[-500:].decode(errors="replace")
        raise VerifierError(f"the {driver} driver failed: {tail}")
    try:
        report: object = json.loads(result.stdout)
    except ValueError as error:
        raise BadOutput(
            f"the program brought down the sandbox that ran it (exit {result.exit_code})"
        ) from error
    if not isinstance(report, dict):
        raise VerifierError(f"the {driver} driver answered {type(report).__name__}, not an object")
    return report


def _unrun(job: dict[str, Any]) -> dict[str, Any]:
    """Return the report for a job that had no time left to start."""
    late: dict[str, object] = {"code": 124, "out": "", "late": True, "files": {}}
    silent: dict[str, object] = {"status": 0, "headers": [], "body": "", "error": _OVER}
    return {
        "build": None,
        "cases": [late for _ in job.get("cases", ())],
        "replies": [silent for _ in job.get("script", ())],
    }


def _all_late(report: dict[str, Any]) -> bool:
    """Return whether no run of a driver, and no step of a conversation, ended in time."""
    build = report.get("build")
    if build and build["code"] not in (0, 124):
        return False
    cases, replies = report.get("cases", ()), report.get("replies", ())
    answered = any(not str(reply["error"]).startswith("TimeoutError") for reply in replies)
    return not answered and all(case["late"] for case in cases)


def _case_row(case: Case) -> dict[str, object]:
    return {
        "argv": list(case.argv),
        "stdin": base64.b64encode(case.stdin).decode(),
        "files": [
            [n.path, base64.b64encode(n.data or b"").decode(), n.mode]
            for n in case.nodes
            if n.kind == "file"
        ],
        "collect": list(case.collect),
    }


def _outcome(row: dict[str, object]) -> Outcome:
    code, out, late, encoded = row["code"], row["out"], row["late"], row["files"]
    if not (isinstance(code, int) and isinstance(out, str) and isinstance(encoded, dict)):
        raise VerifierError("the case driver reported a malformed row")
    files = tuple((path, base64.b64decode(data)) for path, data in sorted(encoded.items()))
    return Outcome(code, base64.b64decode(out), bool(late), files)


def _exchange_row(step: Exchange) -> dict[str, object]:
    return {
        "protocol": step.protocol,
        "port": step.port,
        "send": base64.b64encode(step.send).decode(),
        "method": step.method,
        "target": step.target,
        "headers": [list(h) for h in step.headers],
        "connection": step.connection,
        "until": base64.b64encode(step.until).decode(),
    }


def _reply(row: dict[str, object]) -> Reply:
    status, headers, body, error = row["status"], row["headers"], row["body"], row["error"]
    if not (isinstance(status, int) and isinstance(headers, list) and isinstance(body, str)):
        raise VerifierError("the talk driver reported a malformed row")
    pairs = tuple((str(name), str(content)) for name, content in headers)
    return Reply(status, pairs, base64.b64decode(body), str(error))
