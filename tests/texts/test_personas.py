import pytest

from tmax_gym.axes import DOMAINS
from tmax_gym.texts.personas import personas


@pytest.mark.parametrize("domain", DOMAINS)
def test_a_domain_has_six_personas_with_names_of_their_own_and_titles(domain: str) -> None:
    people = personas(domain)
    assert len(people) >= 6
    assert len({one.name for one in people}) == len(people)
    assert all(one.title for one in people)


def test_an_unknown_domain_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match="security"):
        personas("gardening")
