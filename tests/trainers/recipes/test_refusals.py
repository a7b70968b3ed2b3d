"""A recipe that would fail later is refused before anything is loaded, with what to change."""

import importlib.util

import pytest

pytest.importorskip("torch", reason="needs the train extra")
pytest.importorskip("transformers", reason="needs the train extra")

from tmax_gym.errors import RecipeError
from tmax_trainers.cli.train import described
from tmax_trainers.recipes import files, run
from tmax_trainers.recipes.plan import refusals
from tmax_trainers.recipes.plan.memory import FULL, GIB
from tmax_trainers.recipes.plan.refusals import check, check_here


@pytest.mark.parametrize("name", files.names())
def test_every_packaged_recipe_can_work_and_fits_the_card_that_it_names(name):
    recipe = files.read(name)
    plan = check(recipe)
    assert plan.total > 0
    if name == "cpu_tiny":
        assert recipe.cluster.gpu_gib is None
    else:
        assert plan.total <= FULL * recipe.cluster.gpu_gib * GIB
    text = "\n".join(described(name, recipe, plan))
    assert "# memory of a trainer GPU, estimated, in GiB: parameters" in text
    assert "# assumed: float32 weights and AdamW" in text


@pytest.mark.parametrize(
    ("name", "changes", "message"),
    [
        ("tmax_9b", ["cluster.gpu_gib=40"], "lower rollouts.response_tokens"),
        ("tmax_9b", ["model.fused_head=false", "model.fp32_head=false"], "model.fused_head=true"),
        ("tmax_9b", ["model.gradient_checkpointing=false"], "model.gradient_checkpointing=true"),
        ("tmax_9b", ["cluster.accelerate=''", "cluster.trainer_processes=1"],
         "cluster.accelerate=fsdp"),
        ("tmax_9b", ["cluster.accelerate=fdsp"], "Did you mean fsdp"),
        ("tmax_9b", ["optimization.sequence_parallel=3"], "set a divisor of the processes"),
        ("tmax_9b", ["optimization.sequence_parallel=8"], "have the common divisor 4"),
        ("tmax_9b", ["optimization.sequence_parallel=2", "optimization.micro_batches=32",
                     "loss.objective=gspo"], "needs whole sequences"),
        ("qwen3_8b", ["optimization.sequence_parallel=2", "optimization.packing=true"],
         "keeps no samples apart"),
        ("tmax_9b", ["model.fused_head=false"], "set model.fp32_head=false as well"),
        ("tmax_9b", ["model.lora.targets=[q_proj, lm_head]"], "takes no adapter"),
        ("tmax_9b", ["rollouts.group_size=1", "rollouts.groups_per_step=256"],
         "advantage of 0 against its group"),
        ("tmax_9b", ["rollouts.prompt_tokens=0"], "an episode has no room"),
        ("tmax_9b", ["rollouts.response_tokens=300000", "cluster.gpu_gib=null"],
         "at most 260,096"),
        ("qwen3_8b", ["warm_start.lessons=100", "warm_start.tokens_per_batch=8192"],
         "set warm_start=null"),
    ],
)  # fmt: skip
def test_a_combination_that_cannot_work_is_refused_with_the_remedy(name, changes, message):
    with pytest.raises(RecipeError) as refused:
        check(files.read(name, changes))
    assert message in str(refused.value)


def test_all_reasons_are_named_at_once():
    recipe = files.read("tmax_9b", ["optimization.sequence_parallel=3", "cluster.gpu_gib=20"])
    with pytest.raises(RecipeError, match=r"(?s)divisor.*GiB of a trainer GPU"):
        check(recipe)


def test_packing_a_hybrid_wants_its_kernels(monkeypatch):
    monkeypatch.setattr(refusals, "find_spec", lambda name: None)
    packed = files.read("tmax_9b", ["optimization.packing=true", "cluster.gpu_gib=null"])
    with pytest.raises(RecipeError, match="flash-linear-attention and causal-conv1d is not inst"):
        check(packed)
    monkeypatch.setattr(refusals, "find_spec", lambda name: importlib.util.find_spec("torch"))
    check(packed)


def test_a_run_is_checked_as_it_was_started_and_not_as_it_was_written():
    recipe = files.read("tmax_9b", ["sampling.servers=[http://127.0.0.1:1]"])
    check_here(recipe, processes=16, split=True, card_gib=80)
    check_here(recipe, processes=1, split=False, card_gib=None)
    for processes, split, card in ((1, False, 80), (16, True, 24), (4, False, 80)):
        with pytest.raises(RecipeError, match="GiB of a trainer GPU"):
            check_here(recipe, processes=processes, split=split, card_gib=card)


def test_a_run_without_a_server_is_refused_before_anything_is_written(tmp_path):
    out = tmp_path / "run"
    with pytest.raises(RecipeError, match="tmax serve"):
        run.train(files.read("tmax_2b"), out)
    assert not out.exists()
