"""`tmax fleet`: start nodes that work for the driver of a fleet."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

fleet = typer.Typer(help="Nodes that play and validate for a driver elsewhere.")
kubernetes = typer.Typer(help="Resources for `kubectl apply -f -`, never run on a cluster yet.")
fleet.add_typer(kubernetes, name="kubernetes")
File = Annotated[Path, typer.Argument(help="Where the driver writes its address.")]
Room = Annotated[int, typer.Option(min=1, help="Leases at the same time on a node.")]
Namespace = Annotated[str, typer.Option("-n", "--namespace", help="Of the cluster.")]


@fleet.command()
def node(
    file: File,
    *,
    room: Room = 64,
    idle: Annotated[
        float, typer.Option(min=0, help="Seconds without a driver to end after; 0: with the first.")
    ] = 600.0,
    name: Annotated[str, typer.Option(help="Of this node; the host's name if not given.")] = "",
) -> None:
    """Work for the drivers whose address is in a file, one after the other."""
    from tmax_gym.fleet.nodes.serving import serve

    drivers = serve(file, room=room, idle=idle, name=name)
    print(f"worked for {drivers} {'driver' if drivers == 1 else 'drivers'}")


@fleet.command()
def slurm(
    file: File,
    *,
    nodes: Annotated[int, typer.Option("-n", "--nodes", min=1, help="Nodes of the array.")] = 1,
    cpus: Annotated[int, typer.Option(min=1, help="Cores of each.")] = 16,
    memory: Annotated[int, typer.Option(min=1, help="GiB of memory of each.")] = 32,
    minutes: Annotated[int, typer.Option(min=1, help="Longest time of each.")] = 720,
    room: Room = 64,
    idle: Annotated[float, typer.Option(min=1, help="Seconds without a driver to end after.")] = (
        600.0
    ),
    partition: Annotated[str, typer.Option("-p", help="Of the cluster; its default one.")] = "",
    option: Annotated[
        list[str] | None, typer.Option("-o", "--option", help="An option of sbatch, as --qos=low.")
    ] = None,
    only_print: Annotated[
        bool, typer.Option("--print", help="Print the script in place of submitting it.")
    ] = False,
) -> None:
    """Submit a Slurm job array of nodes, for `--fleet slurm:FILE`."""
    from tmax_gym.fleet.nodes.slurm import Array, script, submit

    array = Array(nodes, cpus, minutes, memory, room, idle, partition, tuple(option or ()))
    text = script(file.absolute(), array)
    if only_print:
        print(text, end="")
        return
    print(f"job {submit(text)}: {nodes} nodes; use them with --fleet slurm:{file}")


@kubernetes.command()
def nodes(
    file: File,
    *,
    image: Annotated[str, typer.Option(help="With `tmax`, and the images of tasks in its cache.")],
    number: Annotated[int, typer.Option("--nodes", min=1, help="Pods of the Deployment.")] = 1,
    cpus: Annotated[int, typer.Option(min=1, help="Cores of each.")] = 16,
    memory: Annotated[int, typer.Option(min=1, help="GiB of memory of each.")] = 32,
    room: Room = 64,
    namespace: Namespace = "default",
    privileged: Annotated[
        bool,
        typer.Option(help="All rights for pods, or only those that the backend native must have."),
    ] = True,
) -> None:
    """Print a Deployment of nodes, and the driver's Secret if its file is there."""
    from tmax_gym.fleet.nodes.kubernetes_pods import Pods, deployment, policy, secret, together

    pods = Pods(image, number, cpus, memory, room, namespace, privileged)
    secrets = [secret(file, namespace=namespace)] if file.exists() else []
    print(json.dumps(together(*secrets, policy(pods), deployment(pods)), indent=2))


@kubernetes.command("secret")
def driver_secret(file: File, *, namespace: Namespace = "default") -> None:
    """Print the Secret of another driver, which the nodes will work for."""
    from tmax_gym.fleet.nodes.kubernetes_pods import secret

    print(json.dumps(secret(file, namespace=namespace), indent=2))


@kubernetes.command()
def sandboxes(
    *,
    namespace: Namespace = "tmax-sandboxes",
    account: Annotated[str, typer.Option(help="Namespace of the driver's account.")] = "default",
) -> None:
    """Print what the sandbox backend `kubernetes` needs: namespace, rights, no network."""
    from tmax_gym.fleet.nodes.kubernetes_pods import together
    from tmax_gym.sandboxes.kubernetes.rights import resources

    print(json.dumps(together(*resources(namespace, account_namespace=account)), indent=2))
