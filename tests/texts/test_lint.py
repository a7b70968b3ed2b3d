import base64

import pytest

from tmax_gym.nodes import text as text_file
from tmax_gym.texts.clauses import Clause
from tmax_gym.texts.lint import lint, realisations

GOAL = Clause(
    "goal",
    ("{Write|Put} the sum of {source} {into|to} {target}.", "{target} gets the sum of {source}."),
    {"source": "/app/a.csv", "target": "/app/sum.txt"},
    role="goal",
    brief="Sum {source} into {target}.",
)
RULE = Clause("rule", ("Round to {n} decimal places.", "Give {n} decimals."), {"n": "2"})
SOUND = "Write the sum of /app/a.csv into /app/sum.txt. Give 2 decimals."
SECRET = "brass-kettle-71"


def problems(text: str, **more) -> str:
    return "\n".join(lint(text, (GOAL, RULE), outputs=("/app/sum.txt",), **more))


def test_a_sound_text_has_no_problem():
    assert problems(SOUND, hidden=(SECRET,)) == ""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (SOUND.replace("2", "two"), "the fact n='2' is not said"),
        (SOUND.replace("Give 2 decimals.", "Mind the 2."), "clause rule is not said"),
        (SOUND + " Round to 2 decimal places.", "clause rule is said 2 times"),
        (SOUND + " /app/sum.txt gets the sum of /app/a.csv.", "clause goal is said 2 times"),
        (SOUND.replace("sum.txt", "sum.txt.gz"), "output /app/sum.txt is not mentioned"),
        (SOUND + f" Use {SECRET}.", "is said"),
        (SOUND + " See {target}.", "leftover of a template: '{target}'"),
        (SOUND + " Take {one|two}.", "leftover of a template: '{one|two}'"),
        (SOUND.replace(". Give", ".  Give"), "double space"),
        (SOUND.replace("decimals.", "decimals ."), "space before punctuation"),
        (SOUND.replace("Give", "give"), "no capital at the start of 'give 2"),
        ("please do it. " + SOUND, "no capital at the start of 'please do it"),
        (SOUND + "\n- drop the rest", "no capital at the start of 'drop the rest"),
    ],
)
def test_a_planted_fault_is_found(text, expected):
    assert expected in problems(text, hidden=(SECRET,))


@pytest.mark.parametrize("shift", range(3))
def test_a_hidden_value_in_base64_is_found_at_every_alignment(shift):
    code = base64.b64encode(b"x" * shift + SECRET.encode() + b"yz").decode()
    assert "in base64" in problems(f"{SOUND} Token {code}.", hidden=(SECRET,))


@pytest.mark.parametrize("case", [str.lower, str.upper])
def test_a_hidden_value_in_hexadecimal_is_found(case):
    code = case(SECRET.encode().hex())
    assert "in hexadecimal" in problems(f"{SOUND} Token {code}.", hidden=(SECRET,))


def test_a_short_hidden_value_leaks_only_as_a_word():
    assert "'4711'" in problems(f"{SOUND} Use 4711.", hidden=("4711",))
    assert problems(f"{SOUND} Use 94711.", hidden=("4711",)) == ""


def test_a_hidden_value_in_a_document_is_found():
    note = text_file("/app/docs/a.md", f"# Note\n\n{SECRET}\n")
    assert "is said" in problems(SOUND, documents=(note,), hidden=(SECRET,))


def test_a_fact_in_a_document_counts():
    note = text_file("/app/docs/a.md", "# Rules\n\n- Give 2 decimals.\n")
    text = "Put the sum of /app/a.csv to /app/sum.txt. See /app/docs/a.md."
    assert problems(text, documents=(note,)) == ""
    assert "clause rule is not said" in problems(text)


def test_a_clause_in_text_and_document_is_said_twice():
    note = text_file("/app/docs/a.md", "# Rules\n\n- Give 2 decimals.\n")
    assert "said 2 times" in problems(SOUND, documents=(note,))


def test_a_long_text_is_too_long():
    assert "421 words" in problems(SOUND + " Again." * 411)


def test_an_output_may_be_named_by_its_directory_and_name():
    assert (
        lint("Work in /app/out and leave late.csv there.", (), outputs=("/app/out/late.csv",)) == ()
    )


def test_a_sentence_may_begin_with_a_fact():
    clause = Clause("c", ("{col} is numeric.",), {"col": "total"})
    assert lint("total is numeric.", (clause,)) == ()


def test_braces_in_code_and_facts_are_no_leftovers():
    clause = Clause("c", ("Print {shape}.",), {"shape": '{"sum": 3}'})
    assert lint('Print {"sum": 3}. Then `awk {print}`.', (clause,)) == ()


def test_two_clauses_of_one_frame_are_told_apart_by_their_facts():
    frame = ("Sort {path}.",)
    pair = [Clause(name, frame, {"path": f"/app/{name}.txt"}) for name in ("a", "b")]
    assert lint("Sort /app/a.txt. Sort /app/b.txt.", pair) == ()
    assert lint("Sort /app/a.txt. Leave /app/b.txt.", pair) == ("clause b is not said",)


def test_a_fact_hidden_inside_a_literal_does_not_hide_the_clause():
    clause = Clause("c", ("Use SHA-256 and {n} rounds.",), {"n": "2"})
    assert realisations("Use SHA-256 and 2 rounds.", clause) == 1


def test_joined_sentences_and_backticks_still_count():
    text = "put the sum of `/app/a.csv` to `/app/sum.txt`; give 2 decimals."
    assert realisations(text, GOAL) == realisations(text, RULE) == 1


def test_a_dropped_context_clause_is_no_problem():
    assert lint("Sort it.", (Clause("c", ("It is late.",), role="context"),)) == ()
