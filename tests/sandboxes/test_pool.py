"""Warm machines: the rules with threads alone, and the pool with real engines."""

import gc
import itertools
import os
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tmax_gym.errors import BackendUnavailable, SandboxError
from tmax_gym.nodes import text
from tmax_gym.sandboxes import Layer, Limits
from tmax_gym.sandboxes.docker.backend import DockerBackend
from tmax_gym.sandboxes.docker.sandbox import DockerSandbox
from tmax_gym.sandboxes.pool import Demand, Pool
from tmax_gym.sandboxes.pool.admission import OPENING, Admission, Bounds, Line, Place
from tmax_gym.sandboxes.pool.stats import quantile
from tmax_gym.shell import Shell

ROOT = Path(__file__).parents[2]


def until(done: Callable[[], bool], seconds: float = 20.0) -> None:
    deadline = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.01)


# Demand


def test_one_opening_expects_one_more() -> None:
    demand = Demand()
    demand.arrived(5.0)
    assert demand.expected(5.0) == demand.expected(40.0) == 1


def test_a_burst_is_expected_again_and_half_of_it_after_half_a_minute() -> None:
    demand = Demand()
    for _ in range(32):
        demand.arrived(5.0)
    assert demand.expected(6.0) in (31, 32)
    assert demand.expected(35.0) == 16
    assert demand.expected(500.0) == 1


def test_a_steady_rate_expects_what_comes_during_a_refill() -> None:
    demand = Demand()
    for turn in range(100):
        demand.made(0.8)
        demand.arrived(turn / 10)  # 10 a second
    assert demand.expected(9.9) in (8, 9)


@given(st.lists(st.floats(0.0, 5.0), min_size=1, max_size=60))
def test_never_more_is_expected_than_was_opened(pauses: list[float]) -> None:
    demand, now = Demand(), 0.0
    for count, pause in enumerate(pauses, 1):
        now += pause
        demand.arrived(now)
        assert 1 <= demand.expected(now) <= count


@given(st.lists(st.floats(0.0, 9.0), min_size=1), st.sampled_from([0.5, 0.99]))
def test_a_quantile_is_exceeded_by_no_more_than_its_share(values: list[float], q: float) -> None:
    value_at = quantile(sorted(values), q)
    assert value_at in values
    assert sum(value > value_at for value in values) <= (1 - q) * len(values)


# The pool, with numbers as machines


@dataclass
class Crew:
    """Makes numbers, records what happens to them, and fails on request."""

    admission: Admission
    numbers: Iterator[int] = field(default_factory=itertools.count)
    dead: set[int] = field(default_factory=set)
    gone: list[int] = field(default_factory=list)
    made: list[str] = field(default_factory=list)
    failing: bool = False
    seconds: float = 0.001
    held: threading.Lock = field(default_factory=threading.Lock)

    def make(self, kind: str) -> int:
        with self.admission.start(spare=True):
            with self.held:  # until a burst is over
                pass
            time.sleep(self.seconds)
            self.made.append(kind)
            if self.failing:
                raise SandboxError("no")
            return next(self.numbers)

    def usable(self, machine: int) -> bool:
        return machine not in self.dead

    def discard(self, machine: int) -> None:
        self.gone.append(machine)


@pytest.fixture
def crew() -> Crew:
    return Crew(Admission("the engine", Bounds(4, 50)))


@pytest.fixture
def pool(crew: Crew) -> Iterator[Pool[str, int]]:
    opened: Pool[str, int] = Pool(crew, crew.admission, most=8)
    yield opened
    opened.close()
    assert opened.waiting == opened.creating == 0


def miss(pool: Pool[str, int], kind: str) -> None:
    assert pool.take(kind) is None
    pool.opened(kind)


def miss_often(pool: Pool[str, int], crew: Crew, times: int) -> None:
    """Open machines of kind `a` in one burst, before the first spare can be made."""
    with crew.held:
        for _ in range(times):
            miss(pool, "a")


def test_nothing_is_made_before_the_first_one_was_opened(pool: Pool[str, int], crew: Crew) -> None:
    assert pool.take("a") is None
    time.sleep(0.2)
    assert crew.made == []
    pool.opened("a")
    until(lambda: pool.waiting == 1)
    time.sleep(0.2)
    assert crew.made == ["a"], "one opening brings one spare"


