import pytest

from tests.support.frames import faults
from tmax_gym.rng import Rng
from tmax_gym.texts.clauses import Clause, expand, sentence


def rendered(template: str, **facts: str) -> str:
    from tmax_gym.texts.grammar import strip

    return strip(sentence(expand(template, Rng("c"), facts, marked=True)))


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("sort the rows", "Sort the rows."),
        ("sort them. {keep|keep} the rest. ", "Sort them. Keep the rest."),
        ("use a suffix, e.g. one of three", "Use a suffix, e.g. one of three."),
        ("do this:\n\n    ls -l", "Do this:\n\n    ls -l"),
    ],
    ids=["one sentence", "two sentences", "an abbreviation", "a code block"],
)
def test_a_sentence_gets_a_capital_and_a_stop(template: str, text: str) -> None:
    assert rendered(template) == text


def test_a_value_keeps_its_case_at_the_start_and_inside():
    assert rendered("{col} counts. a.b is kept. {col}", col="total. net") == (
        "total. net counts. a.b is kept. total. net."
    )


def test_a_path_ends_with_a_stop_of_its_own():
    assert rendered("write to {path}", path="/app/out.") == "Write to /app/out.."


def test_a_clause_without_frames_is_refused():
    with pytest.raises(ValueError, match="no frame"):
        Clause("a", ())


def test_a_frame_that_may_lose_a_fact_is_a_fault():
    clause = Clause("a", ("Put it in {path}.", "{Put it in {path}|Do it}."), {"path": "/a"})
    (fault,) = faults(clause)
    assert "may leave out the fact 'path'" in fault


def test_a_context_clause_with_facts_is_a_fault():
    assert faults(Clause("a", ("It is {n}.",), {"n": "3"}, role="context"))


def test_a_fact_written_into_the_frame_is_no_fault():
    assert not faults(Clause("a", ("Put it in /app/x.",), {"path": "/app/x"}))
