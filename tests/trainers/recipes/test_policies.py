"""Policies of recipes: adapters, whole weights for engines, several engines, and task books."""

import types

import pytest

torch = pytest.importorskip("torch", reason="needs the train extra")
pytest.importorskip("transformers", reason="needs the train extra")

from tests.trainers.dppo.test_fused_head import tiny_hybrid  # noqa: E402
from tests.trainers.dppo.test_trainer import policy  # noqa: E402
from tmax_gym.errors import RecipeError  # noqa: E402
from tmax_gym.tasks import catalogue  # noqa: E402
from tmax_trainers.dppo.weights import fresh_copy, policy_weights  # noqa: E402
from tmax_trainers.recipes.policy import load_policy, with_adapters  # noqa: E402
from tmax_trainers.recipes.recipe import Lora, Model, Tasks  # noqa: E402
from tmax_trainers.recipes.tasks import DatasetBook, DemoBook  # noqa: E402


def adapted(seed=0):
    """Return a policy whose adapters change its output."""
    model = with_adapters(policy(), Lora(rank=2), seed=seed)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if "lora_B" in name:
                parameter.copy_(torch.linspace(-0.1, 0.1, parameter.numel()).view_as(parameter))
    return model


def test_an_engine_is_given_the_sum_of_base_and_adapters_under_plain_names():
    model = adapted()
    ids = torch.arange(3, 20)[None]
    before = {n: p.clone() for n, p in model.named_parameters()}
    sent = dict(policy_weights(model))
    plain = policy()
    assert set(sent) == {n for n, _ in plain.named_parameters()}
    plain.load_state_dict(sent, strict=False)
    with torch.no_grad():
        expected, got = model(input_ids=ids).logits, plain(input_ids=ids).logits
        untouched = policy()(input_ids=ids).logits
    assert (got - expected).abs().max() < 1e-5
    assert (got - untouched).abs().max() > 1e-3
    assert all(torch.equal(before[n], p) for n, p in model.named_parameters())


def test_only_adapters_are_trained_and_a_seed_fixes_them():
    first, again, other = (with_adapters(policy(), Lora(rank=2), seed=s) for s in (1, 1, 2))
    trained = [n for n, p in first.named_parameters() if p.requires_grad]
    assert trained and all("lora_" in n for n in trained)
    weights = [dict(m.named_parameters()) for m in (first, again, other)]
    assert all(torch.equal(weights[0][n], weights[1][n]) for n in trained)
    assert any(not torch.equal(weights[0][n], weights[2][n]) for n in trained)


@pytest.mark.parametrize("make", [policy, tiny_hybrid, adapted])
def test_a_fresh_copy_has_the_same_output_and_does_not_call_the_original(make):
    """As TRL does: `forward` is replaced on the model itself."""
    model = make()
    ids = torch.arange(3, 20)[None]
    with torch.no_grad():
        expected = model(input_ids=ids).logits
        plain = model.get_base_model() if make is adapted else model
        plain.forward = types.MethodType(lambda *args, **kwargs: pytest.fail("the first"), plain)
        got = fresh_copy(model)(input_ids=ids).logits
    assert (got - expected).abs().max() < 1e-5


@pytest.mark.parametrize("init", ["tiny_llama", "tiny_qwen3_5"])
def test_a_policy_from_scratch_is_fixed_by_its_seed(init):
    model = Model(init=init, layers=4, width=32, heads=2)
    first, again, other = (
        dict(load_policy(model, vocabulary=50, max_length=64, seed=s).named_parameters())
        for s in (1, 1, 2)
    )
    assert all(torch.equal(first[n], again[n]) for n in first)
    assert any(not torch.equal(first[n], other[n]) for n in first)


def test_held_out_tasks_are_never_practised(monkeypatch):
    monkeypatch.setattr(catalogue, "load", lambda name: types.SimpleNamespace(name=name))
    book = DatasetBook(Tasks(held_out=20, limit=30), seed=3)
    practised = {next(book.practice) for _ in range(90)}
    held_out = {task.name for task in book.held_out()}
    assert len(practised) == 30 and 0 < len(held_out) <= 20
    assert not practised & held_out
    assert {catalogue.spec(name).split for name in practised} == {"train"}
    assert [t.name for t in book.held_out()] == [
        t.name for t in DatasetBook(Tasks(held_out=20, limit=30), seed=3).held_out()
    ]


def test_families_and_complexity_choose_tasks():
    family = catalogue.select(split="train")[0].family
    book = DatasetBook(Tasks(families=(family,)), seed=0)
    drawn = {next(book.practice) for _ in range(10)}
    assert {catalogue.spec(name).family for name in drawn} == {family}
    with pytest.raises(RecipeError, match="See: tmax list"):
        DatasetBook(Tasks(families=("no-such-family",)), seed=0)


def test_a_curriculum_begins_with_the_tasks_of_fewest_commands():
    options = Tasks(families=("bad-gateway", "bisect"), order="curriculum")
    book = DatasetBook(options, seed=0)
    count = sum(s.family in options.families for s in catalogue.select(split="train"))
    steps = [catalogue.spec(next(book.practice)).steps for _ in range(count)]
    least, most = min(steps), max(steps)
    assert set(steps[:5]) == {least}
    assert max(steps[:64]) < most
    assert most in steps[-64:]


def test_a_curriculum_of_another_dataset_is_refused(tmp_path):
    with pytest.raises(RecipeError, match="only the catalogue has"):
        DatasetBook(Tasks(source=str(tmp_path), order="curriculum"), seed=0)


def test_a_restored_demo_book_finds_the_tasks_that_it_named_before():
    book = DemoBook(Tasks(source="demo"), seed=5)
    names = [next(book.practice) for _ in range(6)]
    again = DemoBook(Tasks(source="demo"), seed=5)
    again.practice.restore(book.practice.state())
    assert [again.find(n).instruction for n in names] == [book.find(n).instruction for n in names]
    assert next(again.practice) == next(book.practice)
