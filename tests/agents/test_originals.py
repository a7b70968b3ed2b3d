"""Our harnesses compared with the originals, if installed: no unexplained difference.

$TMAX_HARBOR_PYTHON and $TMAX_OPENHANDS_PYTHON name interpreters that have the packages `harbor`
and `openhands-tools`; both need Python 3.12.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.original_conversations import OPENHANDS, TERMINUS, Case
from benchmarks.original_differences import Difference, difference, unexplained
from benchmarks.original_sides import Player, PlayerFailed
from benchmarks.originals import openhands, terminus
from tmax_gym.sandboxes import Backend

DOCS = Path(__file__).parents[2] / "docs" / "originals.md"


def interpreter(package: str, variable: str) -> str:
    """Return a Python that has a package, or skip."""
    if given := os.environ.get(variable):
        return given
    if sys.version_info >= (3, 12) and importlib.util.find_spec(package.partition(".")[0]):
        return sys.executable
    pytest.skip(f"needs {package} in a Python 3.12, named by ${variable}")


@pytest.fixture(scope="module")
def harbor(image: str) -> Iterator[Player]:
    python = interpreter("harbor", "TMAX_HARBOR_PYTHON")
    if image == "host":
        pytest.skip("image core is not built: tmax images build core")
    with Player(python, "terminus.py") as player:
        yield player


@pytest.fixture(scope="module")
def tools(image: str) -> Iterator[Player]:
    python = interpreter("openhands.tools", "TMAX_OPENHANDS_PYTHON")
    if image == "host":
        pytest.skip("image core is not built: tmax images build core")
    with Player(python, "openhands_tools.py") as player:
        yield player


def test_there_are_enough_conversations_with_names_of_their_own() -> None:
    for conversations in (TERMINUS, OPENHANDS):
        assert len({case.name for case in conversations}) == len(conversations) >= 50


@pytest.mark.parametrize(
    ("harness", "conversations"), [("terminus2", TERMINUS), ("openhands", OPENHANDS)]
)
def test_the_docs_list_every_difference_on_purpose_and_no_other(
    harness: str, conversations: tuple[Case, ...]
) -> None:
    _, _, after = DOCS.read_text(encoding="utf-8").partition(f"on purpose: `{harness}`\n")
    listed = [line for line in after.partition("\n## ")[0].split("\n") if line.startswith("| ")]
    asked = [f"| {case.name} | {case.reason} |" for case in conversations if case.reason]
    assert listed == ["| conversation | reason |", *asked]


def test_every_reason_differs_from_the_others() -> None:
    assert all(t.original or t.here for t in (*TERMINUS, *OPENHANDS) if t.reason)


def test_a_difference_is_explained_by_a_reason_for_this_one_alone() -> None:
    conversation = Case("t", reason="because", original="; lost", here="; kept")
    assert unexplained(conversation, Difference("reply 1", "a ; lost", "a ; kept")) == ""
    assert unexplained(conversation, Difference("reply 1", "a ; lost", "nothing at all"))
    assert unexplained(conversation, None)
    assert unexplained(Case("t"), Difference("reply 1", "a", "b"))
    assert unexplained(Case("t"), None) == ""


@pytest.mark.parametrize(
    ("changed", "where"),
    [
        ({"told": ["screen", "two"]}, "reply 1"),
        ({"told": ["screen"]}, "end"),
        ({"files": {"f": "00"}}, "files"),
        ({"error": "OSError"}, "failure"),
    ],
)
def test_every_kind_of_difference_is_found(changed: dict[str, object], where: str) -> None:
    one = {"told": ["screen", "one"], "files": {}, "error": ""}
    first = difference(one, {**one, **changed})
    assert first is not None
    assert first.where == where


def test_blank_lines_below_a_screen_make_no_difference_and_those_within_do() -> None:
    one = {"told": ["a\n\nb  \n\n\n"], "files": {}, "error": ""}
    assert difference(one, {**one, "told": ["a\n\nb"]}) is None
    assert difference(one, {**one, "told": ["a\nb"]}) is not None


def test_a_python_without_the_package_is_reported_at_once() -> None:
    if importlib.util.find_spec("harbor"):
        pytest.skip("harbor is installed beside the tests")
    with Player(sys.executable, "terminus.py") as player, pytest.raises(PlayerFailed, match="hand"):
        player.send(replies=[])


@pytest.mark.parametrize("conversation", TERMINUS, ids=lambda conversation: conversation.name)
def test_terminus2_gets_the_messages_of_the_original(
    conversation: Case, native_backend: Backend, harbor: Player
) -> None:
    first = difference(*terminus(conversation, native_backend, harbor))
    assert not unexplained(conversation, first), first


@pytest.mark.parametrize("conversation", OPENHANDS, ids=lambda conversation: conversation.name)
def test_openhands_gets_the_messages_of_the_original(
    conversation: Case, native_backend: Backend, tools: Player
) -> None:
    first = difference(*openhands(conversation, native_backend, tools))
    assert not unexplained(conversation, first), first
