import re
from dataclasses import replace

import pytest

from tmax_gym.axes import DOMAINS
from tmax_gym.rng import Rng
from tmax_gym.texts.clauses import Clause
from tmax_gym.texts.lint import lint
from tmax_gym.texts.personas import personas
from tmax_gym.texts.realise import CONTEXT_SHARE, DOCS, REGISTERS, Realised, realise
from tmax_gym.texts.skins import skin, skins

SOURCE, TARGET = {"source": "/app/in/stops.csv"}, {"target": "/app/out/late.csv"}
CLAUSES = (
    Clause(
        "s0.why",
        ("The {things} were counted twice last year.", "Nobody has looked at it since then."),
        role="context",
    ),
    Clause(
        "s0.goal",
        (
            "{Write|Put} the late {things} of {source} {into|to} {target}.",
            "{target} should hold the late {things} of {source}.",
        ),
        SOURCE | TARGET,
        role="goal",
        brief="Write the late rows of {source} to {target}.",
    ),
    Clause(
        "s0.shape",
        ("{source} has one row per {an:thing}, under a header.", "Rows of {source} have a header."),
        SOURCE,
        role="input",
        brief="{source} has a header.",
    ),
    Clause(
        "s0.late",
        ("Late means more than {n} minutes.", "A delay of {n} minutes is not late; more is."),
        {"n": "45"},
        bullet=True,
        brief="Late: over {n} minutes.",
    ),
    Clause(
        "s0.tie",
        ("Equal delays keep the order of the input.", "Rows that are equally late stay in order."),
        bullet=True,
        brief="Ties keep input order.",
    ),
    Clause(
        "s0.format",
        ("Fields are separated by {sep}.", "Put {sep} between fields."),
        {"sep": "`;`"},
        role="format",
        brief="Separator {sep}.",
    ),
    Clause(
        "s0.keep",
        ("Do not change {source}.", "{source} stays as it is."),
        SOURCE,
        role="constraint",
        brief="Leave {source} alone.",
    ),
)
OUTPUTS = ("/app/out/late.csv",)


def two_stages() -> tuple[Clause, ...]:
    second = Clause(
        "s1.goal",
        ("{Count|Tally} the rows of {target} and save the number in {total}.",),
        TARGET | {"total": "/app/total.txt"},
        role="goal",
    )
    rule = Clause("s1.rule", ("The header is no row.", "Leave out the header."), role="rule")
    return (*CLAUSES, second, rule)


def written(register: str, seed: int = 0, **changes) -> Realised:
    given = {"rng": Rng("r", register, seed), "skin": skin("railway"), "domain": "data_processing"}
    return realise(changes.pop("clauses", CLAUSES), register=register, **{**given, **changes})


@pytest.mark.parametrize("register", REGISTERS)
def test_every_skin_and_domain_gives_a_sound_text(register):
    for index, one in enumerate(skins()):
        domain = DOMAINS[index % len(DOMAINS)]
        for explicitness in ("explicit", "pointer"):
            done = written(register, index, skin=one, domain=domain, explicitness=explicitness)
            problems = lint(done.text, CLAUSES, documents=done.documents, outputs=OUTPUTS)
            assert problems == (), (one.slug, done.text)


@pytest.mark.parametrize("register", REGISTERS)
@pytest.mark.parametrize("domain", DOMAINS)
def test_every_persona_gives_a_sound_text(register, domain):
    met = set()
    for seed in range(40):
        done = written(register, seed, domain=domain, clauses=two_stages(), skin=skins()[seed])
        assert lint(done.text, two_stages(), outputs=OUTPUTS) == (), done.text
        met.add(done.persona)
    assert met == {one.name for one in personas(domain)}


@pytest.mark.parametrize("register", REGISTERS)
def test_the_same_stream_gives_the_same_text(register):
    assert written(register, 5) == written(register, 5)


def test_draws_from_the_stream_do_not_move_the_words():
    used = Rng("r", "email", 0)
    used.bits(640)
    assert written("email", rng=used) == written("email")


def test_different_seeds_give_different_texts():
    assert len({written("email", seed).text for seed in range(50)}) == 50


def test_a_register_is_drawn_where_none_is_given():
    drawn = {
        realise(CLAUSES, rng=Rng("d", n), skin=skin("airline"), domain="security").register
        for n in range(80)
    }
    assert drawn == set(REGISTERS)


def test_an_unknown_register_names_the_known_ones():
    with pytest.raises(ValueError, match="no register 'sonnet'; there are: chat"):
        written("sonnet")


def test_plain_is_the_briefs_and_nothing_else():
    assert written("plain").text == (
        "Write the late rows of /app/in/stops.csv to /app/out/late.csv. /app/in/stops.csv has a "
        "header. Late: over 45 minutes. Ties keep input order. Separator `;`. Leave "
        "/app/in/stops.csv alone."
    )


def test_plain_does_not_depend_on_the_stream():
    assert len({written("plain", seed).text for seed in range(5)}) == 1


def test_terse_varies_and_takes_every_short_form():
    many = Clause("s0.a", ("Sort {p} and mind that nothing is lost on the way.",), {"p": "/a"},
                  brief=("Sort {p}.", "Put {p} in order.", "{p}: sort it."))  # fmt: skip
    texts = {written("terse", seed, clauses=(many,)).text for seed in range(60)}
    assert texts == {"Sort /a.", "Put /a in order.", "/a: sort it."}


def test_a_short_terse_task_stays_below_sixty_words():
    assert len(written("terse").text.split()) <= 60


