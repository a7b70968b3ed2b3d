"""Estimate the memory of one trainer GPU from a model's shape and the largest micro-batch.

Covers float32 weights, gradients and the two states of AdamW, whole or sharded; activations with
and without gradient checkpointing; the fused head and whole logits; LoRA; and a warm start.  It
adds parts that are not all there at the same moment, so it errs on the side of too much.  Checked
on CPUs, where states are exact; nothing here was measured on a GPU.
Does not cover recurrent layers without the kernels of `flash-linear-attention`, or attention that
is not computed block by block.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

from tmax_trainers.recipes.plan.shapes import ModelShape

GIB = 1 << 30
FLOAT32 = 4
"""Bytes of a weight, of its gradient, and of each of AdamW's two states."""
FULL = 0.9
"""Share of a card that may be planned for.  The rest is for CUDA's context, the buffers of NCCL
and what the allocator cannot use: a margin by choice, not a measurement."""
_CHUNK = 64
"""Tokens of a chunk in the kernels of `flash-linear-attention`, which keep one state a chunk."""
_STATE = 128
"""Size of a key of a gated-delta layer (`linear_key_head_dim` of Qwen3.5)."""


@dataclass(frozen=True, slots=True)
class Workload:
    """What one trainer process has to hold."""

    rows: int
    """Rows of the largest micro-batch."""
    length: int
    """Tokens of its longest row, or of a rank's part of it."""
    ranks: int = 1
    """Ranks that share every row."""
    shards: int = 1
    """Processes among which weights, gradients and optimizer are split."""
    replicas: int = 1
    """Processes that each hold all of them."""
    half: bool = True
    """Compute in bfloat16 under autocast."""
    checkpointing: bool = True
    """Keep one hidden state a layer and compute each layer again."""
    fused_head: bool = True
    tile: int = 0
    """Bytes of a tile of the fused head."""
    adapters: int | None = None
    """Trained values, where only LoRA adapters are trained."""
    packing: bool = False

    @property
    def tokens(self) -> int:
        """Return the tokens of the largest micro-batch, padding included."""
        return self.rows * self.length

    @property
    def width(self) -> int:
        """Return the bytes of a value in products."""
        return 2 if self.half else FLOAT32

    @property
    def stream(self) -> int:
        """Return the bytes of a value in the hidden state between layers.

        Autocast leaves it in float32, because embeddings and norms are; sharded weights are
        gathered in bfloat16, and so is the embedding.
        """
        return 2 if self.half and self.shards > 1 else FLOAT32


@dataclass(frozen=True, slots=True)
class Memory:
    """Bytes of each part."""

    parameters: int
    gradients: int
    optimizer: int
    activations: int
    """Kept from the forward pass for the backward pass."""
    layer: int
    """One layer while it is computed again and differentiated."""
    head: int
    """Head, loss and their gradients."""
    copies: int
    """Gathered or rounded copies of weights, and their gradients before they are split."""
    shared: int = 0
    """What an engine takes of the same card."""

    @property
    def total(self) -> int:
        """Return the sum of all parts."""
        return sum(getattr(self, part.name) for part in fields(self))


def training(shape: ModelShape, load: Workload) -> Memory:
    """Return the memory of one optimizer step."""
    trained = shape.parameters if load.adapters is None else load.adapters
    held = shape.parameters + (load.adapters or 0)
    saved, working = layer_bytes(shape, load)
    if load.checkpointing:
        activations = shape.layers * load.tokens * shape.hidden * load.stream
        layer = load.tokens * (saved + working)
    else:
        activations = shape.layers * load.tokens * saved
        layer = load.tokens * working
    if load.packing:
        layer += load.tokens**2 * (1 + load.width)  # a mask of Booleans, and one in that type
    return Memory(
        parameters=FLOAT32 * held // load.shards,
        gradients=FLOAT32 * trained // load.shards,
        optimizer=2 * FLOAT32 * trained // load.shards,
        activations=activations,
        layer=layer,
        head=head_bytes(shape, load),
        copies=copied_bytes(shape, load),
    )


