"""What only shows between texts."""

from tmax_gym.authoring import corpus

SAME = "one two three four five six seven eight nine ten eleven twelve thirteen"


def test_a_run_in_six_texts_is_found_and_one_in_five_is_not() -> None:
    texts = {f"a.x-{n:04d}": f"{n} {SAME}" for n in range(6)}
    findings = corpus.repeated(texts)
    assert [one.name for one in findings] == sorted(texts)
    assert all(one.what == f"6 texts say: {SAME}" for one in findings)
    del texts["a.x-0000"]
    assert corpus.repeated(texts) == ()


def test_a_literal_ends_a_run() -> None:
    head, tail = SAME.rsplit(" ", 5)[0], " ".join(SAME.split()[-5:])
    for literal in ("`/app/x`", "/app/x.csv", "```\nx\n```"):
        texts = {f"a.x-{n:04d}": f"{n} {head} {literal} {tail}" for n in range(9)}
        assert corpus.repeated(texts) == ()


def test_reuse_is_the_share_of_runs_that_others_have() -> None:
    texts = {"a.x-0000": SAME, "a.x-0001": f"{SAME} fourteen", "a.x-0002": "short"}
    assert corpus.reuse(texts) == (1.0 + 0.5 + 0.0) / 3


LONG = " ".join(f"word{n}" for n in range(corpus.ENOUGH))


def test_nearly_equal_texts_of_a_family_are_found_and_those_of_two_families_are_not() -> None:
    others = {
        f"a.x-{n:04d}": " ".join(f"text{n}of{m}" for m in range(corpus.ENOUGH))
        for n in range(2, 12)
    }
    texts = {
        "a.x-0000": f"{LONG} and sort it",
        "a.x-0001": f"{LONG} and sort them",
        **others,
        "b.x-0000": f"{LONG} and sort it",
        "b.x-0001": others["a.x-0002"],
    }
    assert [one.name for one in corpus.close(texts)] == ["a.x-0000", "a.x-0001"]


def test_the_terms_that_all_texts_of_a_family_need_make_none_of_them_near() -> None:
    said = ("please", "kindly", "now")
    assert corpus.close({f"a.x-{n:04d}": f"{LONG} {word}" for n, word in enumerate(said)}) == ()


def test_texts_of_a_few_sentences_are_not_compared() -> None:
    short = " ".join(LONG.split()[1:])
    texts = {"a.x-0000": short, "a.x-0001": short, "a.x-0002": LONG.upper() + " other"}
    assert corpus.close(texts) == ()
