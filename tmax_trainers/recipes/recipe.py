"""A training run as data: `Recipe` and its sections.

Every option of a run, with what it means and its default.  The published values of TMax are in
`recipes/*.yaml`, each beside its source.  `files.py` reads such files, `run.py` runs them.
"""

from __future__ import annotations

from dataclasses import asdict, field
from typing import Literal

from pydantic.dataclasses import dataclass

from tmax_gym.harbor.run.settings import Machines
from tmax_gym.validation import Closed
from tmax_trainers.dppo.loss.config import DPPOLossConfig


@dataclass(frozen=True, slots=True)
class Lora(Closed):
    """Low-rank adapters in place of full weights."""

    rank: int = 16
    alpha: float = 32.0
    dropout: float = 0.0
    targets: tuple[str, ...] = ()
    """Names of the layers; all linear ones but the head if empty."""


@dataclass(frozen=True, slots=True)
class Model(Closed):
    """The policy."""

    init: str = ""
    """A checkpoint that transformers can load by name or path; `tiny_llama` or `tiny_qwen3_5`
    for one made from scratch."""
    tokenizer: str = ""
    """Name or path; that of `init` if empty.  A policy from scratch learns its own words, or takes
    those of a `words.json`."""
    dtype: Literal["float32", "bfloat16"] = "float32"
    """Of computation and of the engine; weights and optimizer are float32, where a step of 1e-6
    does not round to nothing."""
    fp32_head: bool = True
    """Logits in float32, whatever the dtype; else in that of computation."""
    fused_head: bool = True
    """Compute head, loss and gradients in one pass, tile by tile; else all logits at once."""
    gradient_checkpointing: bool = False
    layers: int = 2
    """Of a policy from scratch."""
    width: int = 128
    """Of a policy from scratch."""
    heads: int = 4
    """Of a policy from scratch."""
    lora: Lora | None = None


@dataclass(frozen=True, slots=True)
class WarmStart(Closed):
    """Supervised training on episodes of the reference solutions, before anything else."""

    lessons: int = 1600
    """Episodes, each of another task."""
    steps: int = 2000
    """Optimizer steps at most."""
    epochs: float | None = None
    """Passes over the lessons; overrides `steps`."""
    tokens_per_batch: int = 512
    learning_rate: float = 2e-3
    schedule: Literal["constant", "linear", "cosine"] = "constant"
    warmup_share: float = 0.0
    """Share of the steps in which the learning rate rises; 20 steps if 0."""
    accuracy: float = 1.0
    """Mean accuracy of tokens over 25 steps that ends the warm start early."""


@dataclass(frozen=True, slots=True)
class Tasks(Closed):
    """Which tasks are practised, and which are held out."""

    source: str = "catalogue"
    """`catalogue`; or whatever `tmax bench` takes: a directory of Harbor tasks, `tmax15k:PATH`,
    `swe-smith`, ...; or `demo`, the one-command tasks of `tmax demo`, without an end."""
    split: Literal["train", "val", "test"] = "train"
    """Of the catalogue; others have no splits, and what is held out of them is drawn first."""
    families: tuple[str, ...] = ()
    """Slugs of the families to draw from; all if empty."""
    complexity: tuple[str, ...] = ()
    """Of: short, moderate, complex, intricate, or what the tasks of a dataset call their
    difficulty; all if empty."""
    order: Literal["shuffled", "curriculum"] = "shuffled"
    """`curriculum`: a first pass from easy to hard (`tmax_gym.tasks.curriculum`), shuffled ones
    after it; for the catalogue only."""
    limit: int | None = None
    """Only so many tasks, the first ones (the easiest ones of a curriculum); all if None."""
    held_out_split: Literal["train", "val", "test"] = "val"
    held_out: int = 64
    """Tasks of every evaluation; always the same."""
    retire_solved: int | None = None
    """Groups in a row, all solved, after which a task is not drawn again; None: never."""
    retire_hopeless: int | None = None
    """Groups in a row without any reward after which a task rests; None: never."""
    machines: Machines = field(default_factory=Machines)
    """Networks, wheels and images, as the options of `tmax bench`; tasks of the catalogue and of
    the demo have machines of their own."""