def test_no_machine_is_given_twice(pool: Pool[str, int], crew: Crew) -> None:
    miss(pool, "a")
    with ThreadPoolExecutor(16) as threads:
        for _ in range(5):
            until(lambda: pool.waiting >= 1)
            list(threads.map(lambda _: pool.take("a"), range(16)))
    until(lambda: pool.waiting == 8, 30)
    taken = [pool.take("a") for _ in range(8)]
    assert len({*taken}) == 8


def test_a_burst_fills_the_stock_up_to_its_cap_and_not_beyond(
    pool: Pool[str, int], crew: Crew
) -> None:
    miss_often(pool, crew, 30)
    until(lambda: pool.waiting == 8)
    time.sleep(0.2)
    assert pool.waiting == len(crew.made) == 8


def test_a_machine_that_died_in_stock_is_replaced_and_never_given(
    pool: Pool[str, int], crew: Crew
) -> None:
    miss_often(pool, crew, 4)
    until(lambda: pool.waiting == 4)
    crew.dead = {0, 1}
    assert pool.take("a") not in crew.dead
    assert pool.discarded == 2
    until(lambda: sorted(crew.gone) == [0, 1])


def test_kinds_are_kept_apart(pool: Pool[str, int]) -> None:
    miss(pool, "a")
    until(lambda: pool.waiting == 1)
    assert pool.take("b") is None
    assert pool.waiting == 1


def test_after_failures_in_a_row_nothing_is_made_until_one_was_opened(
    pool: Pool[str, int], crew: Crew
) -> None:
    crew.failing = True
    miss(pool, "a")
    until(lambda: len(crew.made) == 3)
    time.sleep(0.3)
    assert len(crew.made) == 3
    crew.failing = False
    until(lambda: crew.admission.resting() == 0)
    with crew.admission.start():  # a machine in use
        pass
    pool.opened("a")
    until(lambda: pool.waiting == 1)


def test_stock_goes_when_nobody_came_for_a_while(crew: Crew) -> None:
    others = set(threading.enumerate())  # pools of other tests keep their stock for longer
    pool: Pool[str, int] = Pool(crew, crew.admission, most=8, idle=0.3)
    miss_often(pool, crew, 4)
    # Not how many wait: on a busy host the first may have gone before the last has come.
    until(lambda: bool(crew.gone))
    until(lambda: not [t for t in set(threading.enumerate()) - others if t.name == "pool"])
    assert sorted(crew.gone) == list(range(len(crew.made)))
    assert pool.take("a") is None, "and it comes back when somebody does"
    pool.opened("a")
    until(lambda: pool.waiting >= 1)
    pool.close()


def test_stock_gives_way_to_another_kind_where_all_places_are_taken() -> None:
    crew = Crew(Admission("the engine", Bounds(4, 2)))
    pool: Pool[str, int] = Pool(crew, crew.admission, most=8)
    miss_often(pool, crew, 4)
    until(lambda: crew.admission.live.taken == pool.waiting == 2)
    time.sleep(0.1)
    assert len(crew.made) == 2, "never more than there are places"
    pool.make_room()
    assert len(crew.gone) == 1
    pool.close()


def test_spares_wait_behind_those_who_open(pool: Pool[str, int], crew: Crew) -> None:
    crew.seconds = 0.3
    starts = crew.admission.slots
    before: list[int] = []  # spares that were made before each of those who open

    def come() -> None:
        with crew.admission.start() as place:
            before.append(len(crew.made))
            time.sleep(0.02)
        place.leave()

    threads = [threading.Thread(target=come) for _ in range(20)]
    with crew.held:
        for _ in range(8):
            miss(pool, "a")
        until(lambda: starts.taken == crew.admission.width)
        for thread in threads:
            thread.start()
        # Spares have all places: those of them that wait are the others that are being made.
        until(lambda: starts.waiting - (pool.creating - starts.taken) == len(threads))
    for thread in threads:
        thread.join(30)
    assert len(before) == len(threads)
    assert max(before) <= 4, "only those that were under way"


