"""Recipes contain the published values; invalid ones are refused with the name of the key."""

import dataclasses

import pytest

pytest.importorskip("yaml", reason="needs the train extra")

from tmax_gym.errors import RecipeError
from tmax_trainers.recipes import files
from tmax_trainers.recipes.recipe import Recipe

# The published table (TMax, scripts/tmax/RL): init, nodes, engines, pool, dialect, starts.
PUBLISHED = {
    "tmax_2b": ("hamishivi/Qwen3.5-2B", 4, 16, 512, "qwen3", 64),
    "tmax_4b": ("hamishivi/Qwen3.5-4B", 4, 16, 512, "qwen3", 64),
    "tmax_9b": ("hamishivi/Qwen3.5-9B", 8, 48, 512, "qwen3", 64),
    "tmax_27b": ("Qwen/Qwen3.6-27B", 8, 48, 768, "qwen3", 128),
    "qwen3_8b": ("hamishivi/sft_qwen3_8b_our_sft_cleaned_func", 8, 48, 512, "hermes", 64),
}
ABLATIONS = {
    "ablation_grpo": {"loss.objective", "loss.clip_low", "loss.clip_high"},
    "ablation_group_8": {"rollouts.groups_per_step", "rollouts.group_size"},
    "ablation_no_fp32_head": {"model.fp32_head"},
    "ablation_kl": {"loss.divergence", "loss.delta_low", "loss.delta_high"},
}


def flat(recipe):
    return {
        f"{section}.{key}": value
        for section, values in dataclasses.asdict(recipe).items()
        if isinstance(values, dict)
        for key, value in values.items()
    }


def write(path, text):
    path.write_text(text, encoding="utf-8")
    return path


def test_all_the_recipes_of_the_issue_are_packaged():
    others = {"cpu_tiny", "smollm2_135m", "one_gpu"}
    assert set(files.names()) == set(PUBLISHED) | set(ABLATIONS) | others


@pytest.mark.parametrize("name", PUBLISHED)
def test_the_recipes_have_the_values_of_the_published_table(name):
    recipe = files.read(name)
    assert PUBLISHED[name] == (
        recipe.model.init,
        recipe.cluster.nodes,
        recipe.cluster.engines,
        recipe.rollouts.concurrent,
        recipe.harness.dialect,
        recipe.rollouts.starts,
    )


@pytest.mark.parametrize("name", PUBLISHED)
def test_every_recipe_has_the_values_that_all_published_runs_share(name):
    recipe = files.read(name)
    rollouts, loss, optimization = recipe.rollouts, recipe.loss, recipe.optimization
    assert (rollouts.groups_per_step, rollouts.group_size, rollouts.max_staleness) == (8, 32, 4)
    # The paper's 8B has 32,768; its script has 65,536, more than the model has positions.
    response = 32768 if name == "qwen3_8b" else 65536
    assert (rollouts.max_steps, rollouts.turn_tokens, rollouts.response_tokens) == (
        64,
        16384,
        response,
    )
    assert (rollouts.prompt_tokens, rollouts.temperature, rollouts.advantage) == (
        2048,
        1,
        "centred",
    )
    assert (rollouts.verify_seconds, rollouts.episode_seconds) == (120, 1200)
    assert (loss.objective, loss.divergence, loss.delta_low, loss.delta_high, loss.is_cap) == (
        "dppo", "binary_tv", 0.1, 0.1, None)  # fmt: skip
    assert (optimization.learning_rate, optimization.schedule) == (1e-6, "constant")
    assert (optimization.weight_decay, optimization.max_grad_norm) == (0, 1)
    assert optimization.steps * rollouts.groups_per_step * rollouts.group_size == 128_000
    assert (recipe.seed, recipe.model.fp32_head, recipe.model.gradient_checkpointing) == (
        42, True, True)  # fmt: skip
    assert (recipe.cluster.trainer_processes, recipe.cluster.sequence_parallel) == (16, 4)


