"""The store of shared layers, on real directories and without a sandbox."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tmax_gym.files import text
from tmax_gym.sandboxes import Layer, images
from tmax_gym.sandboxes.native_layers import _KEPT, LayerStore


def test_many_threads_give_layers_back_while_old_ones_are_removed(tmp_path: Path) -> None:
    store = LayerStore(tmp_path, rootless=False)
    tree = images.resolve("host")

    def use(number: int) -> bool:
        layer = Layer(f"layer-{number % 200}", (text("/app/x", str(number % 200)),))
        name, places = store.acquire(layer, tree)
        found = [p / "app" / "x" for p in places.values()] + [p / "x" for p in places.values()]
        right = any(p.is_file() and p.read_text() == str(number % 200) for p in found)
        store.release(name)
        return right

    with ThreadPoolExecutor(16) as pool:
        assert all(pool.map(use, range(1000)))
    assert len(list(tmp_path.iterdir())) <= _KEPT
