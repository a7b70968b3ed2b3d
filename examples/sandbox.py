"""Sandboxes without a task: files in, commands, files out, and what an agent cannot do."""

from tmax_gym.nodes import text
from tmax_gym.sandboxes import Limits, backend
from tmax_gym.sandboxes.images import default_image
from tmax_gym.shell import Shell

machines = backend("auto")  # native, docker, podman, apptainer, gvisor: the first that works
print("limits enforced:", {"memory", "pids", "cpu"} <= machines.capabilities())

sandbox = machines.open(default_image(), limits=Limits(memory=256 << 20, pids=64))
try:
    sandbox.put([text("/app/notes.txt", "one\ntwo\n")])
    result = sandbox.exec(["wc", "-l", "/app/notes.txt"])
    print(result.exit_code, result.stdout.decode().strip())

    # The shell keeps its state, and a command that takes too long costs nothing else.
    shell = Shell(sandbox, cwd="/app")
    shell.run("export COLOUR=green; cd /tmp")
    print(shell.run("sleep 60", timeout=0.5).timed_out)
    print(shell.run('echo "$COLOUR $PWD"').output.strip())

    # There is no network, and no process of the host.
    print(shell.run("exec 3<>/dev/tcp/1.1.1.1/53").exit_code)

    # `freeze` kills every process; what is left can still be read, and nothing can change it.
    sandbox.freeze()
    print([node.path for node in sandbox.get(["/app"]) if node.kind == "file"])
finally:
    sandbox.close()
