"""Files of /proc and /sys that tell about the whole host, and that sandboxes hide.

They include what container engines mask by default (runc, Docker, Podman) and more: the command
line of the kernel, which may hold passwords, the activity of disks and other processes, where the
kernel lies in memory, serial numbers of hardware.  Files that ps, top, free, lscpu, nproc and df
read stay visible.  Processes, networks and mounts are separated by namespaces.
"""

from __future__ import annotations

FILES = (
    "/proc/allocinfo", "/proc/bootconfig", "/proc/buddyinfo", "/proc/cmdline", "/proc/config.gz",
    "/proc/consoles", "/proc/diskstats", "/proc/dma", "/proc/fb", "/proc/interrupts",
    "/proc/iomem", "/proc/ioports", "/proc/kallsyms", "/proc/kcore", "/proc/key-users",
    "/proc/keys", "/proc/kmsg", "/proc/kpagecgroup", "/proc/kpagecount", "/proc/kpageflags",
    "/proc/latency_stats", "/proc/lock_stat", "/proc/lockdep", "/proc/locks", "/proc/mdstat",
    "/proc/misc", "/proc/modules", "/proc/pagetypeinfo", "/proc/partitions",
    "/proc/sched_debug", "/proc/schedstat", "/proc/slabinfo", "/proc/softirqs", "/proc/swaps",
    "/proc/sys/kernel/random/boot_id", "/proc/timer_list", "/proc/timer_stats",
    "/proc/vmallocinfo", "/proc/zoneinfo",
)  # fmt: skip
"""Covered by /dev/null."""
DIRECTORIES = (
    "/proc/acpi", "/proc/asound", "/proc/bus", "/proc/driver", "/proc/fs", "/proc/irq",
    "/proc/mpt", "/proc/pressure", "/proc/scsi", "/sys/block", "/sys/bus", "/sys/class/block",
    "/sys/class/dmi", "/sys/dev/block", "/sys/dev/char", "/sys/devices/virtual/block",
    "/sys/devices/virtual/dmi", "/sys/devices/virtual/powercap",
    "/sys/firmware", "/sys/fs", "/sys/hypervisor", "/sys/kernel", "/sys/module", "/sys/power",
)  # fmt: skip
"""Covered by an empty directory.  Not /sys/devices/system, where programs count processors, nor
/sys/class/net, of which every network namespace has its own."""
HARDWARE = ("pci", "platform", "LNXSYSTM", "pnp", "acpi")
"""How the names of directories in /sys/devices begin that hold the host's hardware."""
