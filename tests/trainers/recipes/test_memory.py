"""The estimated memory of a GPU, against what torch really holds on a CPU."""

from dataclasses import replace

import pytest

torch = pytest.importorskip("torch", reason="needs the train extra")
transformers = pytest.importorskip("transformers", reason="needs the train extra")

from tmax_trainers.recipes.plan import memory  # noqa: E402
from tmax_trainers.recipes.plan.memory import Workload  # noqa: E402
from tmax_trainers.recipes.plan.shapes import KNOWN, shape_of, shape_of_policy  # noqa: E402
from tmax_trainers.recipes.recipe import Model  # noqa: E402

pytestmark = pytest.mark.usefixtures("one_thread")

SMALL = dict(vocab_size=100, hidden_size=64, intermediate_size=192, num_attention_heads=4,
             num_key_value_heads=2, head_dim=16, tie_word_embeddings=False)  # fmt: skip
HYBRID = SMALL | dict(linear_num_key_heads=4, linear_num_value_heads=8, linear_key_head_dim=8,
                      linear_value_head_dim=8, num_hidden_layers=4)  # fmt: skip
QWEN3_5 = dict(vocab_size=248_320, head_dim=256)
# Sizes as in `shapes.py`, which says where they are from.
PUBLISHED = {
    "hamishivi/Qwen3.5-2B": transformers.Qwen3_5TextConfig(
        **QWEN3_5, hidden_size=2048, intermediate_size=6144, num_hidden_layers=24,
        num_attention_heads=8, num_key_value_heads=2, linear_num_value_heads=16,
        tie_word_embeddings=True, max_position_embeddings=262_144),
    "hamishivi/Qwen3.5-4B": transformers.Qwen3_5TextConfig(
        **QWEN3_5, hidden_size=2560, intermediate_size=9216, num_hidden_layers=32,
        tie_word_embeddings=True, max_position_embeddings=262_144),
    "hamishivi/Qwen3.5-9B": transformers.Qwen3_5TextConfig(max_position_embeddings=262_144),
    "Qwen/Qwen3.6-27B": transformers.Qwen3_5TextConfig(
        **QWEN3_5, hidden_size=5120, intermediate_size=17_408, num_hidden_layers=64,
        num_attention_heads=24, num_key_value_heads=4, linear_num_value_heads=48,
        max_position_embeddings=262_144),
    "Qwen/Qwen3-8B": transformers.Qwen3Config(
        vocab_size=151_936, hidden_size=4096, intermediate_size=12_288, num_hidden_layers=36,
        num_attention_heads=32, num_key_value_heads=8, head_dim=128, tie_word_embeddings=False,
        max_position_embeddings=40_960),
    "HuggingFaceTB/SmolLM2-135M-Instruct": transformers.LlamaConfig(
        vocab_size=49_152, hidden_size=576, intermediate_size=1536, num_hidden_layers=30,
        num_attention_heads=9, num_key_value_heads=3, tie_word_embeddings=True,
        max_position_embeddings=8192),
}  # fmt: skip


def small(layers=2, config=transformers.Qwen3Config):
    made = config(**SMALL, num_hidden_layers=layers)
    return transformers.AutoModelForCausalLM.from_config(made)


@pytest.mark.parametrize("name", PUBLISHED)
def test_a_known_shape_is_that_of_the_model_which_transformers_builds(name):
    with torch.device("meta"):
        policy = transformers.AutoModelForCausalLM.from_config(PUBLISHED[name])
    assert KNOWN[name] == shape_of_policy(policy)


def test_weights_gradients_and_optimizer_are_those_that_torch_holds():
    policy = small()
    optimizer = torch.optim.AdamW(policy.parameters())
    policy(input_ids=torch.arange(9)[None]).logits.sum().backward()
    optimizer.step()
    states = [t for s in optimizer.state.values() for t in s.values() if t.ndim]
    held = [sum(t.nbytes for t in part) for part in (
        policy.parameters(), [p.grad for p in policy.parameters()], states)]  # fmt: skip
    whole = memory.training(shape_of_policy(policy), Workload(1, 9))
    assert [whole.parameters, whole.gradients, whole.optimizer] == held
    split = memory.training(shape_of_policy(policy), Workload(1, 9, shards=2))
    assert [split.parameters, split.gradients, split.optimizer] == [n // 2 for n in held]


def saved_bytes(policy, rows, length, *, half):
    """Return the bytes that the layers keep for the backward pass, weights left out."""
    weights = {p.untyped_storage().data_ptr() for p in policy.parameters()}
    kept = {}

    def keep(tensor):
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in weights:
            kept[storage.data_ptr()] = (storage.nbytes(), tensor)
        return tensor

    hooks = torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor)
    with hooks, torch.autocast("cpu", torch.bfloat16, enabled=half):
        policy.train().model(input_ids=torch.ones(rows, length, dtype=torch.long), use_cache=False)
    return sum(size for size, _ in kept.values())