def test_closing_waits_for_what_is_being_made(crew: Crew) -> None:
    pool: Pool[str, int] = Pool(crew, crew.admission, most=8)
    crew.seconds = 0.3
    miss_often(pool, crew, 8)
    until(lambda: pool.creating >= 2)
    pool.close()
    assert len(crew.gone) == len(crew.made) >= 2
    assert pool.take("a") is None
    pool.close()


# With engines


@pytest.fixture(params=["docker", "podman"])
def backend(request: pytest.FixtureRequest) -> Iterator[DockerBackend]:
    name = str(request.param)
    request.getfixturevalue(f"{name}_backend")
    opened = DockerBackend(name, pool=4)
    yield opened
    assert opened.stats().leaked == 0
    opened.close()


FILES = Layer("k", tuple(text(f"/app/d{n % 4}/f{n}", f"{n}\n" + "x" * 2550) for n in range(20)))


def warm(backend: DockerBackend, image: str, count: int = 1) -> None:
    """Open machines until this many wait in stock."""
    with ThreadPoolExecutor(count) as threads:
        opened = list(threads.map(lambda _: backend.open(image), range(count)))
        list(threads.map(lambda sandbox: sandbox.close(), opened))
    until(lambda: backend.stats().waiting >= count, 60)


@pytest.mark.docker
def test_the_second_machine_comes_from_stock_with_files_and_a_shell(
    backend: DockerBackend, image: str
) -> None:
    warm(backend, image)
    sandbox = backend.open(image, layer=FILES)
    with Shell(sandbox, cwd="/app/d1") as shell:
        assert shell.run("pwd; ls | wc -l; cat /app/d3/f19 | wc -c").output == "/app/d1\n5\n2553\n"
        assert shell.run("[ -t 1 ] && echo $PPID").output in ("0\n", "1\n")
    stats = backend.stats()
    assert (stats.hits, stats.misses, stats.live) == (1, 1, 1)
    assert 0 < stats.p50_ms <= stats.p99_ms
    sandbox.close()


@pytest.mark.docker
@pytest.mark.parametrize(
    ("cwd", "there"),
    [("/usr/lib", "/usr/lib"), ("/no/such", "/"), ("/app/a b'$x\\", "/app/a b'$x\\"),
     ("/app/two\nlines", "/app/two\nlines"), ("/app/ü", "/app/ü"), ("/app/\x03", "/app/\x03")],
)  # fmt: skip
def test_a_waiting_shell_goes_where_it_is_sent(
    backend: DockerBackend, image: str, cwd: str, there: str
) -> None:
    warm(backend, image)
    files = Layer("k", (text(f"{cwd}/file", ""),) if cwd.startswith("/app") else ())
    sandbox = backend.open(image, layer=files)
    with Shell(sandbox, cwd=cwd) as shell:
        assert shell.run('printf %s "$PWD"; printf \'|%s\' "$OLDPWD"').output == f"{there}|"
    assert backend.stats().hits == 1
    sandbox.close()


@pytest.mark.docker
def test_a_shell_from_stock_is_like_a_new_one(backend: DockerBackend, image: str) -> None:
    warm(backend, image)
    sandbox = backend.open(image)
    outputs = []
    for _ in range(2):
        terminal = sandbox.open_terminal(cwd="/usr")
        os.write(terminal.fd, LOOK)
        _read(terminal.fd, b"looked")
        terminal.close()
        outputs.append(sandbox.exec(["cat", "/tmp/modes", "/tmp/values"]).stdout.decode())
    assert outputs[0] == outputs[1]
    assert "PWD" in outputs[0]
    sandbox.close()


# An engine sets a terminal's size when the shell already runs.
LOOK = rb"""until [ "$(stty size)" = "24 80" ]; do sleep 0.05; done
stty -a >/tmp/modes; { pwd; echo $- "$@"; env; declare -p; ulimit -a; shopt; jobs; } |
grep -vE 'PPID|BASHPID|SECONDS|RANDOM|EPOCH' >/tmp/values; echo loo''ked
"""


def _read(fd: int, mark: bytes) -> bytes:
    seen, deadline = b"", time.monotonic() + 10
    while mark not in seen:
        assert select.select([fd], [], [], max(0.0, deadline - time.monotonic()))[0], seen
        data = os.read(fd, 65536)
        assert data, seen
        seen += data
    return seen


