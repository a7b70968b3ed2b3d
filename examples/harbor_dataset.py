"""A directory of Harbor tasks as Gymnasium environments; here the directory is written first."""

import tempfile
from pathlib import Path

import gymnasium as gym

from tmax_gym import load_dataset, noop, oracle, rollout

FILES = {
    "task.toml": 'version = "1.0"\n[metadata]\ndifficulty = "easy"\n[agent]\ntimeout_sec = 300.0\n',
    "instruction.md": "Write hello to /app/hello.txt.\n",
    "environment/Dockerfile": "FROM tmax/core\nWORKDIR /app\n",
    "solution/solve.sh": "#!/bin/bash\necho hello > /app/hello.txt\n",
    "tests/test.sh": "#!/bin/bash\nif grep -q hello /app/hello.txt; then echo 1; else echo 0; fi"
    " > /logs/verifier/reward.txt\n",
}

with tempfile.TemporaryDirectory() as place:
    for name, content in FILES.items():
        file = Path(place, "greetings", "hello", name)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content)

    dataset = load_dataset(Path(place, "greetings"))
    print(dataset, dataset.ids)

    env = gym.make("greetings/hello")
    instruction, info = env.reset(seed=0)
    print(instruction.strip())
    print(env.step("echo hello > hello.txt; ls")[0])
    env.close()

    task = dataset.task("hello")
    for agent in (oracle(task), noop()):
        played = rollout(task, agent)
        print(agent.name, played.ending, played.reward)
