"""The images behind image names, on real trees and tarballs."""

from __future__ import annotations

import io
import os
import subprocess
import tarfile
from pathlib import Path

import pytest

from tmax_gym.errors import ImageError
from tmax_gym.sandboxes import images
from tmax_gym.sandboxes.images import debian, host


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TMAX_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def tarball(path: Path, names: dict[str, bytes]) -> Path:
    with tarfile.open(path, "w") as archive:
        for name, data in names.items():
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode, entry.mtime = len(data), 0o755, 1_000_000
            archive.addfile(entry, io.BytesIO(data))
    return path


def test_only_the_host_is_there_at_first(cache: Path) -> None:
    assert images.available() == ("host",)
    assert images.default_image() == "host"


def test_an_unbuilt_core_is_an_error_with_the_command_and_its_cost(cache: Path) -> None:
    with pytest.raises(ImageError, match=r"build core \(about 150 MB"):
        images.resolve("core")


def test_a_name_that_is_a_path_is_refused(cache: Path) -> None:
    for name in ("../etc", "/etc", "", ".hidden", "A"):
        with pytest.raises(ImageError):
            images.resolve(name)


def test_the_host_image_shows_programs_and_no_user_files(cache: Path) -> None:
    tree = images.resolve("host")
    root = Path(tree.trees[0][1][0])
    assert tree.trees[1][0] == "/usr"
    assert tree.trees[1][1][-1] == "/usr"
    assert sorted(path.name for path in (root / "home").iterdir()) == ["user"]
    assert list((root / "root").iterdir()) == []
    assert not (root / "etc/shadow").exists()
    assert (root / "tmp").stat().st_mode & 0o7777 == 0o1777
    assert images.resolve("host").id == tree.id


def test_the_host_image_follows_a_change_of_its_sources(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = images.resolve("host").id
    monkeypatch.setattr(host, "HOSTS", "127.0.0.1 other\n")
    assert images.resolve("host").id != before


def test_a_host_without_python_gets_the_running_one(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(host, "_interpreter", lambda: "/srv/prefix")
    tree = images.resolve("host")
    usr = Path(tree.trees[1][1][0])
    assert os.readlink(usr / "local/bin/python3") == "/srv/prefix/bin/python3"
    assert ("/srv/prefix", ("/srv/prefix",)) in tree.trees
    assert Path(tree.trees[0][1][0], "srv/prefix").is_dir()


def test_an_imported_tarball_becomes_an_image(cache: Path, tmp_path: Path) -> None:
    source = tarball(tmp_path / "a.tar", {"bin/bash": b"#", "dev/null": b"", "app/x": b"y"})
    root = Path(images.import_tar("mine", source).trees[0][1][0])
    assert images.available() == ("host", "mine")
    assert (root / "app/x").read_bytes() == b"y"
    assert list((root / "dev").iterdir()) == []
    assert (root / "proc").is_dir()
    assert images.missing_tools("mine", ["bash", "python3"]) == ("python3",)


def test_importing_again_replaces_the_image_and_changes_its_identity(
    cache: Path, tmp_path: Path
) -> None:
    first = images.import_tar("mine", tarball(tmp_path / "a.tar", {"bin/bash": b"1"}))
    second = images.import_tar("mine", tarball(tmp_path / "b.tar", {"usr/bin/bash": b"2"}))
    assert first.id != second.id
    assert not (cache / "images/mine/rootfs/bin").exists()
    assert sorted(path.name for path in (cache / "images").iterdir()) == ["mine"]


@pytest.mark.parametrize("names", [{"app/x": b""}, {}])
def test_a_tarball_without_a_shell_leaves_no_image(
    cache: Path, tmp_path: Path, names: dict[str, bytes]
) -> None:
    with pytest.raises(ImageError, match="/bin/bash"):
        images.import_tar("mine", tarball(tmp_path / "a.tar", names))
    assert images.available() == ("host",)
    assert list((cache / "images").iterdir()) == []


def test_a_file_that_is_no_tarball_leaves_no_image(cache: Path, tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"no tar" * 500)
    with pytest.raises(ImageError, match="no tarball"):
        images.import_tar("mine", tmp_path / "x")
    assert images.available() == ("host",)


def test_a_packed_image_holds_what_was_imported(cache: Path, tmp_path: Path) -> None:
    images.import_tar("mine", tarball(tmp_path / "a.tar", {"bin/bash": b"#", "app/x": b"y"}))
    packed = images.tar_path("mine")
    with tarfile.open(packed) as archive:
        member = archive.extractfile("./app/x")
        assert member is not None
        assert member.read() == b"y"
        assert archive.getmember("./app/x").mtime == 1_000_000
    assert images.tar_path("mine").stat().st_mtime_ns == packed.stat().st_mtime_ns
    with pytest.raises(ImageError, match="no tarball"):
        images.tar_path("host")


def test_a_build_says_what_it_needs_before_it_starts(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines: list[str] = []
    monkeypatch.setenv("PATH", "/nonexistent")
    with pytest.raises(ImageError, match="apt-get install mmdebstrap"):
        images.build("core", lines.append)
    assert debian.RECIPES["core"].cost in lines[0]
    assert images.available() == ("host",)


def test_there_is_no_recipe_for_other_names(cache: Path) -> None:
    with pytest.raises(ImageError, match="no recipe"):
        images.build("ubuntu")


@pytest.mark.skipif("core" not in images.available(), reason="core is not built: tmax build core")
def test_core_has_every_tool_that_tasks_ask_for() -> None:
    tools = """bash python3 git sqlite3 openssl jq bc gcc make curl ip nc setfacl xxd file zip unzip
    bzip2 xz ps less vi vim awk gawk ld strace tmux ssh tar gzip sed grep find diff"""
    assert images.missing_tools("core", tools.split()) == ()
    root = images.resolve("core").trees[0][1][0]
    size = subprocess.check_output(["du", "-sxm", root], text=True).split()[0]
    assert int(size) < 600


def test_an_unbuilt_poly_is_an_error_with_the_command_and_its_cost(cache: Path) -> None:
    (cache / "images/core/rootfs").mkdir(parents=True)
    with pytest.raises(ImageError, match=r"tmax images build poly \(about 300 MB"):
        images.default_image("poly")


def test_a_task_gets_the_smallest_image_that_covers_it(cache: Path) -> None:
    assert images.default_image("poly") == "host"
    (cache / "images/poly/rootfs").mkdir(parents=True)
    assert images.default_image("core") == images.default_image("poly") == "poly"
    (cache / "images/core/rootfs").mkdir(parents=True)
    assert images.default_image("core") == "core"
    assert images.default_image("poly") == "poly"


def test_an_image_is_absent_where_nothing_can_stand_for_it(cache: Path) -> None:
    assert not images.is_absent("core", ["bash"])
    assert not images.is_absent("poly", ["bash"])
    assert images.is_absent("poly", ["no-such-compiler"])
    (cache / "images/core/rootfs").mkdir(parents=True)
    assert images.is_absent("poly", ["bash"])
    (cache / "images/poly/rootfs").mkdir(parents=True)
    assert not images.is_absent("poly", ["no-such-compiler"])


@pytest.mark.skipif("poly" not in images.available(), reason="poly is not built: tmax images build")
def test_poly_has_the_compilers_beyond_core() -> None:
    assert images.missing_tools("poly", ["gcc", "g++", "go", "rustc", "openssl", "python3"]) == ()
    root = images.resolve("poly").trees[0][1][0]
    size = subprocess.check_output(["du", "-sxm", root], text=True).split()[0]
    assert int(size) < 1_300
