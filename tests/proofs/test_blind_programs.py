"""Programs that do not look at their input: nothing else tells them which case they are in."""

from __future__ import annotations

import pytest

from tests.grading.test_verifier import after, judge, write
from tests.support.tiny_tasks import tiny_task
from tmax_gym.checks.check import Case, Check, Evidence, Outcome, Program, adversarial_corpus
from tmax_gym.grading.verifier import verify
from tmax_gym.sandboxes import Backend

TOOL = Program("/app/tool.py", "python")
EVIL = [Case(stdin=b"evil %d\n" % n) for n in range(12)]
CLEAN = [Case(stdin=b"good %d\n" % n) for n in range(12)]
COUNT = """
import sys
try: n = int(open({place!r}).read())
except Exception: n = 0
open({place!r}, 'w').write(str(n + 1))
sys.exit(1 if n < {half} else 0)
"""
SHARED = """
import ctypes, sys
libc = ctypes.CDLL(None)
libc.shmat.restype = ctypes.c_void_p
place = ctypes.c_int.from_address(libc.shmat(libc.shmget(4711, 64, 0o1666), None, 0))
place.value += 1
sys.exit(1 if place.value <= 12 else 0)
"""
SOURCE = """
import os, sys
n = os.path.getsize(__file__)
open(__file__, 'a').write('#')
sys.exit(1 if n < {size} else 0)
"""
ATTRIBUTE = """
import os, sys
try: n = int(os.getxattr('/app', 'user.n'))
except OSError: n = 0
os.setxattr('/app', 'user.n', str(n + 1).encode())
sys.exit(1 if n < 12 else 0)
"""
RIGHTS = """
import os, sys
n = os.stat('/app/tool.py').st_mode & 0o77
os.chmod('/app/tool.py', 0o700 + n + 1)
sys.exit(1 if n < 12 else 0)
"""
TIMES = """
import os, sys
n = int(os.stat('/app/tool.py').st_mtime) % 1000
os.utime('/app/tool.py', (5, 1000 + n + 1))
sys.exit(1 if n < 12 else 0)
"""
BLIND = {
    "counts in /tmp": COUNT.format(place="/tmp/n", half=12),
    "counts twice as many": COUNT.format(place="/tmp/n", half=24),
    "counts in /var/tmp": COUNT.format(place="/var/tmp/n", half=12),
    "counts in /dev/shm": COUNT.format(place="/dev/shm/n", half=12),
    "counts in its own directory": COUNT.format(place="/app/n", half=12),
    "counts under a name of its own": COUNT.format(place="/tmp/\udcff\n", half=12),
    "counts in shared memory": SHARED,
    "counts in its own source": SOURCE.format(size=len(SOURCE) + 12),
    "counts in an attribute": ATTRIBUTE,
    "counts in rights": RIGHTS,
    "counts in times": TIMES,
    "process id, odd or even": "import os, sys; sys.exit(os.getpid() % 2)",
    "process id, small or large": "import os, sys; sys.exit(os.getpid() < 40)",
    "clock": "import sys, time; sys.exit(int(time.monotonic() * 1000) % 2)",
    "seconds since the driver began": (
        "import os, sys, time\n"
        "begun = int(open(f'/proc/{os.getppid()}/stat').read().rpartition(')')[2].split()[19])\n"
        "sys.exit(time.clock_gettime(time.CLOCK_BOOTTIME) - begun / 100 < 0.5)\n"
    ),
    "processor time of the driver": (
        "import os, sys\n"
        "used = sum(map(int, open(f'/proc/{os.getppid()}/stat').read().split()[13:17]))\n"
        "sys.exit(used < 15)\n"
    ),
    "chance": "import os, sys; sys.exit(os.urandom(1)[0] % 2)",
}


def corpus() -> Check:
    """Return a check that pays for telling 12 evil inputs from 12 good ones."""
    return adversarial_corpus(
        "c", TOOL, evil=EVIL, clean=CLEAN, accepts=lambda outcome: outcome.exit_code == 0
    )


@pytest.mark.parametrize("source", BLIND.values(), ids=BLIND)
def test_a_program_that_ignores_its_input_earns_nothing(
    native_backend: Backend, image: str, source: str
) -> None:
    verdict = judge(native_backend, image, corpus().score, write(source))
    assert verdict.reward <= 0.05


def test_a_program_that_reads_its_input_earns_everything(any_backend: Backend, image: str) -> None:
    source = "import sys; sys.exit('evil' in sys.stdin.read())"
    assert judge(any_backend, image, corpus().score, write(source)).reward == 1.0


