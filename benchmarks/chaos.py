"""Play episodes while faults hit their sandboxes, their engine and the playing process itself.

A seed decides which fault hits which episode, and when; `chaos_plan.py` has the kinds.  The
episodes run in a grandchild of this process; it and its parent are killed as well, and the next
player continues from the journal.  After each kill and at the end, nothing may be left on the
host, and every episode must be as `chaos_check.py` derives it.  Needs root, for its own mounts.

    python benchmarks/chaos.py [--episodes 2000] [--every 20] [--seed 7] [--backend native] [--json]

`docker` and `podman` use an engine that this script starts, which is killed and stopped too.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from benchmarks import chaos_host as host
from benchmarks.chaos_check import check_episode, check_journal, check_times, touches
from benchmarks.chaos_plan import OF_RUN, load, plan, played
from benchmarks.chaos_player import LIMITS, RETRIES, append, read_rows
from benchmarks.deadlines import deadlines
from benchmarks.script import LOAD, RESULTS, Target, finish, parser, store
from tmax_gym.sandboxes import images

GONE_SECONDS = 60.0
"""Seconds in which everything of a killed run must end by itself; a watcher takes up to 30."""
STALL_SECONDS = 240.0
"""Seconds without an episode that ends after which the run counts as hanging."""
STORE_BYTES = 4 << 30
HANG_SECONDS = 2.0
ENGINE_SECONDS = 60.0


def main() -> int:
    """Run, check, write the results; return 1 if an invariant does not hold."""
    every, threads = (20.0, "episodes per fault, on average"), (4, "episodes at once")
    arguments = parser(__doc__, episodes=2000, every=every, seed=7, threads=threads)
    arguments.add_argument("--backend", choices=("native", "docker", "podman"), default="native")
    arguments.add_argument("--keep", type=Path, help="a directory for the journal and the records")
    options = arguments.parse_args()
    begun = time.monotonic()
    with Supervisor(options) as run:
        run.play()
    report = run.report()
    report["seconds"] = round(time.monotonic() - begun, 1)
    if not options.keep:
        record(report)
    lines = [json.dumps(report, indent=1, sort_keys=True), *run.violations[:50]]
    return finish("chaos", {}, targets_of(report), options, lines, stored=False)


def targets_of(report: Mapping[str, Any]) -> dict[str, Target]:
    """Return the targets of a run."""
    name = report["backend"]
    return {
        f"{name}_violations": Target(len(report["violations"]), 0),
        f"{name}_episodes": Target(report["episodes"], report["planned"], at_most=False),
        f"{name}_faults": Target(sum(report["faults"].values()), 1, at_most=False),
    }


def record(report: Mapping[str, Any]) -> None:
    """Write the results of a run beside those of the other backends."""
    file = RESULTS / "chaos.json"
    runs = json.loads(file.read_text())["runs"] if file.exists() else {}
    runs[report["backend"]] = {**report, "load": LOAD}
    targets = {name: row for run in runs.values() for name, row in targets_of(run).items()}
    store("chaos", {"runs": runs}, targets)


class Supervisor:
    """Starts the run again after each kill, causes faults of the host, looks for leftovers."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.catalogued = images.default_image() != "host"
        self.violations: list[str] = []
        self.players: set[int] = set()
        self.lives = 0
        self.ended: dict[int, float] = {}
        self._undo = contextlib.ExitStack()
        self._strikes: list[threading.Thread] = []
        self._struck: set[str] = set()
        self._keeper: subprocess.Popen[bytes] | None = None
        self._parent: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Supervisor:
        """Prepare the host."""
        with contextlib.ExitStack() as undo:
            real = images.cache_root() / "images"
            self.place = Path(tempfile.mkdtemp(prefix="tmax-chaos-", dir="/tmp"))
            undo.callback(shutil.rmtree, self.place, ignore_errors=True)
            host.isolate()
            self.cache = host.Disk(self.place / "cache", host.CACHE_BYTES)
            undo.callback(self._unmount, self.cache)
            (self.cache.place / "images").symlink_to(real)
            (self.place / "tmp").mkdir()
            self.environment = {
                **os.environ,
                "TMAX_CACHE": str(self.cache.place),
                "TMPDIR": str(self.place / "tmp"),
            }
            if self.options.backend != "native":
                self._start_engine(undo)
            self.mounts = host.mounts()
            self._undo = undo.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        """Restore the host; whatever cannot be removed is a violation."""
        self._read_records()
        if self.options.keep:
            self.options.keep.mkdir(parents=True, exist_ok=True)
            for file in self.place.glob("*.jsonl"):
                shutil.copy(file, self.options.keep)
        self._undo.close()

    def _unmount(self, disk: host.Disk) -> None:
        if problem := disk.close():
            self.violations.append(f"{disk.place.name} is still held at the end: {problem}")

    def _start_engine(self, undo: contextlib.ExitStack) -> None:
        self.store = host.Disk(self.place / "store", STORE_BYTES)
        undo.callback(self._unmount, self.store)
        self.state = self.place / "engine"
        self.state.mkdir()
        name = self.options.backend
        variable = "DOCKER_HOST" if name == "docker" else "CONTAINER_HOST"
        self.environment[variable] = f"unix://{self.state}/engine.sock"
        script = str(Path(__file__).with_name("chaos_engine.py"))
        words = ["unshare", "--net", "--mount", sys.executable, script, name]
        self._keeper = subprocess.Popen([*words, str(self.state), str(self.store.place)])
        undo.callback(self._stop_engine)
        self._await_engine()

    def _stop_engine(self) -> None:
        assert self._keeper is not None
        self._keeper.terminate()
        self._keeper.wait(60)

    def _await_engine(self) -> None:
        """Wait until the engine answers."""
        deadline = time.monotonic() + ENGINE_SECONDS
        while time.monotonic() < deadline:
            if _answers(self.state / "engine.sock"):
                return
            time.sleep(0.1)
        raise SystemExit(f"no engine came up: {(self.state / 'engine.log').read_text()[-2000:]}")

    def play(self) -> None:
        """Start the run until it is complete; look for leftovers after each kill."""
        while True:
            self._struck.clear()
            status = self._live()
            for thread in self._strikes:
                thread.join()
            self._check_leftovers(swept=status == 0)
            if status == 0:
                return
            if not self._struck:
                log = (self.place / "player.log").read_text()[-3000:]
                self.violations.append(f"the run ended by itself with status {status}:\n{log}")
                return

    def _live(self) -> int:
        """Start the run and wait until it ends or is killed; return the parent's status."""
        self.lives += 1
        requests, theirs = os.pipe()
        options = {
            key: getattr(self.options, key)
            for key in ("episodes", "every", "seed", "backend", "threads")
        }
        options |= {"place": str(self.place), "requests": theirs, "catalogued": self.catalogued}
        script = str(Path(__file__).with_name("chaos_player.py"))
        words = [sys.executable, script, "parent", json.dumps(options)]
        with open(self.place / "player.log", "ab") as log:
            self._parent = subprocess.Popen(
                words, pass_fds=(theirs,), env=self.environment, stdout=log, stderr=log
            )
        os.close(theirs)
        server = threading.Thread(target=self._serve, args=(requests,))
        server.start()
        size, since = -1, time.monotonic()
        while (status := self._parent.poll()) is None:
            time.sleep(0.1)
            self._reap()
            if (now := _size(self.place / "journal.jsonl")) != size:
                size, since = now, time.monotonic()
            elif time.monotonic() - since > STALL_SECONDS:
                self.violations.append(f"no episode has ended for {STALL_SECONDS} s")
                host.killed(list(self._ours()))
        self._await_gone()
        server.join()
        rows = read_rows(self.place / "lives.jsonl")
        self.players |= {row["player"] for row in rows}
        return status

    def _ours(self) -> dict[int, str]:
        """Return the processes of the run, without those of the engine."""
        pids = host.descendants(os.getpid())
        if self._keeper is not None:
            keeper = {self._keeper.pid, *host.descendants(self._keeper.pid)}
            pids = {pid: words for pid, words in pids.items() if pid not in keeper}
        return pids

    def _await_gone(self) -> None:
        """Wait until all processes of a killed run have ended."""
        deadline = time.monotonic() + GONE_SECONDS
        while (left := self._ours()) and time.monotonic() < deadline:
            time.sleep(0.05)
            self._reap()
        if left:
            self.violations.append(f"processes outlive the run: {left}")
            host.killed(list(left))

    def _reap(self) -> None:
        """Collect adopted processes that have ended."""
        host.reap({child.pid for child in (self._keeper, self._parent) if child is not None})

    def _serve(self, requests: int) -> None:
        """Cause the faults that the run asks for, until it has closed its pipe."""
        with open(requests, encoding="utf-8") as lines:
            for line in lines:
                thread = threading.Thread(target=self._strike, args=(json.loads(line),))
                self._strikes.append(thread)
                thread.start()

    def _strike(self, row: dict[str, Any]) -> None:
        begun = time.monotonic()
        if row["kind"] in OF_RUN:
            self._struck.add(row["kind"])
        try:
            hit = self._hit(row)
        except OSError as error:
            self.violations.append(f"the fault {row['kind']} failed: {error!r}")
            hit = ""
        span = {"begun": begun, "ended": time.monotonic(), "hit": hit, "where": "host"}
        append(self.place / "faults.jsonl", {**row, **span})

    def _hit(self, row: dict[str, Any]) -> str:
        kind, guards = row["kind"], row["guards"]
        if kind in OF_RUN:
            own = {"rollout": [row["player"]], "parent": [row["parent"]]}
            return host.killed(own.get(kind, [row["parent"], row["player"], *guards]))
        if kind in ("zygote", "zygote hangs"):
            if not guards:
                return ""
            return (
                host.killed(guards) if kind == "zygote" else host.stopped(guards[0], HANG_SECONDS)
            )
        if kind == "cache full":
            return host.full([self.cache.place, Path("/dev/shm")], HANG_SECONDS)
        if kind in ("cache slow", "store slow"):
            return (self.cache if kind == "cache slow" else self.store).frozen(HANG_SECONDS)
        if kind == "store full":
            return host.full([self.store.place], HANG_SECONDS)
        engine = int((self.state / "pid").read_text())
        if kind == "daemon hangs":
            return host.stopped(engine, HANG_SECONDS)
        os.kill(engine, signal.SIGKILL if kind == "daemon" else signal.SIGTERM)
        while (self.state / "pid").read_text() in ("", str(engine)):
            time.sleep(0.05)
        self._await_engine()
        return f"ended {engine}"

    def _check_leftovers(self, *, swept: bool) -> None:
        """Look for leftovers; those of a power cut are removed by the next player."""
        if "power" in self._struck and not swept:
            return
        deadline = time.monotonic() + GONE_SECONDS
        while (left := self._leftovers()) and time.monotonic() < deadline:
            time.sleep(0.1)
        if left:
            self.violations.append(f"left after start {self.lives} of the run: {left[:20]}")

    def _leftovers(self) -> list[str]:
        shared = Path(f"/dev/shm/tmax-gym-{os.getuid()}")
        left = host.files(self.cache.place / "layers", shared, self.place / "tmp")
        # Every user has one permanent directory of profiles, which engines read.
        left = [path for path in left if "/tmax-profiles-" not in path]
        left += host.cgroups(self.players)
        left += [f"mounted at {point}" for point in set(host.mounts()) - set(self.mounts)]
        if self._keeper is not None:
            left += _containers(self.state / "engine.sock")
        return left

    def _read_records(self) -> None:
        """Read all records, and check them."""
        options = self.options
        planned = plan(
            options.episodes,
            every=options.every,
            seed=options.seed,
            backend=options.backend,
            catalogued=self.catalogued,
        )
        self.played = played(self.place / "journal.jsonl")
        self.faults = read_rows(self.place / "faults.jsonl")
        rows = {row["episode"]: row for row in read_rows(self.place / "spans.jsonl")}
        spans = {number: (row["begun"], row["ended"]) for number, row in rows.items()}
        touched = touches(planned, spans, self.faults)
        self.touched = sum(touch.any for touch in touched.values())
        self.violations += check_journal(planned, self.played)
        by_seed = {seen.seed: seen for seen in self.played}
        for episode in planned:
            number = episode.number
            if (seen := by_seed.get(number)) is None:
                continue
            problems = list(check_episode(episode, seen, touched[number]))
            limits = deadlines(
                load(episode.task),
                LIMITS,
                options.backend,
                at_once=options.threads,
                retries=RETRIES,
            )
            row = rows[number]
            self.ended[number] = row["ended"] - row["begun"]
            problems += check_times(row["calls"], limits, self.ended[number])
            self.violations += [f"episode {number}: {problem}" for problem in problems]
        self.violations += self._check_end()

    def _check_end(self) -> Iterator[str]:
        """Yield the descriptors and threads that the last player had left open."""
        for row in read_rows(self.place / "ends.jsonl"):
            for what, most in row["before"].items():
                if row["after"][what] > most:
                    yield f"{what} grew from {most} to {row['after'][what]} in the last player"

    def report(self) -> dict[str, Any]:
        """Return the figures of the run."""
        hits = Counter(row["kind"] for row in self.faults if row["hit"])
        endings = Counter(str(trajectory.ending) for trajectory in self.played)
        rewards = Counter(
            trajectory.reward for trajectory in self.played if trajectory.reward is not None
        )
        return {
            "backend": self.options.backend,
            "catalogued_tasks": self.catalogued,
            "seed": self.options.seed,
            "every": self.options.every,
            "episodes": len(self.played),
            "planned": self.options.episodes,
            "lives": self.lives,
            "faults": dict(sorted(hits.items())),
            "faults_missed": sum(not row["hit"] for row in self.faults),
            "episodes_struck": self.touched,
            "masked": sum(trajectory.reward is None for trajectory in self.played),
            "retried": sum(trajectory.attempts > 1 for trajectory in self.played),
            "endings": dict(sorted(endings.items())),
            "rewards": {f"{reward:.2f}": count for reward, count in sorted(rewards.items())},
            "longest_episode_seconds": round(max(self.ended.values(), default=0.0), 1),
            "violations": self.violations[:50],
        }


def _size(file: Path) -> int:
    return file.stat().st_size if file.exists() else 0


def _answers(path: Path) -> bool:
    words = ["curl", "-s", "-f", "--max-time", "2", "--unix-socket", str(path), "http://d/_ping"]
    return subprocess.run(words, capture_output=True).returncode == 0


def _containers(path: Path) -> list[str]:
    """Return the containers of an engine, asked over its socket."""
    url = "http://d/v1.41/containers/json?all=1"
    words = ["curl", "-s", "--max-time", "20", "--unix-socket", str(path), url]
    answer = subprocess.run(words, capture_output=True).stdout
    return [f"container {row['Id'][:12]}" for row in json.loads(answer or b"[]")]


if __name__ == "__main__":
    sys.exit(main())
