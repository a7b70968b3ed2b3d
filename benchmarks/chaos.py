"""A run of episodes while their machines, their engine and their own process are struck down.

A seed decides which episode is struck, by what, and when: `chaos_plan.py` has the kinds.  The
episodes run in a child of a child of this process, which are killed as well; whoever comes next
goes on from the journal.  After each death, and at the end, nothing may be left on the host, and
every episode must be as `chaos_check.py` derives it.  Needs root, for mounts of its own.

    python benchmarks/chaos.py [--episodes 2000] [--every 20] [--seed 7] [--backend native] [--json]

`docker` and `podman` run on an engine of this script's own, which is killed and stopped too.
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

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.outcome import RESULTS, Target, last_line, store

from benchmarks import chaos_host as host
from benchmarks.chaos_check import check_episode, check_journal, check_times, touches
from benchmarks.chaos_plan import OF_RUN, load, plan
from benchmarks.chaos_player import LIMITS, RETRIES, _append, read_rows
from benchmarks.deadlines import deadlines
from benchmarks.journal import read
from tmax_gym.sandboxes import images

GONE_SECONDS = 60.0
"""In which all that a killed run held must have gone by itself; a watcher looks for 30."""
STALL_SECONDS = 240.0
"""Without an episode that ends: the run hangs."""
STORE_BYTES = 4 << 30
HANG_SECONDS = 2.0
ENGINE_SECONDS = 60.0


def main() -> int:
    """Run, check, write the results; return 1 where an invariant does not hold."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--episodes", type=int, default=2000)
    parser.add_argument("--every", type=float, default=20.0, help="episodes a fault, on average")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--backend", choices=("native", "docker", "podman"), default="native")
    parser.add_argument("--threads", type=int, default=4, help="episodes at once")
    parser.add_argument("--keep", type=Path, help="a directory for the journal and the records")
    parser.add_argument("--json", action="store_true", help="print only the last line")
    options = parser.parse_args()
    load_average = os.getloadavg()[0]
    begun = time.monotonic()
    with Supervisor(options) as run:
        run.play()
    report = run.report()
    report["seconds"] = round(time.monotonic() - begun, 1)
    if not options.json:
        print(json.dumps(report, indent=1, sort_keys=True))
        print("\n".join(run.violations[:50]))
    if not options.keep:
        record(report, load=load_average)
    targets = targets_of(report)
    print(last_line(targets))
    return 0 if all(target.met for target in targets.values()) else 1


def targets_of(report: Mapping[str, Any]) -> dict[str, Target]:
    """Return what a run must reach."""
    name = report["backend"]
    return {
        f"{name}_violations": Target(len(report["violations"]), 0),
        f"{name}_episodes": Target(report["episodes"], report["planned"], at_most=False),
        f"{name}_faults": Target(sum(report["faults"].values()), 1, at_most=False),
    }


def record(report: Mapping[str, Any], *, load: float) -> None:
    """Write the results of a run beside those of the other backends."""
    file = RESULTS / "chaos.json"
    runs = json.loads(file.read_text())["runs"] if file.exists() else {}
    runs[report["backend"]] = {**report, "load": load}
    targets = {name: row for run in runs.values() for name, row in targets_of(run).items()}
    store("chaos", {"runs": runs}, targets, load=load)