@pytest.mark.docker
def test_a_program_that_counts_earns_nothing_in_a_container(
    docker_backend: Backend, image: str
) -> None:
    verdict = judge(docker_backend, image, corpus().score, write(BLIND["counts in /tmp"]))
    assert verdict.reward == 0.0


def seen(backend: Backend, image: str, source: str, *, chained: int = 0) -> list[Outcome]:
    """Return how ten equal cases of a program end, in the order of the cases."""
    ended: list[Outcome] = []

    def score(evidence: Evidence) -> float:
        ended.extend(evidence.run(TOOL, [Case()] * 10, chained=chained))
        return 0.0

    judge(backend, image, score, write(source))
    return ended


LOOK = """
import os, sys
def look(top):
    for root, folders, files in sorted(os.walk(top)):
        for name in ['.', *sorted(folders + files)]:
            s = os.lstat(os.path.join(root, name))
            print(root, name, s.st_mode, s.st_uid, s.st_size, s.st_mtime_ns, s.st_nlink)
for top in ('/app', '/tmp', '/var/tmp', '/dev/shm'):
    look(top)
"""
MESS = """
import shutil, subprocess
os.makedirs('/tmp/a/b/c'); os.symlink('/etc', '/tmp/a/link'); os.mkfifo('/tmp/.case-in')
os.link('/app/tool.py', '/app/other'); os.rename('/app/data', '/app/moved')
os.chmod('/app', 0o777); os.utime('/tmp/a', (1, 1))
open('/app/kept', 'w').write('x' * 1000)
os.unlink('/app/tool.py'); os.mkdir('/app/tool.py')
deep = '/dev/shm'
os.chdir(deep)
for n in range(3000):
    os.mkdir('d' * 20); os.chdir('d' * 20)
"""


def test_every_case_finds_the_same_files_whatever_the_last_one_did(
    native_backend: Backend, image: str
) -> None:
    ended: list[Outcome] = []

    def score(evidence: Evidence) -> float:
        ended.extend(evidence.run(TOOL, [Case()] * 6))
        return 0.0

    task = tiny_task("mess.plain-1", "-", checks=[Check("c", "exact_text", score)])
    commands = (
        write(LOOK + MESS),
        "mkdir -p /app/data/deep; echo kept > /app/kept; echo x > /app/data/deep/file; "
        "ln -s nowhere /app/dangling; chmod 711 /app/data",
    )
    with after(native_backend, image, *commands) as box:
        verify(task, box, native_backend, image=image)
    assert [outcome.exit_code for outcome in ended] == [0] * 6
    assert len({outcome.stdout for outcome in ended}) == 1
    assert b"/app/data/deep file" in ended[0].stdout


def test_chained_cases_find_what_the_ones_before_left(native_backend: Backend, image: str) -> None:
    ended = seen(native_backend, image, COUNT.format(place="/tmp/n", half=3), chained=5)
    # 0, 1, 2 are below three; the rest of the chain and every case after it are not.
    assert [outcome.exit_code for outcome in ended] == [1, 1, 1, 0, 0, 0, 0, 0, 0, 0]


def test_cases_without_a_chain_are_all_the_first(native_backend: Backend, image: str) -> None:
    ended = seen(native_backend, image, COUNT.format(place="/tmp/n", half=1))
    assert [outcome.exit_code for outcome in ended] == [1] * 10


def test_outcomes_come_in_the_order_of_the_cases(native_backend: Backend, image: str) -> None:
    ended: list[Outcome] = []

    def score(evidence: Evidence) -> float:
        ended.extend(evidence.run(TOOL, [Case(stdin=b"%d" % n) for n in range(12)]))
        return 0.0

    judge(native_backend, image, score, write("import sys; print(sys.stdin.read())"))
    assert [outcome.stdout for outcome in ended] == [b"%d\n" % n for n in range(12)]


def test_cases_run_in_an_order_that_differs_between_gradings(
    native_backend: Backend, image: str
) -> None:
    def order() -> list[bytes]:
        ended: list[Outcome] = []

        def score(evidence: Evidence) -> float:
            ended.extend(evidence.run(TOOL, [Case(stdin=b"%d" % n) for n in range(10)]))
            return 0.0

        judge(native_backend, image, score, write("import os; print('%06d' % os.getpid())"))
        return [outcome.stdout for outcome in ended]

    first, second = order(), order()
    assert sorted(range(10), key=first.__getitem__) != sorted(range(10), key=second.__getitem__)