@dataclass(frozen=True, slots=True)
class Harness(Closed):
    """How policy and terminal talk."""

    name: Literal["bash", "plain", "mini", "openhands", "terminus2"] = "bash"
    """`bash` and `plain` write token streams by themselves; the others ask the policy through the
    capture endpoint (`tmax_trainers.capture`), which records them."""
    dialect: Literal["hermes", "qwen3", "fenced"] = "qwen3"
    """How tool calls are written; `fenced` for `bash` only."""
    thinking: bool = True
    """Replies begin inside a thinking block, which stays in the context."""
    max_format_errors: int = 3
    """Replies without a command in a row that end an episode; of `bash` and `plain`."""

    @property
    def captured(self) -> bool:
        """Return whether the capture endpoint records the episodes."""
        return self.name not in ("bash", "plain")


@dataclass(frozen=True, slots=True)
class Rollouts(Closed):
    """Episodes, groups and their pace."""

    groups_per_step: int = 8
    group_size: int = 32
    advantage: Literal["centred", "std", "maxrl", "rloo", "none"] = "centred"
    max_staleness: int = 4
    """Versions that a group may be old when it is trained on; older tokens are masked."""
    process: Literal["shared", "own"] = "shared"
    """`own`: sandboxes, agents and the order of tasks in a process of their own, which the
    trainer's work never holds up and whose death costs the episodes that ran; wants servers
    (sampling.engine vllm).  `shared`: in threads of the trainer's process."""
    fleet: str = ""
    """Nodes that play the episodes (`local:4`, `ray:auto`, `slurm:FILE`); "" for this machine."""
    fleet_room: int = 64
    """Episodes at the same time on each node."""
    fleet_host: str = ""
    """Address of the trainer's machine that nodes can reach; its name by default."""
    temperature: float = 1.0
    max_steps: int = 64
    """Commands of an episode."""
    overtaking: bool = True
    """Let finished groups pass slow ones; off where a run must be the same twice."""
    prompt_tokens: int = 2048
    turn_tokens: int = 16_384
    """Tokens of one reply."""
    response_tokens: int = 65_536
    """Tokens of an episode after its prompt."""
    concurrent: int = 512
    """Episodes at the same time."""
    starts: int = 64
    """Sandboxes that start at the same time."""
    commands: int = 256
    """Commands that run at the same time."""
    verifiers: int = 64
    """Episodes that are graded at the same time."""
    attempts: int = 3
    """Tries for an episode that infrastructure loses; then another group replaces its group."""
    patience: int = 100
    """Groups in a row without signal that end the run."""
    command_seconds: float = 30.0
    episode_seconds: float = 1200.0
    """Of all commands together."""
    wall_seconds: float = 7200.0
    """Of a whole episode, start and grading included; then it counts as lost, not as failed."""
    verify_seconds: float = 120.0
    backend: str = "auto"
    image: str | None = None


@dataclass(frozen=True, slots=True)
class Loss(Closed):
    """The objective; `tmax_trainers.dppo.loss.config.DPPOLossConfig` says what each value means."""

    objective: str = "dppo"
    """A name of the registry, or `package.module:function`."""
    divergence: Literal["binary_tv", "binary_kl"] = "binary_tv"
    delta_low: float | None = None
    delta_high: float | None = None
    is_cap: float | None = None
    clip_low: float | None = None
    clip_high: float | None = None
    tau_low: float | None = None
    tau_high: float | None = None
    ratio_to: Literal["behaviour", "proximal", "none"] = "behaviour"
    corrections: tuple[str, ...] = ()
    correction_low: float = 0.5
    correction_high: float | None = None
    opsm_delta: float = 1e-4
    aggregate: Literal["tokens", "sequences", "constant"] | None = None
    echo: float = 0.0


@dataclass(frozen=True, slots=True)
class Optimization(Closed):
    """The optimizer and how long it runs."""

    steps: int = 500
    learning_rate: float = 1e-6
    schedule: str = "constant"
    warmup_steps: int = 0
    weight_decay: float = 0.0
    beta_1: float = 0.9
    beta_2: float = 0.999
    epsilon: float = 1e-8
    max_grad_norm: float = 1.0
    gain_factor: float = 1.0
    """Learning rate of the gains of norms over that of matrices; 40 suits policies from scratch."""
    micro_batches: int = 32
    """Parts of an optimizer batch on each rank: they change memory and speed, not the gradient."""
    sequence_parallel: int = 1
    """Ranks that share every sequence, for long episodes; a divisor of all numbers of heads."""
    minutes: float | None = None
    """Time after which no further step begins, warm start left out; None: never."""
    packing: bool = False
    """Samples follow each other in one row instead of being padded; hybrids need their kernels."""