@pytest.mark.parametrize("register", REGISTERS)
def test_a_pointer_moves_rules_and_formats_into_a_document(register):
    done = written(register, explicitness="pointer")
    (document,) = done.documents
    content = (document.data or b"").decode()
    assert re.fullmatch(DOCS + r"/[a-z0-9_]+\.md", document.path) and document.path in done.text
    assert "45" in content and "`;`" in content
    assert "45" not in re.sub(r"\[\d\d:\d\d\]", "", done.text) and ";`" not in done.text


def test_stages_point_to_documents_of_their_own():
    for seed in range(30):
        done = written("email", seed, clauses=two_stages(), explicitness="pointer")
        assert len({d.path for d in done.documents}) == 2


def test_without_rules_a_pointer_needs_no_document():
    done = written("email", clauses=CLAUSES[1:3], explicitness="pointer")
    assert done.documents == ()


def test_context_never_takes_more_than_its_share():
    long = replace(CLAUSES[0], frames=("It was a long year. " * 30,))
    for seed in range(20):
        assert "long year" not in written("email", seed, clauses=(long, *CLAUSES[1:])).text
    assert CONTEXT_SHARE == 0.15


def test_context_is_kept_where_it_is_small():
    many = [replace(c, id=f"{c.id}{n}") for n in range(3) for c in CLAUSES[1:]]
    texts = [written("email", seed, clauses=(CLAUSES[0], *many)).text for seed in range(20)]
    assert all("last year" in text or "since then" in text for text in texts)


def test_the_goal_comes_before_rules_that_refer_to_it():
    bound = replace(CLAUSES[3], frames=("After that drop delays up to {n}.",))
    for seed in range(40):
        text = written("email", seed, clauses=(*CLAUSES[:3], bound, *CLAUSES[4:])).text
        assert text.index("/app/out/late.csv") < text.index("fter that")


def places(order, seed, clauses):
    text = written("commit", seed, clauses=clauses).text
    return sorted(order, key=lambda mark: text.lower().index(mark))


def test_rules_change_places_but_one_that_points_back_stays_behind_its_own():
    rules = (
        Clause("r1", ("Round alpha up.",)),
        Clause("r2", ("They are kept in beta.",)),
        Clause("r3", ("Drop gamma first.",)),
        Clause("r4", ("Count delta once.",), fixed=True),
    )
    marks = ("alpha", "beta", "gamma", "delta")
    seen = {tuple(places(marks, seed, (CLAUSES[1], *rules))) for seed in range(60)}
    assert seen == {("alpha", "beta", "gamma", "delta"), ("gamma", "delta", "alpha", "beta")}


def test_rules_that_apply_in_order_stay_in_order():
    rules = (
        Clause("r0", ("The rules are applied in this order.",)),
        Clause("r1", ("Round alpha up.",)),
        Clause("r2", ("Drop beta.",)),
    )
    marks = ("applied", "alpha", "beta")
    assert {tuple(places(marks, n, (CLAUSES[1], *rules))) for n in range(40)} == {marks}


def test_a_lead_in_changes_neither_values_nor_what_is_said():
    texts = [written("email", seed).text for seed in range(80)]
    assert any(re.search(r"(?:ote|ind|ember|ware) that [a-z]", text) for text in texts)
    assert all(lint(text, CLAUSES, outputs=OUTPUTS) == () for text in texts)


def test_the_order_of_goal_and_input_varies():
    free = [replace(CLAUSES[1], frames=("Make {target}.",), facts=TARGET), CLAUSES[2]]
    first = {
        (t := written("commit", seed, clauses=free).text).index("late.csv") < t.index("stops.csv")
        for seed in range(40)
    }
    assert first == {True, False}


def test_stages_are_told_in_order():
    for register in REGISTERS:
        text = written(register, 3, clauses=two_stages()).text
        assert text.index("/app/in/stops.csv") < text.index("/app/total.txt")


def test_a_ticket_lists_what_is_accepted():
    text = written("ticket").text
    assert len(re.findall(r"^- ", text, re.M)) == 4


def test_a_chat_is_dated_and_its_clock_never_goes_back():
    times = re.findall(r"^\[(\d\d:\d\d)\] ", written("chat", 4).text, re.M)
    assert len(times) >= 4 and times == sorted(times)


def test_a_runbook_numbers_its_steps_from_one():
    numbers = re.findall(r"^(\d+)\. ", written("runbook").text, re.M)
    assert numbers == [str(n + 1) for n in range(len(numbers))] and len(numbers) >= 4


def test_a_path_named_twice_in_a_row_may_become_that_file():
    pair = (
        Clause(
            "a", ("Sort {path} first and do so with great care for all of it.",), {"path": "/a.c"}
        ),
        Clause(
            "b",
            ("Drop the last line of {path}, which nobody there will ever need again.",),
            {"path": "/a.c"},
        ),
    )
    texts = [written("commit", seed, clauses=pair).text for seed in range(30)]
    assert any("the last line of that file" in t for t in texts)
    assert all(lint(t, pair) == () for t in texts)


def test_a_ticket_of_two_stages_keeps_their_acceptance_apart():
    last = Clause("s1.order", ("Sort it bytewise.",), role="format")
    text = written("ticket", 2, clauses=(*two_stages(), last)).text
    accepted = re.search(r"\n(?:Acceptance|Done|Definition)[a-z ]*:\n\n(.*)", text, re.S)
    assert accepted is not None
    first, second = accepted[1].split("\n\n")
    assert not first.startswith("-") and not second.startswith("-")
    assert "45" in first and "bytewise" in second


def test_a_long_text_begins_without_an_opener():
    long = Clause("long", ("Mind the gap at all times. " * 70,))
    texts = {
        written("email", n, clauses=(*CLAUSES[1:], long), skin=skin("museum")) for n in range(8)
    }
    openers = {o.split("{")[0] for p in personas("data_processing") for o in p.openers} - {""}
    assert not any(opener in one.text for one in texts for opener in openers if len(opener) > 12)
