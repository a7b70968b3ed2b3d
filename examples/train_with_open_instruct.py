"""open-instruct's GRPO on terminal tasks; takes the arguments of its own script."""

import runpy

from tmax_gym.adapters import open_instruct

if __name__ == "__main__":
    print(f"--tools knows {open_instruct.TmaxTextEnv.config_name}")  # its import made it known
    runpy.run_module("open_instruct.grpo_fast", run_name="__main__")
