import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.frames import certain, fixed_run
from tmax_gym.rng import Rng
from tmax_gym.texts import grammar
from tmax_gym.texts.clauses import expand
from tmax_gym.texts.variants import SWAPS, varied

PLAIN = st.text(st.characters(blacklist_characters="{}|\\\ue000\ue001", codec="utf-8"))


def trees(depth: int = 3) -> st.SearchStrategy[tuple[str, frozenset[str]]]:
    """Return templates with the set of all their expansions, derived without the parser."""
    leaf = st.text("abc ", max_size=4).map(lambda text: (text, frozenset({text})))

    def grow(inner: st.SearchStrategy[tuple[str, frozenset[str]]]):
        choice = st.lists(inner, min_size=2, max_size=3).map(
            lambda options: (
                "{" + "|".join(t for t, _ in options) + "}",
                frozenset().union(*(symbols for _, symbols in options)),
            )
        )
        pair = st.tuples(inner, inner).map(
            lambda two: (
                two[0][0] + two[1][0],
                frozenset(a + b for a in two[0][1] for b in two[1][1]),
            )
        )
        return choice | pair

    return st.recursive(leaf, grow, max_leaves=6)


@given(trees(), st.integers(0, 99))
def test_an_expansion_is_one_of_those_that_the_template_spells_out(tree, seed):
    template, possible = tree
    assert expand(template, Rng("t", seed), {}) in possible


@given(trees())
def test_without_a_stream_the_first_options_are_taken(tree):
    template, possible = tree
    assert expand(template, None, {}) == expand(template, None, {})
    assert expand(template, None, {}) in possible


@given(PLAIN)
def test_text_without_braces_expands_to_itself(text):
    assert expand(text, Rng("t"), {}) == text


@given(st.text())
def test_escaped_text_expands_to_itself(text):
    text = text.replace("\ue000", "").replace("\ue001", "")
    escaped = text
    for char in "\\{}|":
        escaped = escaped.replace(char, "\\" + char)
    assert expand("{" + escaped + "x|" + escaped + "x}", Rng("t"), {}) == text + "x"


@given(st.text())
def test_values_are_inserted_literally(value):
    value = value.replace("\ue000", "").replace("\ue001", "")
    assert expand("<{x}>", Rng("t"), {"x": value}) == f"<{value}>"


@given(st.text("{}|\\ab:", max_size=12))
def test_any_template_expands_or_is_refused_with_a_value_error(template):
    try:
        expand(template, Rng("t"), {"a": "1", "b": "2"})
    except ValueError as error:
        assert str(error)


def test_all_options_of_a_choice_are_drawn():
    drawn = {expand("{a1|b1|{c1|d1}}", Rng("t", n), {}) for n in range(60)}
    assert drawn == {"a1", "b1", "c1", "d1"}


@pytest.mark.parametrize(
    "template", ["{a", "a}", "{}", "{two words}", "{a|b", "{an:x", "{plural:3}"]
)
def test_a_malformed_template_is_refused(template):
    with pytest.raises(ValueError, match=r"template|slot"):
        expand(template, Rng("t"), {"x": "y"})


def test_an_unknown_slot_names_those_that_are_given():
    with pytest.raises(ValueError, match=r"\{path\}; given are: input, output"):
        expand("{path}", Rng("t"), {"output": "b", "input": "a"})


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ("{an:thing}", "an hourly file"),
        ("{an:{thing}}", "an hourly file"),
        ("{an:unit}", "a unit"),
        ("{an:8 kB page}", "an 8 kB page"),
        ("{an:11th row}", "an 11th row"),
        ("{an:110 V line}", "a 110 V line"),
        ("{an:XML tree}", "an XML tree"),
        ("{an:unimportant row}", "an unimportant row"),
        ("{an:one-line fix}", "a one-line fix"),
        ("{plural:one:entry}", "entry"),
        ("{plural:3:entry}", "entries"),
        ("{plural:n:row}", "rows"),
        ("{count:n:row}", "12 rows"),
        ("{count:1:box}", "1 box"),
        ("{count:4:box}", "4 boxes"),
        ("{cap:thing}", "Hourly file"),
        ("{cap:{an:thing}} ends", "An hourly file ends"),
    ],
)
def test_the_agreement_helpers_agree(template, expected):
    assert expand(template, Rng("t"), {"thing": "hourly file", "n": "12"}) == expected


def test_certain_slots_are_those_of_every_expansion():
    parts = grammar.parse("{a} {x {b}|y {b} {c}} {an:d}")
    assert certain(parts) == {"a", "b", "d"}


def test_a_substitution_never_reaches_into_code_or_quotes():
    for seed in range(20):
        text = 'Use `every row` and "standard input" because.'
        done = expand(text, Rng("v", seed), {}, vary=True)
        assert "`every row`" in done and '"standard input"' in done


def test_a_substitution_keeps_the_capital_and_the_first_option_is_the_original():
    drawn = {expand("Every row counts.", Rng("v", n), {}, vary=True) for n in range(20)}
    assert drawn == {"Every row counts.", "Each row counts."}
    assert expand("Every row counts.", None, {}, vary=True) == "Every row counts."


def test_no_substitution_happens_where_a_backtick_is_open_around_a_slot():
    drawn = {expand("`{x} has to be` so", Rng("v", n), {"x": "1"}, vary=True) for n in range(20)}
    assert drawn == {"`1 has to be` so"}


def test_every_substitution_offers_something_new():
    for pattern, others in SWAPS:
        assert others and all(other not in pattern.split("|") for other in others)
    assert len(varied("every row has to be there")) == 4


def test_the_fixed_run_counts_words_between_choices_and_slots():
    assert fixed_run("one two {a|b} one two three {x} one") == 3
