import re
from itertools import product

import pytest

from tmax_gym.axes import DOMAINS
from tmax_gym.rng import Rng
from tmax_gym.texts import phrases
from tmax_gym.texts.clauses import expand, sentence
from tmax_gym.texts.grammar import names, parse, strip
from tmax_gym.texts.lint import lint
from tmax_gym.texts.personas import personas
from tmax_gym.texts.skins import skin, skins

FIXED = (
    *(title for titles in phrases.TITLES.values() for title in titles),
    *phrases.GREETINGS,
    *phrases.CLOSERS,
    *phrases.SCENARIOS,
    *phrases.SCOPES,
    *phrases.REVIEWS,
    *phrases.TRAILERS,
    *phrases.LEADS,
    *phrases.DOC_HEADS,
)


def openers() -> list[str]:
    return [o for domain in DOMAINS for one in personas(domain) for o in one.openers]


@pytest.mark.parametrize("domain", DOMAINS)
def test_a_domain_has_six_personas_with_four_openers_each(domain):
    people = personas(domain)
    assert len(people) >= 6 and len({one.name for one in people}) == len(people)
    assert all(len(one.openers) >= 4 and one.title for one in people)
    assert len(phrases.TITLES[domain]) >= 4


def test_no_opener_is_used_twice():
    assert len(set(openers())) == len(openers())


def test_every_opener_speaks_of_the_skin_at_least_twice():
    for opener in openers():
        assert len(set(names(parse(opener)))) >= 2, opener


def test_every_phrase_is_sound_in_every_skin():
    for template, one in product((*openers(), *FIXED), skins()[::5]):
        words = {**one.slots(Rng("w", one.slug)), "title": "auditor"}
        for seed in range(2):
            rng = Rng("p", template, one.slug, seed)
            text = strip(sentence(expand(template, rng, {}, words=words), stop=""))
            assert lint(text, ()) == (), (template, text)


def test_an_opener_states_no_number_but_a_clock_and_no_path():
    one = skin("library")
    for opener in openers():
        text = expand(opener, Rng("o", opener), {}, words=one.slots(Rng("w")))
        assert "/" not in re.sub(r"\d:\d\d", "", text), text


def test_no_opener_is_longer_than_forty_words():
    for opener in openers():
        text = expand(opener, Rng("o", opener), {}, words=skin("museum").slots(Rng("w")))
        assert len(text.split()) <= 40, text


def test_an_unknown_domain_names_the_known_ones():
    with pytest.raises(ValueError, match="'cooking'; there are: security"):
        personas("cooking")