class Supervisor:
    """Starts the run again whenever it was killed, strikes what is its own, looks for leftovers."""

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
        """Set the host up."""
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
        """Take the host down; what does not go is a violation."""
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
        """Start the run until it is through; look for leftovers after each of its deaths."""
        strange = 0
        while True:
            self._struck.clear()
            status = self._live()
            for thread in self._strikes:
                thread.join()
            self._check_leftovers(swept=status == 0)
            if status == 0:
                return
            strange += not self._struck
            if strange:
                log = (self.place / "player.log").read_text()[-3000:]
                self.violations.append(f"the run ended by itself with status {status}:\n{log}")
                return

    def _live(self) -> int:
        """Let the run live until it ends or is killed; return the parent's status."""
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
        """Return the processes of the run, less those of the engine."""
        found = host.descendants(os.getpid())
        if self._keeper is not None:
            keeper = {self._keeper.pid, *host.descendants(self._keeper.pid)}
            found = {pid: words for pid, words in found.items() if pid not in keeper}
        return found

    def _await_gone(self) -> None:
        """Wait for the end of all that a dead run has left running."""
        deadline = time.monotonic() + GONE_SECONDS
        while (left := self._ours()) and time.monotonic() < deadline:
            time.sleep(0.05)
            self._reap()
        if left:
            self.violations.append(f"processes outlive the run: {left}")
            host.killed(list(left))

    def _reap(self) -> None:
        """Collect what has become ours by its parent's death, and has ended."""
        known = {one.pid for one in (self._keeper, self._parent) if one is not None}
        while True:
            try:
                found = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            except ChildProcessError:
                return
            if found is None or found.si_pid in known:
                return
            os.waitpid(found.si_pid, 0)

    def _serve(self, requests: int) -> None:
        """Strike what the run asks for, until nobody can ask any more."""
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
        _append(self.place / "faults.jsonl", {**row, **span})

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
        """Look for what outlives a life; what a power cut left goes with the next one's end."""
        if "power" in self._struck and not swept:
            return
        deadline = time.monotonic() + GONE_SECONDS
        while (left := self._leftovers()) and time.monotonic() < deadline:
            time.sleep(0.1)
        if left:
            self.violations.append(f"left after life {self.lives}: {left[:20]}")

    def _leftovers(self) -> list[str]:
        shared = Path(f"/dev/shm/tmax-gym-{os.getuid()}")
        found = host.files(self.cache.place / "layers", shared, self.place / "tmp")
        # One directory a user for good, which engines read.
        found = [path for path in found if "/tmax-profiles-" not in path]
        found += host.cgroups(self.players)
        found += [f"mounted at {point}" for point in set(host.mounts()) - set(self.mounts)]
        if self._keeper is not None:
            found += _containers(self.state / "engine.sock")
        return found

    def _read_records(self) -> None:
        """Read all that was written down, and check it."""
        options = self.options
        planned = plan(
            options.episodes,
            every=options.every,
            seed=options.seed,
            backend=options.backend,
            catalogued=self.catalogued,
        )
        self.played = read(self.place / "journal.jsonl")
        self.faults = read_rows(self.place / "faults.jsonl")
        rows = {row["episode"]: row for row in read_rows(self.place / "spans.jsonl")}
        spans = {number: (row["begun"], row["ended"]) for number, row in rows.items()}
        touched = touches(planned, spans, self.faults)
        self.touched = sum(touch.any for touch in touched.values())
        self.violations += check_journal(planned, self.played)
        by_seed = {seen.seed: seen for seen in self.played}
        for one in planned:
            if (seen := by_seed.get(one.number)) is None:
                continue
            found = list(check_episode(one, seen, touched[one.number]))
            limits = deadlines(
                load(one.task), LIMITS, options.backend, at_once=options.threads, retries=RETRIES
            )
            row = rows[one.number]
            self.ended[one.number] = row["ended"] - row["begun"]
            found += check_times(row["calls"], limits, self.ended[one.number])
            self.violations += [f"episode {one.number}: {problem}" for problem in found]
        self.violations += self._check_end()

    def _check_end(self) -> Iterator[str]:
        """Yield what the last player still held when all was closed."""
        for row in read_rows(self.place / "ends.jsonl"):
            for what, most in row["before"].items():
                if row["after"][what] > most:
                    yield f"{what} grew from {most} to {row['after'][what]} in the last player"

    def report(self) -> dict[str, Any]:
        """Return the figures of the run."""
        hits = Counter(row["kind"] for row in self.faults if row["hit"])
        endings = Counter(str(seen.ending) for seen in self.played)
        untouched = Counter(seen.reward for seen in self.played if seen.reward is not None)
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
            "masked": sum(seen.reward is None for seen in self.played),
            "retried": sum(seen.attempts > 1 for seen in self.played),
            "endings": dict(sorted(endings.items())),
            "rewards": {f"{reward:.2f}": count for reward, count in sorted(untouched.items())},
            "longest_episode_seconds": round(max(self.ended.values(), default=0.0), 1),
            "violations": self.violations[:50],
        }


def _size(file: Path) -> int:
    return file.stat().st_size if file.exists() else 0


def _answers(path: Path) -> bool:
    words = ["curl", "-s", "-f", "--max-time", "2", "--unix-socket", str(path), "http://d/_ping"]
    return subprocess.run(words, capture_output=True).returncode == 0


def _containers(path: Path) -> list[str]:
    """Return the containers that an engine has, by its socket alone."""
    url = "http://d/v1.41/containers/json?all=1"
    words = ["curl", "-s", "--max-time", "20", "--unix-socket", str(path), url]
    answer = subprocess.run(words, capture_output=True).stdout
    return [f"container {row['Id'][:12]}" for row in json.loads(answer or b"[]")]


if __name__ == "__main__":
    sys.exit(main())
