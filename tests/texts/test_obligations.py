"""What an obligation demands of a text."""

from tmax_gym.texts.obligations import Obligation


def test_every_line_of_a_fenced_block_is_a_literal() -> None:
    one = Obligation("example", "A record looks like this:\n\n```\na: 1\nb: 2\n```", "format")
    assert one.literals == ("a: 1", "b: 2")
    assert one.numbers == ()


def test_numbers_in_prose_count_and_those_in_names_and_literals_do_not() -> None:
    one = Obligation("rule", "Keep 7 of `x9.csv`, at most 2.5 seconds or 1,200 rows; not v3.")
    assert one.numbers == ("7", "2.5", "1,200")


def test_a_literal_that_occurs_twice_counts_once() -> None:
    assert Obligation("rule", "`a` comes before `b`, and `a` is kept.").literals == ("a", "b")
