"""`task.toml`, read and written."""

import json
import tomllib
from dataclasses import fields
from typing import Any

import pytest
import tomli_w
from hypothesis import given
from hypothesis import strategies as st

from tests.support.json_schema import faults, schema
from tmax_gym.errors import HarborError
from tmax_gym.harbor.tasks import config as c
from tmax_gym.harbor.tasks.config import Artifact, Author, Collect, TaskConfig, parse
from tmax_gym.harbor.tasks.templates import missing, resolve

FULL = """
schema_version = "1.4"
source = "somewhere"
multi_step_reward_strategy = "final"
artifacts = ["/app/out", { source = "/var/log", destination = "log", exclude = ["*.gz"] }]
[task]
name = "org/hello"
version = "2"
description = "d"
keywords = ["k"]
authors = [{ name = "A", email = "a@b.c" }, { name = "B" }]
[metadata]
difficulty = "hard"
nested = { when = 1979-05-27T07:32:00Z }
[agent]
timeout_sec = 1200
user = "agent"
network_mode = "no-network"
[verifier]
timeout_sec = 30.5
user = 0
env = { KEY = "${KEY}" }
environment_mode = "separate"
[[verifier.collect]]
command = "dump"
timeout_sec = 5
user = "root"
[verifier.environment]
docker_image = "v:1"
[environment]
build_timeout_sec = 10
docker_image = "x:2"
os = "Linux"
cpus = 1.5
memory_mb = 4096
storage_mb = 10240
gpus = 1
gpu_types = ["H100"]
env = { A = "${A:-b}" }
workdir = "/work"
network_mode = "allowlist"
allowed_hosts = ["*.Example.com", "10.0.0.0/8", "files.example.org."]
skills_dir = "/skills"
[environment.tpu]
type = "v6e"
topology = "2x4"
[environment.healthcheck]
command = "true"
retries = 5
[[environment.mcp_servers]]
name = "s"
transport = "stdio"
command = "srv"
args = ["-x"]
[solution]
env = { B = "c" }
[[steps]]
name = "one"
min_reward = 0.5
[[steps]]
name = "two"
min_reward = { a = 1, b = 0.25 }
agent = { timeout_sec = 7 }
"""


def test_every_field_of_a_full_file_is_read() -> None:
    found = parse(FULL)
    assert found.task == c.Package(
        "org/hello", "2", "d", (Author("A", "a@b.c"), Author("B")), ("k",)
    )
    assert found.artifacts == (
        Artifact("/app/out"),
        Artifact("/var/log", "log", ("*.gz",)),
    )
    assert found.agent == c.AgentConfig(1200.0, "agent", network_mode="no-network")
    assert found.verifier == c.VerifierConfig(
        30.5,
        {"KEY": "${KEY}"},
        0,
        "separate",
        c.EnvironmentConfig(docker_image="v:1"),
        (Collect("dump", timeout_sec=5.0, user="root"),),
    )
    assert found.environment == c.EnvironmentConfig(
        build_timeout_sec=10.0,
        docker_image="x:2",
        cpus=1.5,
        memory_mb=4096,
        storage_mb=10240,
        gpus=1,
        gpu_types=("H100",),
        tpu=c.Tpu("v6e", "2x4"),
        env={"A": "${A:-b}"},
        workdir="/work",
        network_mode="allowlist",
        allowed_hosts=("*.example.com", "10.0.0.0/8", "files.example.org"),
        skills_dir="/skills",
        mcp_servers=(c.McpServer("s", "stdio", None, "srv", ("-x",)),),
        healthcheck=c.Healthcheck("true", retries=5),
    )
    assert found.solution.env == {"B": "c"}
    assert (found.source, found.multi_step_reward_strategy) == ("somewhere", "final")
    assert [s.min_reward for s in found.steps] == [{"reward": 0.5}, {"a": 1.0, "b": 0.25}]
    assert found.steps[1].agent.timeout_sec == 7.0
    assert found.metadata["difficulty"] == "hard"


def test_the_full_file_is_valid_by_harbors_schema() -> None:
    rows = json.loads(json.dumps(tomllib.loads(FULL), default=str))
    rows["environment"]["os"] = "linux"  # Harbor lowers it before it looks
    assert faults(rows, "task") == []


def test_an_empty_file_has_all_the_defaults() -> None:
    assert parse("") == TaskConfig()


