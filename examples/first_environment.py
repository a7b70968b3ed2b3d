"""One task as a Gymnasium environment: look around, give up, then solve it."""

import gymnasium as gym

from tmax_gym import SUBMIT

env = gym.make("tmax_gym:tmax/bulk-rename.archive-0030")
instruction, info = env.reset(seed=0)
print(instruction)

# An action is a command for one bash that lasts; an observation is what it printed.
observation, reward, terminated, truncated, info = env.step("cd /app && wc -c *")
print(observation)

# The command SUBMIT ends the episode, and only now is anything graded.
observation, reward, terminated, truncated, info = env.step(SUBMIT)
print("nothing done:", reward, info["ending"])

# The next reset starts a fresh sandbox. Every task of the catalogue has a reference solution.
env.reset(seed=0)
for command in env.unwrapped.task.oracle:
    print("$", command)
    env.step(command)
observation, reward, terminated, truncated, info = env.step(SUBMIT)
print("solved:", reward, {name: info[name] for name in info if name.startswith("part/")})
env.close()