@pytest.mark.docker
def test_a_shell_for_nobody_is_not_the_one_that_waits(backend: DockerBackend, image: str) -> None:
    warm(backend, image)
    sandbox = backend.open(image)
    with Shell(sandbox, user="nobody", cwd="/tmp") as shell:
        assert shell.run("id -u; ps -e | wc -l").output.splitlines()[0] == "65534"
    sandbox.close()


@pytest.mark.docker
@pytest.mark.parametrize("how", ["container", "shell"])
def test_a_machine_that_died_in_stock_is_never_handed_out(
    backend: DockerBackend, image: str, how: str
) -> None:
    warm(backend, image)
    (spare,) = [s for s in backend._known if not s.gone and s._waiting]
    if how == "container":
        backend.engine.api.kill(spare.id)
    else:
        assert spare._waiting
        os.kill(spare._waiting._shell.host, signal.SIGKILL)
        until(lambda: not spare.usable())
    sandbox = backend.open(image, layer=FILES)
    assert sandbox.id != spare.id
    with Shell(sandbox) as shell:
        assert shell.run("echo alive").output == "alive\n"
    stats = backend.stats()
    assert (stats.discarded, stats.leaked) == (1, 0)
    sandbox.close()


@pytest.mark.docker
def test_a_shell_that_dies_between_check_and_use_is_replaced(
    backend: DockerBackend, image: str
) -> None:
    warm(backend, image)
    sandbox = backend.open(image)
    assert sandbox._waiting
    os.kill(sandbox._waiting._shell.host, signal.SIGKILL)
    with Shell(sandbox, cwd="/usr") as shell:
        assert shell.run("pwd").output == "/usr\n"
    sandbox.close()


@pytest.mark.docker
def test_a_burst_is_served_without_exceeding_the_creators(
    backend: DockerBackend, image: str
) -> None:
    warm(backend, image, 4)
    stop, widest = threading.Event(), [0]

    def watch() -> None:
        while not stop.wait(0.002):
            widest[0] = max(widest[0], backend.engine.admission.slots.taken)

    watcher = threading.Thread(target=watch)
    watcher.start()
    with ThreadPoolExecutor(12) as threads:
        opened = list(threads.map(lambda _: backend.open(image, layer=FILES), range(12)))
        assert len({sandbox.id for sandbox in opened}) == 12
        list(threads.map(lambda sandbox: sandbox.close(), opened))
    stop.set()
    watcher.join()
    stats = backend.stats()
    assert stats.hits >= 4
    assert widest[0] <= 4
    until(lambda: backend.stats().creating == 0 and backend.stats().waiting == 4, 60)


@pytest.mark.docker
def test_leaks_are_counted_in_the_engine(backend: DockerBackend, image: str) -> None:
    lost = backend.open(image)
    assert (backend.stats().live, backend.stats().leaked) == (1, 0)
    lost.gone = True  # as if the removal had failed
    assert backend.stats().leaked == 1
    lost.gone = False
    lost.close()
    assert backend.stats().leaked == 0


@pytest.mark.docker
def test_a_frozen_machine_leaves_its_place_to_its_verifier(
    backend: DockerBackend, image: str
) -> None:
    sandbox = backend.open(image)
    line = Line(2)
    assert line.enter(OPENING, 0.0)
    sandbox.holds(Place(line))
    sandbox.freeze()
    assert line.taken == 0
    sandbox.close()
    assert line.taken == 0


@pytest.mark.docker
def test_different_limits_are_different_kinds(backend: DockerBackend, image: str) -> None:
    warm(backend, image)
    small = backend.open(image, limits=Limits(memory=64 << 20))
    assert backend.stats().hits == 0
    small.close()


@pytest.mark.docker
def test_closing_removes_the_stock(backend: DockerBackend, image: str) -> None:
    warm(backend, image, 2)
    ids = [sandbox.id for sandbox in backend._known]
    api = DockerBackend(backend.name, pool=0).engine.api
    assert {c["Id"][:12] for c in api.containers(all=True)} & {*ids}
    backend.close()
    assert not {c["Id"][:12] for c in api.containers(all=True)} & {*ids}
    backend.open(image).close()  # and it may be used again