@pytest.mark.parametrize(
    ("kind", "ours"),
    [
        ("EnvironmentConfig", c.EnvironmentConfig()),
        ("AgentConfig", c.AgentConfig()),
        ("VerifierConfig", c.VerifierConfig()),
        ("HealthcheckConfig", c.Healthcheck("")),
        ("VerifierCollectConfig", c.Collect("")),
        ("MCPServerConfig", c.McpServer("")),
    ],
)
def test_defaults_are_harbors(kind: str, ours: Any) -> None:
    theirs = {
        name: field["default"]
        for name, field in schema("task")["$defs"][kind]["properties"].items()
        if "default" in field
    }
    same = {f.name for f in fields(ours)} & set(theirs)
    assert len(same) >= 2
    for name in same - {"gpu_types", "allowed_hosts"}:  # an absent list is an empty one here
        assert getattr(ours, name) == theirs[name], name


def test_every_field_of_harbors_schema_is_known_here() -> None:
    root = schema("task")
    for kind, ours in (
        (root["$defs"]["EnvironmentConfig"], c.EnvironmentConfig),
        (root["$defs"]["AgentConfig"], c.AgentConfig),
        (root["$defs"]["VerifierConfig"], c.VerifierConfig),
        (root["$defs"]["StepConfig"], c.StepConfig),
        (root["$defs"]["ArtifactConfig"], c.Artifact),
        (root["$defs"]["PackageInfo"], c.Package),
        (root, c.TaskConfig),
    ):
        assert (
            set(kind["properties"]) - {f.name for f in fields(ours)} - {"allow_internet"} == set()
        )


@pytest.mark.parametrize("version", ["1.0", "1.1", "1.2", "1.3", "1.4", "1.5", "1.9", "1.10"])
def test_every_schema_version_is_read(version: str) -> None:
    assert parse(f'schema_version = "{version}"').schema_version == version
    assert parse(f'version = "{version}"').schema_version == version


def test_a_legacy_version_that_is_no_schemas_is_taken_for_the_first_schema() -> None:
    assert parse('version = "0.0"').schema_version == "1.0"


@pytest.mark.parametrize(
    ("size", "megabytes"),
    [("2G", 2048), ("512M", 512), ("1.5g", 1536), ("2048K", 2), ("4GB", 4096)],
)
def test_legacy_sizes_are_read(size: str, megabytes: int) -> None:
    environment = parse(f'[environment]\nmemory = "{size}"\nstorage = "{size}"').environment
    assert (environment.memory_mb, environment.storage_mb) == (megabytes, megabytes)


@pytest.mark.parametrize(
    ("written", "version"), [("1", "1.0"), ("v1.5", "1.5"), ("1.4.2", "1.4"), (" 1.3 ", "1.3")]
)
def test_a_schema_version_may_be_spelt_in_other_ways(written: str, version: str) -> None:
    assert parse(f'schema_version = "{written}"').schema_version == version


def test_a_later_minor_schema_may_have_fields_that_are_not_known_here() -> None:
    config = parse('schema_version = "1.9"\n[agent]\ntimeout_sec = 5\npatience = "high"')
    assert config == TaskConfig("1.9", agent=c.AgentConfig(5.0))


@pytest.mark.parametrize("name", ["plain", "org/x", "two words", "Übung 1", "a+b@2", "org/Æ"])
def test_a_task_needs_no_organisation_in_its_name(name: str) -> None:
    package = parse(f'[task]\nname = "{name}"').task
    assert package is not None
    assert package.name == name


@pytest.mark.parametrize(
    ("written", "seconds"),
    [
        ('"10m"', 600.0),
        ('"90s"', 90.0),
        ('"1h"', 3600.0),
        ('"1h30m"', 5400.0),
        ('"1.5h"', 5400.0),
        ('"2m 30s"', 150.0),
        ('"1 hour, 5 minutes and 3 seconds"', 3903.0),
        ('"500ms"', 0.5),
        ('"1d"', 86400.0),
        ('" 900 "', 900.0),
        ('"1e3"', 1000.0),
    ],
)
def test_times_may_have_units(written: str, seconds: float) -> None:
    text = f"""
[agent]
timeout_sec = {written}
[verifier]
timeout_sec = {written}
[[verifier.collect]]
command = "true"
timeout_sec = {written}
[environment]
build_timeout_sec = {written}
[environment.healthcheck]
command = "true"
interval_sec = {written}
timeout_sec = {written}
start_period_sec = {written}
start_interval_sec = {written}
[[steps]]
name = "one"
agent = {{ timeout_sec = {written} }}
"""
    config = parse(text)
    check = config.environment.healthcheck
    assert check == c.Healthcheck("true", seconds, seconds, seconds, seconds)
    assert config.environment.build_timeout_sec == seconds
    assert config.verifier.collect == (Collect("true", timeout_sec=seconds),)
    assert [config.agent.timeout_sec, config.verifier.timeout_sec] == [seconds, seconds]
    assert config.steps[0].agent.timeout_sec == seconds


