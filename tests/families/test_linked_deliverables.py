"""Links as deliverables, in real sandboxes: followed below /app, and nowhere else."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import pytest

from tmax_gym.checks.check import BadOutput, Case, Program
from tmax_gym.grading.verifier import Remains
from tmax_gym.sandboxes import Backend

MADE = """
mkdir -p /app/out /app/real/deep && cd /app
echo right > real/r.txt; echo right > /tmp/r.txt; echo print'("hello")' > real/p.py
ln -s real/r.txt near.txt; ln -s /app/real/r.txt far.txt; ln -s ../real/r.txt out/up.txt
ln -s near.txt twice.txt; ln -s real folder; ln -s folder/deep/../r.txt through.txt
ln -s real/p.py p.py
ln -s /etc/shadow shadow; ln -s /proc/self/environ environ; ln -s /app/itself itself
ln -s /tmp/r.txt tmp.txt; ln -s ../etc/shadow climb; ln -s /proc/self/root/app/real/r.txt root
ln -s nowhere gone; ln -s real directory; mkfifo real/pipe; ln -s real/pipe fifo
ln -s /etc etc; ln -s "$(printf '\\377\\376')" odd; ln -s / slash; ln -s /dev/zero zero
"""


@pytest.fixture
def remains(any_backend: Backend, image: str) -> Iterator[Remains]:
    with closing(any_backend.open(image)) as sandbox:
        made = sandbox.exec(["bash", "-c", MADE])
        assert made.exit_code == 0, made.stderr
        sandbox.freeze()
        yield Remains(sandbox, any_backend, image, 60.0)


def test_a_link_to_a_file_below_app_is_read_as_that_file(remains: Remains) -> None:
    paths = ["near.txt", "far.txt", "out/up.txt", "twice.txt", "through.txt", "folder/r.txt"]
    for path in paths:
        assert remains.read(f"/app/{path}") == b"right\n", path


def test_a_link_anywhere_else_is_no_file(remains: Remains) -> None:
    names = ["shadow", "environ", "itself", "tmp.txt", "climb", "root", "gone", "directory",
             "fifo", "etc/shadow", "odd", "slash", "slash/etc/shadow", "zero"]  # fmt: skip
    for name in names:
        with pytest.raises(BadOutput):
            remains.read(f"/app/{name}")


def test_a_linked_folder_is_read_as_that_folder_and_its_links_stay_links(remains: Remains) -> None:
    below = {node.path: node.kind for node in remains.tree("/app/folder")}
    assert below == {
        "/app/folder": "dir",
        "/app/folder/deep": "dir",
        "/app/folder/p.py": "file",
        "/app/folder/pipe": "other",
        "/app/folder/r.txt": "file",
    }
    kinds = {node.path: node.kind for node in remains.tree("/app")}
    assert kinds["/app/near.txt"] == kinds["/app/folder"] == "link"


@pytest.mark.parametrize("roots", [("/app",), ("/app/p.py",), ("/app/folder/p.py", "/app/real")])
def test_a_program_may_be_a_link(remains: Remains, roots: tuple[str, ...]) -> None:
    path = roots[0] if roots[0].endswith(".py") else "/app/p.py"
    (outcome,) = remains.run(Program(path, "python", roots=roots), [Case()])
    assert outcome.stdout == b"hello\n"
