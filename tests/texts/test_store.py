"""Texts on disk."""

from dataclasses import replace
from pathlib import Path

from tmax_gym.texts import store
from tmax_gym.texts.obligations import Obligation
from tmax_gym.texts.store import Text

ONE = Text("a.b-0001", "00", "Do it.\n\nAll of it: “ü”.", "somebody")


def test_texts_are_read_as_they_were_written_sorted_by_name(tmp_path: Path) -> None:
    file = store.path(tmp_path / "texts", "a")
    other = replace(ONE, name="a.b-0000")
    store.write(file, [ONE, other])
    assert list(store.read(file).values()) == [other, ONE]
    assert [line[:12] for line in file.read_text().splitlines()] == ['{"author": "'] * 2


def test_a_file_that_changed_is_read_anew(tmp_path: Path) -> None:
    file = store.path(tmp_path, "a")
    assert store.read(file) == {}
    store.write(file, [ONE])
    assert store.read(file) == {ONE.name: ONE}


def test_the_digest_covers_ids_and_sentences_alone() -> None:
    one = Obligation("goal", "Do it.", "goal")
    assert store.digest([one]) == store.digest([replace(one, role="limit", keys=("x",))])
    assert store.digest([one]) != store.digest([replace(one, sentence="Do that.")])
    assert store.digest([one]) != store.digest([replace(one, id="aim")])
    assert store.digest([one, one]) != store.digest([one])