@pytest.mark.parametrize("name", ABLATIONS)
def test_an_ablation_differs_from_the_main_run_in_its_own_keys_only(name):
    main, other = flat(files.read("tmax_9b")), flat(files.read(name))
    assert {key for key in main if main[key] != other[key]} <= ABLATIONS[name]
    assert main != other


@pytest.mark.parametrize("name", files.names())
def test_a_recipe_that_was_printed_reads_as_itself(name, tmp_path):
    recipe = files.read(name)
    assert files.read(write(tmp_path / "again.yaml", files.dump(recipe))) == recipe


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("about: x\nlos: {}", "own.yaml: los is unknown. Did you mean loss"),
        (
            "about: x\nloss: {delta_hi: 1}",
            "loss.delta_hi is unknown. Did you mean delta_high",
        ),
        (
            "about: x\nrollouts: {group_size: many}",
            "own.yaml: rollouts.group_size is 'many', not a whole number",
        ),
        (
            "about: x\nrollouts: {group_size: true}",
            "group_size is True, not a whole number",
        ),
        ("about: x\nrollouts: {group_size: 8.5}", "rollouts.group_size is 8.5, not a whole number"),
        ("about: x\nmodel: {fp32_head: 1}", "model.fp32_head is 1, not true or false"),
        (
            "about: x\nloss: {objective: reinforce}",
            "objective 'reinforce' is none of ['cispo', 'dapo', 'dppo'",
        ),
        ("about: x\nloss: {corrections: [tis]}", "set ratio_to='proximal'"),
        ("about: x\ntasks: {families: all}", "tasks.families is 'all', not a list"),
        ("about: x\nmodel: 7", "model is 7, not a table of keys and values"),
        ("about: x\nseed: 1\nseed: 2", "'seed' stands there twice"),
        ("loss: {}", "own.yaml: about is missing"),
        ("about: [", "is no YAML"),
        ("- about", "must hold keys and values"),
        ("extends: nowhere\nabout: x", "there is no recipe 'nowhere'"),
    ],
)
def test_an_invalid_recipe_is_refused_with_the_place_and_the_remedy(tmp_path, text, message):
    with pytest.raises(RecipeError) as refused:
        files.read(write(tmp_path / "own.yaml", text))
    assert message in str(refused.value)


def test_recipes_that_extend_each_other_are_refused(tmp_path):
    write(tmp_path / "a.yaml", "extends: b\nabout: x")
    write(tmp_path / "b.yaml", "extends: a")
    with pytest.raises(RecipeError, match=r"in a circle: a.yaml -> b.yaml -> a.yaml"):
        files.read(tmp_path / "a.yaml")


def test_a_file_extends_a_packaged_recipe_section_by_section(tmp_path):
    path = write(
        tmp_path / "own.yaml", "extends: smollm2_135m\nwarm_start: null\nloss: {is_cap: 5}"
    )
    recipe, parent = files.read(path), files.read("smollm2_135m")
    assert recipe.warm_start is None and parent.warm_start is not None
    assert recipe.loss == dataclasses.replace(parent.loss, is_cap=5.0)
    assert recipe.name == "own"


def test_overrides_come_last_and_are_as_strict():
    recipe = files.read(
        "tmax_9b",
        ["optimization.learning_rate=1e-5", "tasks.families=[a, b]", "model.lora.rank=4"],
    )
    assert recipe.optimization.learning_rate == 1e-5
    assert recipe.tasks.families == ("a", "b")
    assert recipe.model.lora is not None and recipe.model.lora.rank == 4
    for wrong, message in (
        ("optimization.lr=1", "There are: beta_1"),
        ("seed", "section.key=value"),
        ("seed.a=1", "is a value and has no keys"),
    ):
        with pytest.raises(RecipeError, match=message):
            files.read("tmax_9b", [wrong])


def test_the_nearest_name_is_offered_for_a_recipe():
    with pytest.raises(RecipeError, match="Did you mean tmax_9b"):
        files.read("tmax_9bb")


def test_every_default_can_be_printed_and_read(tmp_path):
    recipe = Recipe("x", "y")
    path = write(tmp_path / "own.yaml", files.dump(recipe))
    assert files.read(path) == recipe