@pytest.mark.parametrize(
    ("text", "megabytes"),
    [
        ("memory = 2147483648", 2048),
        ('memory = "2147483648"', 2048),
        ("memory = 2147483648.0", 2048),
        ('memory = "536870912B"', 512),
        ('memory = "2GiB"', 2048),
        ('memory = "2 Gi"', 2048),
        ('memory = "2gb"', 2048),
        ('memory = "1T"', 1 << 20),
        ('memory = "1e3M"', 1000),
        ('memory_mb = "2048"', 2048),
        ('memory_mb = "2G"', 2048),
        ('memory_mb = "512 MiB"', 512),
        ('memory_mb = "1.5g"\nmemory = "1536M"', 1536),
        ("memory_mb = 4096\nmemory = 3", 4096),  # Harbor reads a legacy number nowhere
    ],
)
def test_sizes_may_be_in_bytes_or_have_units(text: str, megabytes: int) -> None:
    both = f"{text}\n{text.replace('memory', 'storage')}"
    environment = parse(f"[environment]\n{both}").environment
    assert (environment.memory_mb, environment.storage_mb) == (megabytes, megabytes)


@pytest.mark.parametrize(
    ("text", "mode"),
    [
        ("allow_internet = false", "no-network"),
        ("allow_internet = true", "public"),
        ('allow_internet = false\nnetwork_mode = "public"', "public"),
    ],
)
def test_the_legacy_switch_of_the_network_is_read(text: str, mode: str) -> None:
    assert parse(f"[environment]\n{text}").environment.network_mode == mode


def test_unknown_keys_are_ignored() -> None:
    text = '[agent]\nfuture = [1]\n[new_table]\nx = 1\n[environment]\nlegacy = "y"'
    assert parse(text) == TaskConfig()


