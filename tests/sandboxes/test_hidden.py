"""What a sandbox shows of its host: nothing that is secret, all that ordinary programs need."""

from collections.abc import Iterator

import pytest

from tmax_gym.sandboxes import Backend, Sandbox

# Written down by hand: what runc and Docker mask by default, then what tells about the host alone.
ENGINES = (
    "/proc/kcore", "/proc/keys", "/proc/latency_stats", "/proc/timer_list", "/proc/timer_stats",
    "/proc/sched_debug", "/proc/interrupts", "/proc/acpi", "/proc/asound", "/proc/scsi",
    "/sys/firmware", "/sys/devices/virtual/powercap",
)  # fmt: skip
HOST = (
    "/proc/cmdline", "/proc/kallsyms", "/proc/iomem", "/proc/ioports", "/proc/modules",
    "/proc/diskstats", "/proc/partitions", "/proc/locks", "/proc/config.gz", "/proc/slabinfo",
    "/proc/buddyinfo", "/proc/pagetypeinfo", "/proc/zoneinfo", "/proc/softirqs", "/proc/swaps",
    "/proc/schedstat", "/proc/sys/kernel/random/boot_id", "/proc/irq", "/proc/bus", "/sys/block",
    "/sys/kernel", "/sys/module", "/sys/class/block", "/sys/dev/block",
)  # fmt: skip

LOOKS = (
    "nproc", "ps aux", "free", "df /", "uptime", "lscpu", "cat /proc/cpuinfo", "cat /proc/meminfo",
    "cat /proc/self/cmdline", "cat /proc/sys/kernel/random/uuid", "ls /sys/class/net/lo",
)  # fmt: skip


@pytest.fixture
def machine(any_backend: Backend, image: str) -> Iterator[Sandbox]:
    opened = any_backend.open(image)
    yield opened
    opened.close()


def shown(machine: Sandbox, path: str) -> bytes:
    """Return what can be read of a file, or the names in a directory."""
    script = 'if [ -d "$1" ]; then ls -A "$1"; elif [ -e "$1" ]; then cat "$1" | head -c 200; fi'
    return machine.exec(["bash", "-c", script, "-", path]).stdout


@pytest.mark.parametrize("path", [*ENGINES, *HOST])
def test_a_file_about_the_host_shows_nothing(machine: Sandbox, path: str) -> None:
    assert shown(machine, path) == b""


def test_no_disk_of_the_host_can_be_found_below_sys(native_backend: Backend, image: str) -> None:
    machine = native_backend.open(image)
    result = machine.exec(["find", "/sys/", "-path", "*/block/*"])
    machine.close()
    assert (result.exit_code, result.stdout) == (0, b"")


@pytest.mark.parametrize("command", LOOKS)
def test_a_program_that_looks_at_its_machine_still_works(machine: Sandbox, command: str) -> None:
    if machine.exec(["bash", "-c", f"command -v {command.split()[0]}"]).exit_code:
        pytest.skip(f"this image has no {command.split()[0]}")
    done = machine.exec(["bash", "-c", command])
    assert (done.exit_code, done.stderr) == (0, b"")
    assert done.stdout
