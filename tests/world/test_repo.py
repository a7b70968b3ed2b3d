"""Repositories are judged by git itself."""

import shutil
import subprocess

import pytest

from tmax_gym.nodes import digest
from tmax_gym.world.repository import Blob, Person, Repository

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="needs git")

ADA = Person("Ada Bell", "ada@example.org", "+0200")
BO = Person("Bø", "bo@example.org")
WHEN = 1_700_000_000


def sample_repo():
    """A branch, a merge, two tags, nested folders, a script and a symbolic link."""
    repo = Repository()
    base = {"README.md": "# Tide\n", "src/a.py": "A = 1\n", "src.txt": "sorts before src/\n"}
    base |= {"run.sh": Blob(b"#!/bin/sh\n", executable=True), "ln": Blob(b"run.sh", link=True)}
    one = repo.commit(base, "Start", author=ADA, when=WHEN, branch="main")
    left = repo.commit(
        {**base, "src/a.py": "A = 2\n"}, "Raise A", author=BO, when=WHEN + 60, parents=(one,)
    )
    right = repo.commit(
        {**base, "src/deep/er/b.py": "B = 1\n"},
        "Add B\n\nWith a body.",
        author=ADA,
        when=WHEN + 90,
        parents=(one,),
        branch="topic/b",
    )
    both = {**base, "src/a.py": "A = 2\n", "src/deep/er/b.py": "B = 1\n"}
    repo.commit(both, "Merge", author=ADA, when=WHEN + 120, parents=(left, right), branch="main")
    repo.tag("light", left)
    repo.tag("v1", right, "Version 1", tagger=BO, when=WHEN + 200)
    return repo


def staged(nodes, folder):
    """Write the nodes below a folder of this machine."""
    for node in nodes:
        path = folder / node.path.lstrip("/")
        if node.kind == "dir":
            path.mkdir(parents=True, exist_ok=True)
        elif node.kind == "link":
            path.symlink_to(node.target)
        else:
            path.write_bytes(node.data)
            path.chmod(node.mode)
    return folder


def git(folder, *words):
    env = {"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1"}
    base = ["git", "-c", "safe.directory=*", "-C", folder]
    done = subprocess.run([*base, *words], capture_output=True, text=True, env=env)
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


@pytest.fixture
def checkout(tmp_path):
    return staged(sample_repo().nodes("/r"), tmp_path) / "r"


def test_fsck_finds_no_fault(checkout):
    assert git(checkout, "fsck", "--full", "--strict", "--no-dangling", "--no-progress") == ""


def test_log_shows_the_graph_the_authors_and_the_dates(checkout):
    lines = git(checkout, "log", "--date=iso", "--format=%s|%an|%ad|%p").splitlines()
    assert [line.split("|")[0] for line in lines] == ["Merge", "Add B", "Raise A", "Start"]
    assert lines[2].split("|")[1:3] == ["Bø", "2023-11-14 22:14:20 +0000"]
    assert lines[3].split("|")[2] == "2023-11-15 00:13:20 +0200"
    assert len(lines[0].split("|")[3].split()) == 2


def test_the_work_tree_is_clean(checkout):
    assert git(checkout, "status", "--porcelain") == ""
    assert (checkout / "ln").read_text() == "#!/bin/sh\n"


def test_branches_and_tags_resolve(checkout):
    names = git(checkout, "for-each-ref", "--format=%(refname) %(objecttype)").splitlines()
    assert names == [
        "refs/heads/main commit",
        "refs/heads/topic/b commit",
        "refs/tags/light commit",
        "refs/tags/v1 tag",
    ]
    assert git(checkout, "show", "v1:src/deep/er/b.py") == "B = 1\n"


def test_git_makes_the_same_ids_from_the_same_files(tmp_path):
    folder = tmp_path / "own"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    (folder / "f").write_text("x\n")
    git(folder, "add", "f")
    env = {"GIT_AUTHOR_DATE": f"{WHEN} +0200", "GIT_COMMITTER_DATE": f"{WHEN} +0200"}
    env |= {"PATH": "/usr/bin:/bin", "HOME": "/nonexistent"}
    for role in ("AUTHOR", "COMMITTER"):
        env |= {f"GIT_{role}_NAME": ADA.name, f"GIT_{role}_EMAIL": ADA.email}
    subprocess.run(["git", "-C", folder, "commit", "-q", "-m", "One"], env=env, check=True)
    assert git(folder, "rev-parse", "HEAD").strip() == Repository().commit(
        {"f": "x\n"}, "One", author=ADA, when=WHEN
    )


def test_a_bare_repository_can_be_cloned(tmp_path):
    staged(sample_repo().nodes("/b.git", bare=True), tmp_path)
    git(tmp_path, "clone", "-q", "b.git", "copy")
    assert (tmp_path / "copy/src/a.py").read_text() == "A = 2\n"


def test_git_can_go_on_from_here(checkout):
    git(checkout, "checkout", "-q", "topic/b")
    identity = ("-c", "user.name=x", "-c", "user.email=x@example.org")
    git(checkout, *identity, "merge", "-q", "-m", "again", "light")
    git(checkout, "gc", "-q")
    assert git(checkout, "fsck", "--no-progress", "--no-dangling") == ""


def test_a_repository_has_the_same_bytes_every_time():
    assert digest(sample_repo().nodes("/r")) == digest(sample_repo().nodes("/r"))


@pytest.mark.parametrize("path", ["", "/a", "a/", ".git/x", "a/../b"])
def test_paths_that_git_refuses_are_refused(path):
    with pytest.raises(ValueError):
        Repository().tree({path: "x"})