def layer_bytes(shape: ModelShape, load: Workload) -> tuple[int, int]:
    """Return bytes a token that a layer saves, and those of its backward pass besides.

    Saved: two norms in float32 with their inputs and outputs; queries, keys and values before and
    after rotation; four values of the width of the feed-forward part.  Recurrent layers save more
    of their width.  Backward: the gradients of the feed-forward part or, if they are more, of a
    recurrent layer, with its state of every chunk and the gradient of that.
    """
    wide, stream = load.width, load.stream
    saved = shape.hidden * (4 * stream + 4 * FLOAT32 + 2 * wide)
    saved += 4 * shape.intermediate * wide
    working = 3 * shape.intermediate * wide + shape.hidden * stream
    if shape.attention == "full":
        return saved + 8 * shape.mixer * wide, working
    states = 2 * shape.mixer * _STATE // _CHUNK
    recurrent = (8 * shape.mixer + states) * wide
    if load.ranks > 1:  # each rank reads the whole sequence, with a share of the heads
        saved += load.ranks * shape.hidden * wide
    return saved + 12 * shape.mixer * wide, max(working, recurrent)


def head_bytes(shape: ModelShape, load: Workload) -> int:
    """Return the bytes of head and loss.

    Fused: three halves of a tile beside it (its powers, and its bfloat16 copy), the gradient of the
    head in float32 and as it is handed on, and of its input.  Not fused: the logits, then in
    float32 scaled logits, log-probabilities and their gradient, and the gradient of the logits.
    """
    weight = shape.vocabulary * shape.hidden
    if not load.fused_head:
        return load.tokens * shape.vocabulary * (2 * load.width + 3 * FLOAT32)
    gradient = 0 if load.adapters is not None else weight * (FLOAT32 + load.width)
    rows = load.tokens * shape.hidden * (FLOAT32 + load.width)
    return load.tile * 5 // 2 + gradient + rows


def copied_bytes(shape: ModelShape, load: Workload) -> int:
    """Return the bytes of copies of weights.

    Sharded: two layers gathered, one of them with its gradient, and embedding and head with
    theirs.  Whole: all weights in bfloat16, which autocast keeps until the forward pass ends, and
    among several processes the buckets in which gradients are summed.
    """
    ends = shape.vocabulary * shape.hidden * (1 if shape.tied else 2)
    if load.shards > 1:
        each = (shape.parameters - ends) // shape.layers
        frozen = load.adapters is not None
        return load.width * ((2 if frozen else 3) * each + (1 if frozen else 2) * ends)
    rounded = shape.parameters * load.width if load.half else 0
    trained = shape.parameters if load.adapters is None else load.adapters
    return rounded + (FLOAT32 * trained if load.replicas > 1 else 0)


def warm_start(shape: ModelShape, *, tokens: int, checkpointing: bool) -> Memory:
    """Return the memory of supervised training before the run: one process, float32, all logits.

    Args:
        shape: Of the model.
        tokens: Of a batch, padding included.
        checkpointing: As in the run.
    """
    load = Workload(1, tokens, half=False, checkpointing=checkpointing, fused_head=False)
    return training(shape, load)


def adapter_parameters(shape: ModelShape, rank: int) -> int:
    """Return about how many values LoRA adapters on all linear layers but the head have."""
    attention = 4 * (shape.hidden + shape.mixer)
    feed_forward = 3 * (shape.hidden + shape.intermediate)
    return rank * shape.layers * (attention + feed_forward)


def engine_bytes(shape: ModelShape, *, width: int, slots: int, length: int) -> int:
    """Return the bytes of transformers' engine: its own weights, and the cache of every slot."""
    return width * (shape.parameters + slots * length * shape.cached)
