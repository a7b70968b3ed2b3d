"""Four terminals of one task side by side: the group that an advantage is taken over."""

import gymnasium as gym

from tmax_gym import SUBMIT

envs = gym.make_vec("tmax_gym:tmax/bulk-rename.archive-0030", num_envs=4)
instructions, infos = envs.reset(seed=0)
print(instructions[0])

# One command a terminal. They run at the same time, each in a sandbox of its own.
old, new = "/app/closure_dates.log", "/app/reader_requests.log"
commands = (f"mv {old} {new}", f"cp {old} {new}", f"rm {old}", "true")
envs.step(commands)

# Episodes need not end together: here the last terminal works on.
submits = (SUBMIT, SUBMIT, SUBMIT, "ls /app")
observations, rewards, terminated, truncated, infos = envs.step(submits)
print("rewards:", rewards.tolist())
print("ended:", (terminated | truncated).tolist(), "running:", envs.running.tolist())

# A terminal whose episode has ended does nothing until it is reset.
observations, rewards, terminated, truncated, infos = envs.step([SUBMIT] * 4)
print("rewards:", rewards.tolist(), "idle:", infos["idle"].tolist())
envs.reset(options={"reset_mask": ~envs.running})
envs.close()
