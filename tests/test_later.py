"""Sequences that are computed when they are first read."""

from __future__ import annotations

import pytest

from tmax_gym.later import Later
from tmax_gym.proofs import fingerprint
from tmax_gym.tasks import catalogue, compose


def test_nothing_is_computed_before_the_first_read_and_nothing_twice() -> None:
    calls = []

    def compute() -> tuple[int, ...]:
        calls.append(1)
        return (3, 4, 5)

    numbers = Later(compute)
    assert not calls
    assert (len(numbers), numbers[0], numbers[1:], list(numbers)) == (3, 3, (4, 5), [3, 4, 5])
    assert len(calls) == 1


def test_it_is_equal_to_what_it_computes() -> None:
    assert Later(lambda: (1, 2)) == (1, 2)
    assert Later(lambda: (1, 2)) == Later(lambda: (1, 2))
    assert Later(lambda: (1, 2)) != Later(lambda: (2, 1))


def test_a_failed_computation_is_tried_again_at_the_next_read() -> None:
    answers = iter([ValueError("no case"), (7,)])

    def compute() -> tuple[int, ...]:
        answer = next(answers)
        if isinstance(answer, ValueError):
            raise answer
        return answer

    numbers = Later(compute)
    with pytest.raises(ValueError, match="no case"):
        len(numbers)
    assert list(numbers) == [7]


def test_a_fingerprint_does_not_depend_on_when_a_value_was_computed() -> None:
    assert fingerprint.of(Later(lambda: (1, b"two"))) == fingerprint.of((1, b"two"))


def test_a_task_builds_its_checks_when_they_are_first_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    built: list[str] = []
    grading = compose._grading

    def counted(*stages: object) -> object:
        built.append("once")
        return grading(*stages)  # type: ignore[arg-type]

    monkeypatch.setattr(compose, "_grading", counted)
    task = catalogue.load(catalogue.names()[0])
    assert not built
    assert len(task.checks) + len(task.gates) >= 1
    assert built == ["once"]