@dataclass(frozen=True, slots=True)
class Sampling(Closed):
    """The engine that samples."""

    engine: Literal["transformers", "vllm"] = "transformers"
    slots: int = 64
    """Turns decoded at once by the engine of this process."""
    servers: tuple[str, ...] = ()
    """Addresses of vLLM servers as `tmax serve` prints them."""
    directory: str = ""
    """Where weights are written for servers, shared with all of them; shared memory of this
    machine if empty."""


@dataclass(frozen=True, slots=True)
class Saving(Closed):
    """Checkpoints and evaluations."""

    checkpoint_every: int = 10
    """Steps; 0 for none."""
    keep: int = 2
    """Newest checkpoints that are kept, besides the best one."""
    evaluate_every: int = 10
    """Steps; 0 for none."""


@dataclass(frozen=True, slots=True)
class Watching(Closed):
    """Metrics, traces and alarms."""

    report_to: tuple[str, ...] = ()
    """Of: trackio, wandb, tensorboard."""
    traces: bool = True
    """Write every episode that was finished to `rollouts.jsonl`."""
    logp_gap: float = 0.1
    """Mean |log π − log μ| above which the alarm is raised."""
    stop_logp_gap: float | None = None
    """Mean |log π − log μ| of tokens that the present weights sampled, above which the run stops.
    There the policy has not moved: the gap is that of engine and trainer alone, for which prime-rl
    accepts 0.015.  None: never."""
    entropy_low: float = 0.01
    """Nats a token below which the alarm is raised."""
    entropy_high: float = 3.0
    """Nats a token above which the alarm is raised."""
    reward_drop: float = 0.5
    """Share of the best mean of ten steps whose loss raises the alarm."""


@dataclass(frozen=True, slots=True)
class Cluster(Closed):
    """Machines; read by `--dry-run`, by checks before a run, and by people."""

    nodes: int = 1
    trainer_processes: int = 1
    engines: int = 1
    tensor_parallel: int = 1
    sequence_parallel: int = 1
    """What the published run used; `optimization.sequence_parallel` is this trainer's."""
    accelerate: str = ""
    """Name of a configuration in `recipes/accelerate/`; plain Python if empty."""
    gpu_gib: float | None = None
    """Memory of a trainer's card; `--dry-run` refuses what needs more.  None: not checked."""
    engine_gib: float = 0.0
    """What servers take of that card, where they share it with the trainer."""


@dataclass(frozen=True, slots=True)
class Recipe(Closed):
    """One run."""

    name: str
    about: str
    seed: int = 42
    model: Model = field(default_factory=Model)
    warm_start: WarmStart | None = None
    tasks: Tasks = field(default_factory=Tasks)
    harness: Harness = field(default_factory=Harness)
    rollouts: Rollouts = field(default_factory=Rollouts)
    loss: Loss = field(default_factory=Loss)
    optimization: Optimization = field(default_factory=Optimization)
    sampling: Sampling = field(default_factory=Sampling)
    saving: Saving = field(default_factory=Saving)
    watching: Watching = field(default_factory=Watching)
    cluster: Cluster = field(default_factory=Cluster)

    def __post_init__(self) -> None:
        """Refuse an engine out of reach, an impossible loss, and what a harness cannot do."""
        self.loss_options()
        if self.warm_start is not None and self.harness.captured:
            raise ValueError(
                f"harness.name is {self.harness.name} and there is a warm_start, whose lessons "
                "only bash and plain can write. Set warm_start=null and start from a model that "
                "can call tools"
            )
        if self.harness.dialect == "fenced" and self.harness.captured:
            raise ValueError(
                f"harness.dialect is fenced and harness.name is {self.harness.name}: only bash "
                "reads fenced blocks. Set harness.dialect=hermes or qwen3"
            )
        if self.rollouts.process == "own" and self.sampling.engine == "transformers":
            raise ValueError(
                "rollouts.process is own and sampling.engine is transformers: that engine shares "
                "its weights with the trainer in the memory of one process, where no other one "
                "can sample. Set rollouts.process=shared, or start servers with `tmax serve` and "
                "set sampling.engine=vllm"
            )

    def loss_options(self) -> DPPOLossConfig:
        """Return the loss; the longest episode is that of the rollouts."""
        return DPPOLossConfig(**asdict(self.loss), longest=self.rollouts.response_tokens)
