"""SkyRL's trainer on terminal tasks; takes the arguments of SkyRL's own entry point."""

import sys
from typing import Any

import ray
from skyrl.train.config import SkyRLTrainConfig
from skyrl.train.entrypoints.main_base import BasePPOExp
from skyrl.train.utils import initialize_ray, validate_cfg
from skyrl_gym.envs.registration import register

from tmax_gym.adapters.skyrl import TmaxGenerator


class Experiment(BasePPOExp):
    """An experiment whose episodes are repeated if a sandbox fails."""

    def get_generator(self, cfg: Any, tokenizer: Any, inference_engine_client: Any) -> Any:
        """Return SkyRL's generator, with repetitions."""
        gym = cfg.environment.skyrl_gym
        return TmaxGenerator(cfg.generator, gym, inference_engine_client, tokenizer)


@ray.remote(num_cpus=1)
def train(cfg: SkyRLTrainConfig) -> None:
    """Train in a process of its own, in which the environment is registered."""
    register("tmax", "tmax_gym.adapters.skyrl:TmaxEnv", kwargs={"backend": "native"})
    Experiment(cfg).run()


if __name__ == "__main__":
    cfg = SkyRLTrainConfig.from_cli_overrides(sys.argv[1:])
    validate_cfg(cfg)
    initialize_ray(cfg)
    ray.get(train.remote(cfg))
