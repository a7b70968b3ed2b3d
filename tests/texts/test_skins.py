import re

import pytest

from tmax_gym.rng import Rng
from tmax_gym.texts.plurals import plural
from tmax_gym.texts.skins import skin, skins, slugged

LISTS = [
    "orgs",
    "places",
    "first_names",
    "surnames",
    "things",
    "measures",
    "events",
    "stems",
    "directories",
    "columns",
    "codes",
    "jargon",
]


def test_there_are_forty_eight_skins_sorted_by_slug():
    slugs = [one.slug for one in skins()]
    assert len(slugs) == 48 and slugs == sorted(set(slugs))


def test_fifteen_percent_of_the_skins_are_held_out():
    assert sum(one.held_out for one in skins()) == round(0.15 * len(skins()))


@pytest.mark.parametrize("field", LISTS)
def test_every_list_has_eight_different_entries(field):
    for one in skins():
        entries = getattr(one, field)
        assert len(entries) >= 8, (one.slug, field)
        assert len(set(entries)) == len(entries), (one.slug, field)


def test_organisations_are_unique_over_all_skins():
    orgs = [org for one in skins() for org in one.orgs]
    assert len(set(orgs)) == len(orgs)


def test_file_names_directories_and_columns_are_identifiers():
    for one in skins():
        for name in (*one.stems, *one.directories, *one.columns):
            assert re.fullmatch(r"[a-z][a-z0-9_]*", name), (one.slug, name)


def test_codes_are_short_and_upper_case():
    assert all(re.fullmatch(r"[A-Z]{2,4}", code) for one in skins() for code in one.codes)


def test_every_measure_has_a_range_and_a_column():
    for one in skins():
        for measure in one.measures:
            assert measure.lo < measure.hi, (one.slug, measure)
            assert re.fullmatch(r"[a-z][a-z0-9_]*", measure.column)


def test_people_are_different_and_log_in_with_ascii():
    one = skin("theatre")
    people = one.people(Rng("p"), 60)
    assert len(set(people)) == 60
    assert one.login("Ida Alvik") == "ialvik"


def test_a_code_has_a_prefix_of_the_skin_and_its_digits():
    assert re.fullmatch(r"[A-Z]{2,4}-\d{6}", skin("wind-farm").code(Rng("c"), digits=6))


def test_an_unknown_skin_names_the_known_ones():
    with pytest.raises(ValueError, match="no skin 'moon-base'; there are: airline"):
        skin("moon-base")


@pytest.mark.parametrize(
    ("one", "many"),
    [("bus", "buses"), ("day", "days"), ("city", "cities"), ("vet visit", "vet visits")],
)
def test_regular_plurals_follow_the_rules_of_english(one, many):
    assert plural(one) == many


def test_a_slug_is_made_of_words():
    assert slugged("pH (must)") == "ph_must"
