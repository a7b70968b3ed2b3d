"""The store of shared layers, on real directories and without a sandbox."""

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tmax_gym.nodes import text
from tmax_gym.sandboxes import Layer, images
from tmax_gym.sandboxes.native import layers as native_layers
from tmax_gym.sandboxes.native.layers import _KEPT, LayerStore


def test_many_threads_give_layers_back_while_old_ones_are_removed(tmp_path: Path) -> None:
    store = LayerStore([tmp_path], rootless=False)
    tree = images.resolve("host")

    def use(number: int) -> bool:
        layer = Layer(f"layer-{number % 200}", (text("/app/x", str(number % 200)),))
        name, places = store.acquire(layer, tree)
        files = [p / "app" / "x" for p in places.values()] + [p / "x" for p in places.values()]
        right = any(p.is_file() and p.read_text() == str(number % 200) for p in files)
        store.release(name)
        return right

    with ThreadPoolExecutor(16) as pool:
        assert all(pool.map(use, range(1000)))
    assert len(list(tmp_path.iterdir())) <= _KEPT


def test_a_large_layer_goes_to_disk_and_a_small_one_to_memory(tmp_path: Path) -> None:
    memory, disk = tmp_path / "memory", tmp_path / "disk"
    memory.mkdir()
    disk.mkdir()
    store = LayerStore([memory, disk], rootless=False)
    tree = images.resolve("host")
    store.acquire(Layer("small", (text("/app/x", "a"),)), tree)
    store.acquire(Layer("large", (text("/app/x", "a" * (2 << 20)),)), tree)
    many = tuple(text(f"/app/{n}", "") for n in range(5000))  # empty, and still not in memory
    store.acquire(Layer("many", many), tree)
    assert (len(list(memory.iterdir())), len(list(disk.iterdir()))) == (1, 2)


@pytest.fixture
def shared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory in the role of the host's shared memory."""
    place = tmp_path / "shm"
    place.mkdir()
    monkeypatch.setattr(native_layers, "_SHARED_MEMORY", place)
    monkeypatch.setattr(native_layers, "_file_system", lambda _: "tmpfs")
    monkeypatch.setattr(native_layers, "_free", lambda _: 1 << 40)
    return place


def test_layers_lie_in_shared_memory_that_others_cannot_enter(shared: Path, tmp_path: Path) -> None:
    memory, disk = native_layers.parents(tmp_path)
    assert (memory.parent, disk) == (shared, tmp_path / "layers")
    assert memory.stat().st_mode & 0o777 == 0o700
    assert native_layers.parents(tmp_path) == [memory, disk]  # also when it is there already


def test_a_directory_that_another_user_made_first_is_not_used(shared: Path, tmp_path: Path) -> None:
    mine = shared / f"tmax-gym-{os.getuid()}"
    mine.mkdir(mode=0o777)
    mine.chmod(0o777)
    assert native_layers.parents(tmp_path) == [tmp_path / "layers"]
    mine.rmdir()
    (shared / "elsewhere").mkdir(mode=0o700)
    mine.symlink_to(shared / "elsewhere")
    assert native_layers.parents(tmp_path) == [tmp_path / "layers"]


def test_little_shared_memory_is_left_alone(
    shared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(native_layers, "_free", lambda _: 64 << 20)  # what containers get
    assert native_layers.parents(tmp_path) == [tmp_path / "layers"]
    assert not list(shared.iterdir())