@pytest.mark.docker
def test_without_a_pool_nothing_waits(image: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMAX_POOL", "0")
    backend = DockerBackend()
    if problem := backend.problem():
        pytest.skip(problem)
    backend.open(image).close()
    time.sleep(0.5)
    assert (backend.stats().waiting, backend.stats().creating) == (0, 0)
    backend.close()
    monkeypatch.setenv("TMAX_POOL", "many")
    with pytest.raises(ValueError, match="a number"):
        DockerBackend()


CHILD = """
import sys, time
from tmax_gym.sandboxes.docker.backend import DockerBackend
backend = DockerBackend(sys.argv[1], pool=4)
backend.open(sys.argv[2]).close()
while not backend.stats().waiting: time.sleep(0.02)
print(*[s.id for s in backend._known if not s.gone], flush=True)
if sys.argv[3] == "wait": time.sleep(600)
"""


@pytest.mark.docker
@pytest.mark.parametrize("end", ["wait", "leave"])
def test_the_stock_does_not_outlive_its_owner(backend: DockerBackend, image: str, end: str) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", CHILD, backend.name, image, end],
        stdout=subprocess.PIPE, text=True, cwd=ROOT,
    )  # fmt: skip
    assert process.stdout is not None
    ids = process.stdout.readline().split()
    assert ids
    if end == "wait":
        process.kill()
    assert process.wait(60) == (-signal.SIGKILL if end == "wait" else 0)
    api = backend.engine.api
    until(lambda: not {c["Id"][:12] for c in api.containers(all=True)} & {*ids})


@pytest.mark.docker
def test_a_forked_child_has_no_part_in_its_parents_machines(
    backend: DockerBackend, image: str
) -> None:
    warm(backend, image)
    mine = backend.open(image)
    until(lambda: backend.stats().waiting >= 1)
    ids = {sandbox.id for sandbox in backend._known if not sandbox.gone}
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            mine.close()
            other = backend.open(image)
            line = f"{other.id} {backend.stats().hits} {other.exec(['echo', 'hi']).exit_code}"
            backend.close()
            os.write(write, line.encode())
        finally:
            os._exit(0)
    os.close(write)
    with os.fdopen(read) as file:
        other, hits, code = file.read().split()
    os.waitpid(child, 0)
    assert (hits, code) == ("0", "0")
    assert other not in ids
    with Shell(mine) as shell:
        assert shell.run("echo mine").output == "mine\n"
    spare = backend.open(image)
    assert spare.id in ids, "the stock is still there"
    spare.close()
    assert other not in {c["Id"][:12] for c in backend.engine.api.containers(all=True)}
    mine.close()


# Runtimes and remote engines