def test_numbers_may_be_written_as_texts() -> None:
    assert parse('[agent]\ntimeout_sec = "900"').agent.timeout_sec == 900.0
    assert parse("[environment]\nmemory_mb = 2048.0").environment.memory_mb == 2048


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("schema_version = \n", "task.toml is not TOML"),
        (
            'schema_version = "2.0"',
            "task.toml: schema_version is '2.0', not known: this reads 1.0,",
        ),
        ("schema_version = 1.1", "task.toml: schema_version is 1.1, not text"),
        ("[agent]\ntimeout_sec = nan", "task.toml: agent.timeout_sec is nan, not a finite number"),
        ("[agent]\ntimeout_sec = -inf", "agent.timeout_sec is -inf, not a finite number"),
        ("[agent]\ntimeout_sec = -1", "agent.timeout_sec is -1, not a time"),
        ("[agent]\ntimeout_sec = true", "agent.timeout_sec is True, not a number"),
        ('[agent]\ntimeout_sec = "soon"', "agent.timeout_sec is 'soon', not a number"),
        ("agent = 3", "task.toml: agent is 3, not a table"),
        ("[environment]\nmemory_mb = 1.5", "environment.memory_mb is 1.5, not a whole number"),
        ("[environment]\nmemory_mb = 0", "environment.memory_mb is 0, not above 0"),
        ('[environment]\nmemory = "2"', "environment.memory is '2', not a size"),
        ('[environment]\nmemory = "1G"\nmemory_mb = 5', "not the same as memory_mb"),
        ("[environment]\ncpus = 0", "environment.cpus is 0, not above 0"),
        ('[environment]\nos = "beos"', "environment.os is 'beos', not one of: linux, windows"),
        ('[environment]\nworkdir = "here"', "environment.workdir is 'here', not an absolute"),
        ("[environment]\nenv = { A = 1 }", "environment.env.A is 1, not text"),
        ('[environment]\nnetwork_mode = "off"', "network_mode is 'off', not one of"),
        ('[environment]\nallowed_hosts = ["a.b"]', "allowed_hosts needs network_mode"),
        (
            '[environment]\nnetwork_mode = "allowlist"\nallowed_hosts = ["http://a/b"]',
            "allowed_hosts",
        ),
        ("[environment.healthcheck]\nretries = 1", "healthcheck.command is missing"),
        ('[[environment.mcp_servers]]\nname = "x"', "mcp_servers[0].url is missing"),
        ('[task]\nname = "a/b/c"', "task.name is 'a/b/c', not of the form org/name"),
        ('[task]\nname = ""', "task.name is '', not of the form org/name"),
        ("schema_version = 1.5", "is 1.5, not text: write it in quotes"),
        ('schema_version = "0.9"', "schema_version is '0.9', not known"),
        ('schema_version = "1.x"', "schema_version is '1.x', not known"),
        ('[agent]\ntimeout_sec = "10M"', "agent.timeout_sec is '10M', not a number of seconds"),
        ('[agent]\ntimeout_sec = "00:10:00"', "write seconds (600) or a time with units"),
        ('[agent]\ntimeout_sec = "5s 1m"', "agent.timeout_sec is '5s 1m', not a number"),
        ('[agent]\ntimeout_sec = "5m 5m"', "agent.timeout_sec is '5m 5m', not a number"),
        ('[agent]\ntimeout_sec = "-5m"', "agent.timeout_sec is '-5m', not a number"),
        ('[agent]\ntimeout_sec = "1e999"', "timeout_sec is '1e999', not a finite number"),
        ("[environment]\nmemory = 2048", "environment.memory is 2048, not a size such as '2G'"),
        ("[environment]\nmemory = 2048", "write a unit, or memory_mb"),
        ('[environment]\nstorage = "10 units"', "environment.storage is '10 units', not a size"),
        ('[environment]\nmemory_mb = "2X"', "memory_mb is '2X', not a whole number of megabytes"),
        ('[environment]\nmemory = "512K"', "memory is '512K', not above 0 megabytes"),
        ('[task]\nname = "../x"', "task.name is '../x', not of the form org/name"),
        ('artifacts = ["/a/../b"]', "artifacts[0].source is '/a/../b', not a path without '..'"),
        ('artifacts = [{ source = "/a", destination = "/b" }]', "not a relative path"),
        ('artifacts = [{ source = "/a", destination = "../b" }]', "not a relative path"),
        ("artifacts = [7]", "artifacts[0] is 7, not a path or a table"),
        ('[[steps]]\nname = "../up"', "steps[0].name is '../up', not usable"),
        ('[[steps]]\nname = "a"\n[[steps]]\nname = "A"', "steps has two steps of the same name"),
        ('[verifier]\nenvironment_mode = "shared"\n[verifier.environment]\n', "is 'shared'"),
        ("[verifier]\nuser = true", "verifier.user is True, not the name or number of a user"),
        ("x = 1" + "0" * 5000, "is not TOML"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(text: str, message: str) -> None:
    with pytest.raises(HarborError) as caught:
        parse(text)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


scalars = st.one_of(
    st.booleans(),
    st.integers(-(10**30), 10**30),
    st.floats(),
    st.text(max_size=12),
    st.sampled_from(["2G", "", "1e999", "nan", "a/b", "separate", "1.4", "public", "/x/../y"]),
)
NAMES = sorted(
    {name for kind in schema("task")["$defs"].values() for name in kind.get("properties", {})}
    | set(schema("task")["properties"])
    | {"version", "memory", "storage"}
)
tables = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.one_of(st.sampled_from(NAMES), st.text(max_size=5)), inner, max_size=6),
    ),
    max_leaves=25,
)


@given(st.dictionaries(st.sampled_from(NAMES), tables, max_size=8))
def test_no_table_makes_the_reader_fail_in_another_way(table: dict[str, Any]) -> None:
    try:
        assert isinstance(parse(tomli_w.dumps(table)), TaskConfig)
    except HarborError as error:
        assert len(str(error).splitlines()) == 1


@given(st.text())
def test_no_text_makes_the_reader_fail_in_another_way(text: str) -> None:
    try:
        parse(text)
    except HarborError as error:
        assert "\n" not in str(error)


def test_templates_are_filled_from_the_host() -> None:
    env = {"A": "${HOME}", "B": "${NONE:-two}", "C": "x ${HOME}", "D": "${EMPTY:-}"}
    assert resolve(env, {"HOME": "/r"}) == {"A": "/r", "B": "two", "C": "x ${HOME}", "D": ""}


def test_a_variable_that_is_not_set_is_named_before_anything_runs() -> None:
    env = {"A": "${KEY_2}", "B": "${KEY_1}", "C": "${KEY_1:-d}"}
    assert missing(env, {"KEY_2": ""}) == ("KEY_1",)
    with pytest.raises(HarborError, match="KEY_1, KEY_2"):
        resolve(env, {})