@pytest.mark.parametrize("half", [True, False])
@pytest.mark.parametrize("config", [transformers.Qwen3Config, transformers.LlamaConfig])
def test_a_layer_saves_no_more_than_estimated_and_not_much_less(config, half):
    load = Workload(2, 128, half=half)
    few, many = (small(n, config) for n in (1, 3))
    # The difference of two depths leaves out what is kept once: embedding, last norm, rotation.
    measured = saved_bytes(many, 2, 128, half=half) - saved_bytes(few, 2, 128, half=half)
    estimated, _ = memory.layer_bytes(shape_of_policy(few), load)
    assert measured / (2 * load.tokens) <= estimated <= 1.5 * measured / (2 * load.tokens)


def test_with_checkpointing_one_hidden_state_a_layer_is_kept():
    load = Workload(2, 128)
    few, many = small(1), small(3)
    for policy in (few, many):
        policy.gradient_checkpointing_enable()
    measured = saved_bytes(many, 2, 128, half=True) - saved_bytes(few, 2, 128, half=True)
    three = memory.training(shape_of_policy(many), load).activations
    one = memory.training(shape_of_policy(few), load).activations
    assert measured == three - one


def test_logits_cost_what_a_row_of_them_has_and_the_fused_head_does_not_grow_with_the_vocabulary():
    shape = KNOWN["hamishivi/Qwen3.5-9B"]
    plain = Workload(1, 65_536, fused_head=False)
    # Three float32 and two bfloat16 tensors of 65,536 x 248,320.
    assert memory.head_bytes(shape, plain) == 65_536 * 248_320 * 16
    fused = replace(plain, fused_head=True)
    more = replace(fused, rows=2)
    grown = memory.head_bytes(shape, more) - memory.head_bytes(shape, fused)
    assert grown == 65_536 * 4096 * 6  # the hidden states' gradient, in float32 and bfloat16


def test_adapters_alone_have_gradients_and_optimizer():
    peft = pytest.importorskip("peft", reason="needs the train extra")
    policy = small()
    shape = shape_of_policy(policy)
    lora = peft.LoraConfig(r=4, target_modules="all-linear", task_type="CAUSAL_LM")
    adapted = peft.get_peft_model(policy, lora)
    real = sum(p.numel() for p in adapted.parameters() if p.requires_grad)
    estimated = memory.adapter_parameters(shape, 4)
    assert real <= estimated <= 1.3 * real  # keys and values are narrower than queries
    load = Workload(1, 64, adapters=estimated)
    assert memory.training(shape, load).optimizer == 8 * estimated


def test_a_checkpoint_in_a_directory_has_the_shape_of_its_configuration(tmp_path):
    policy = transformers.AutoModelForCausalLM.from_config(transformers.Qwen3_5TextConfig(**HYBRID))
    policy.config.save_pretrained(tmp_path)
    shape = shape_of(Model(init=str(tmp_path)), length=64)
    assert shape is not None and shape.attention == "hybrid"
    assert shape.parameters == sum(p.numel() for p in policy.parameters())
    assert shape.mixer == 8 * 8  # of the recurrent layers, and as wide as 4 heads of 16
    assert shape.cached == 2 * 2 * 16  # one layer of four has full attention
    assert shape_of(Model(init=str(tmp_path / "nowhere")), length=64) is None


def test_a_head_with_a_bias_is_known_from_the_configuration():
    with torch.device("meta"):
        policy = transformers.PhiForCausalLM(transformers.PhiConfig(num_hidden_layers=1))
    assert shape_of_policy(policy).head_problem == "its head has a bias"
