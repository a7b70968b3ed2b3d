"""Node workers as a Deployment: the resources, and a node that is started as a kubelet would."""

import base64
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.support.fleet_jobs import Echo, works
from tmax_gym.errors import FleetError
from tmax_gym.fleet.clusters import open_cluster
from tmax_gym.fleet.driver import Driver
from tmax_gym.fleet.leases import MEMORY, LeaseBook
from tmax_gym.fleet.nodes.kubernetes_pods import FILE, PLACE, Pods, deployment, policy, secret
from tmax_gym.sandboxes.kubernetes.rights import resources

PODS = Pods("registry.example/tmax:1", nodes=3, cpus=8, memory_gib=16, room=4)
ADDRESS = '{"host": "10.0.0.7", "port": 4711, "key": "00ff"}'


@pytest.fixture
def address(tmp_path: Path) -> Path:
    file = tmp_path / "driver.json"
    file.write_text(ADDRESS)
    return file


def test_every_resource_is_what_the_official_client_calls_one(address: Path) -> None:
    client = pytest.importorskip("kubernetes.client", reason="needs the extra `kubernetes`")
    api = client.ApiClient()
    plain = Pods(**{**{k: getattr(PODS, k) for k in Pods.__slots__}, "privileged": False})
    every = [deployment(PODS), deployment(plain), policy(PODS), secret(address, namespace="n"),
             *resources("s", account_namespace="n")]  # fmt: skip
    for resource in every:
        # Wrong types are refused, and what the client does not know does not come back.
        read = api.deserialize(json.dumps(resource), f"V1{resource['kind']}", "application/json")
        assert api.sanitize_for_serialization(read) == resource, resource["kind"]


def container(pods: Pods = PODS) -> dict[str, Any]:
    found: dict[str, Any] = deployment(pods)["spec"]["template"]["spec"]["containers"][0]
    return found


def test_a_deployment_selects_its_own_pods() -> None:
    spec = deployment(PODS)["spec"]
    labels = spec["template"]["metadata"]["labels"]
    assert spec["selector"]["matchLabels"].items() <= labels.items() and spec["replicas"] == 3
    assert policy(PODS)["spec"]["podSelector"]["matchLabels"].items() <= labels.items()
    assert container()["resources"]["requests"] == {"cpu": "8", "memory": "16Gi"}


def test_the_secret_holds_the_drivers_file(address: Path, tmp_path: Path) -> None:
    assert base64.b64decode(secret(address, namespace="n")["data"][FILE]).decode() == ADDRESS
    with pytest.raises(FleetError, match="start the driver first"):
        secret(tmp_path / "none", namespace="n")


def test_rights_are_for_sandboxes_and_their_pods_alone() -> None:
    by_kind = {resource["kind"]: resource for resource in resources("s", account_namespace="n")}
    named = {r for rule in by_kind["Role"]["rules"] for r in rule["resources"]}
    assert named == {"sandboxes", "pods", "pods/attach", "pods/exec"}
    rules = by_kind["NetworkPolicy"]["spec"]
    assert rules == {"podSelector": {}, "policyTypes": ["Ingress", "Egress"]}  # nothing is allowed


class Mounted:
    """A Secret as a kubelet mounts it: links to a directory that is replaced as a whole."""

    def __init__(self, place: Path) -> None:
        self.place = place
        place.mkdir()
        (place / FILE).symlink_to(f"..data/{FILE}")

    def renew(self, data: dict[str, str], version: str) -> None:
        directory = self.place / f"..{version}"
        directory.mkdir()
        for name, value in data.items():
            (directory / name).write_bytes(base64.b64decode(value))
        (self.place / "..new").symlink_to(directory.name)
        (self.place / "..new").rename(self.place / "..data")


def test_the_containers_command_works_for_one_driver_after_the_other(tmp_path: Path) -> None:
    (mount,) = container()["volumeMounts"]
    mounted = Mounted(tmp_path / "mounted")
    values = {"$(POD_NAME)": "pod-7"}
    words = [values.get(word, word) for word in container()["command"]]
    words = [word.replace(f"{mount['mountPath']}/", f"{mounted.place}/") for word in words]
    assert mount["mountPath"] == PLACE and not any("$(" in word for word in words)
    node = subprocess.Popen(
        [str(Path(sys.executable).with_name(words[0])), *words[1:]],
        cwd=Path(__file__).parents[2], stdout=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
    )  # fmt: skip
    try:
        for life in ("first", "second"):
            file = tmp_path / f"{life}.json"
            cluster = open_cluster(f"nodes:{file}", host="127.0.0.1")
            with Driver(cluster, LeaseBook(MEMORY, job="echo"), Echo()) as fleet:
                mounted.renew(secret(file, namespace="n")["data"], life)
                results = {work.key: future.result() for work, future in fleet.results(works(8))}
                assert {value.split()[0] for value in results.values()} == {str(node.pid)}
                assert [n.name.split(".")[0] for n in cluster.nodes()] == ["pod-7"]
        node.send_signal(signal.SIGTERM)
        begun = time.monotonic()
        assert node.communicate(timeout=60)[0] == "worked for 2 drivers\n"
        grace = deployment(PODS)["spec"]["template"]["spec"]["terminationGracePeriodSeconds"]
        assert node.returncode == 0 and time.monotonic() - begun < grace
    finally:
        node.kill()
        node.wait()


def test_what_is_printed_is_one_list(address: Path) -> None:
    from typer.testing import CliRunner

    from tmax_gym.cli import app

    words = ["fleet", "kubernetes", "nodes", str(address), "--image", "i", "--nodes", "5"]
    printed = json.loads(CliRunner().invoke(app, words).stdout)
    assert [item["kind"] for item in printed["items"]] == ["Secret", "NetworkPolicy", "Deployment"]
    assert printed["items"][2]["spec"]["replicas"] == 5
    printed = json.loads(CliRunner().invoke(app, ["fleet", "kubernetes", "sandboxes"]).stdout)
    assert printed["kind"] == "List" and printed["items"][0]["kind"] == "Namespace"