@pytest.mark.docker
def test_a_runtime_that_the_engine_does_not_know_is_a_sentence(
    backend: DockerBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMAX_DOCKER_RUNTIME", "no-such-runtime")
    other = DockerBackend(backend.name)
    # A busy engine may not answer in the second that `problem` gives it.
    until(lambda: "no runtime 'no-such-runtime' (it has: " in str(other.problem()))
    with pytest.raises(BackendUnavailable, match="no-such-runtime"):
        other.open("core")


@pytest.mark.docker
def test_a_named_runtime_runs_the_container(backend: DockerBackend, image: str) -> None:
    info = backend.engine.api.info()
    names = [info["DefaultRuntime"]]
    if backend.name == "docker":
        names += sorted(name for name in info["Runtimes"] if name.endswith("runc.v2"))
    other = DockerBackend(backend.name, runtime=names[-1])
    until(lambda: other.problem() is None, 60)  # a busy engine may miss its second
    sandbox = other.open(image)
    assert sandbox.exec(["echo", "hi"]).stdout == b"hi\n"
    if backend.name == "docker":
        host = other.engine.api.inspect_container(sandbox.id)["HostConfig"]
        assert host["Runtime"] == names[-1]
    sandbox.close()
    other.close()


class Relay:
    """Passes TCP connections on to a local socket, each direction until its end."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._server = socket.create_server(("127.0.0.1", 0))
        self.address = f"tcp://127.0.0.1:{self._server.getsockname()[1]}"
        self.passed = 0
        self.cut = False
        """Whether connections are refused from now on."""
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                near, _ = self._server.accept()
            except OSError:
                return
            if self.cut:
                near.close()
                continue
            far = socket.socket(socket.AF_UNIX)
            far.connect(self._path)
            self.passed += 1
            for one, other in ((near, far), (far, near)):
                threading.Thread(target=self._pass, args=(one, other), daemon=True).start()

    @staticmethod
    def _pass(one: socket.socket, other: socket.socket) -> None:
        try:
            while data := one.recv(65536):
                other.sendall(data)
            other.shutdown(socket.SHUT_WR)
        except OSError:
            one.close()

    def close(self) -> None:
        self._server.close()


@pytest.mark.docker
@pytest.mark.parametrize("pooled", [0, 2])
def test_an_engine_behind_tcp_does_all_that_one_beside_us_does(
    backend: DockerBackend, image: str, pooled: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    relay = Relay(backend.engine.address.removeprefix("unix://"))
    variable = "CONTAINER_HOST" if backend.name == "podman" else "DOCKER_HOST"
    monkeypatch.setenv(variable, relay.address)
    remote = DockerBackend(backend.name, pool=pooled)
    until(lambda: remote.problem() is None, 60)
    if pooled:
        warm(remote, image)
    sandbox = remote.open(image, layer=FILES)
    _use(sandbox)
    sandbox.freeze()
    assert [node.data for node in sandbox.get(["/app/made"])] == [b"7"]
    assert (remote.stats().hits, remote.stats().leaked) == (min(pooled, 1), 0)
    sandbox.close()
    remote.close()
    assert relay.passed > 5
    relay.close()


def _use(sandbox: DockerSandbox) -> None:
    with Shell(sandbox, cwd="/app") as shell:
        assert shell.run("ls -1; printf 7 >made").output == "d0\nd1\nd2\nd3\n"
        late = shell.run("echo early; sleep 60", timeout=1.0)
        assert (late.timed_out, late.output.strip()) == (True, "early")
        assert shell.run("pwd").output == "/app\n"
    done = sandbox.exec(["wc", "-c"], stdin=bytes(200_000), timeout=20)
    assert done.stdout == b"200000\n"
    assert sandbox.exec(["sleep", "60"], timeout=0.5).timed_out
    sandbox.put([text("/app/late", "x")])
    assert [node.data for node in sandbox.get(["/app/late"])] == [b"x"]


@pytest.mark.docker
def test_an_engine_that_went_away_is_left_alone_and_comes_back(
    backend: DockerBackend, image: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    relay = Relay(backend.engine.address.removeprefix("unix://"))
    variable = "CONTAINER_HOST" if backend.name == "podman" else "DOCKER_HOST"
    monkeypatch.setenv(variable, relay.address)
    remote = DockerBackend(backend.name, pool=2)
    warm(remote, image)
    spare = remote.open(image)  # running programs go on, because their streams are open
    relay.cut = True
    rests = []
    for _ in range(6):
        with pytest.raises(SandboxError) as caught:
            remote.open(image, limits=Limits(pids=99))
        rests.append("rests" in str(caught.value))
    assert rests[-2:] == [True, True]
    begun = time.monotonic()
    with pytest.raises(SandboxError, match="next attempt"):
        remote.open(image, limits=Limits(pids=99))
    assert time.monotonic() - begun < 1.0
    relay.cut = False
    until(lambda: remote.engine.admission.resting() == 0, 30)
    again = remote.open(image, limits=Limits(pids=99))
    assert again.exec(["echo", "hi"]).stdout == b"hi\n"
    again.close()
    assert spare.exec(["echo", "hi"]).stdout == b"hi\n"
    spare.close()
    assert remote.stats().leaked == 0
    remote.close()
    relay.close()


@pytest.mark.docker
def test_a_forgotten_machine_gives_its_place_back(backend: DockerBackend, image: str) -> None:
    sandbox, line = backend.open(image), Line(1)
    assert line.enter(OPENING, 0.0)
    sandbox.holds(Place(line))
    del sandbox
    gc.collect()
    assert line.taken == 0
    until(lambda: backend.stats().leaked == 1)  # and the result is visible
    backend.close()
