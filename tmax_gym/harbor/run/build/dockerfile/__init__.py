"""Dockerfiles, read by the rules of Docker's reference.

`lines` cuts a file into instructions, `words` fills variables in, `instructions` and `scope` say
what each one means where it stands, `patterns` matches file names, and `support` says what our
own sandboxes can follow and what only BuildKit can build.  Following one is `followed.py`'s
part, building one an engine's.
"""

from __future__ import annotations

from tmax_gym.harbor.run.build.dockerfile.instructions import Dockerfile, Instruction
from tmax_gym.harbor.run.build.dockerfile.patterns import (
    ContextRules,
    glob,
    has_wildcard,
    read_rules,
)
from tmax_gym.harbor.run.build.dockerfile.scope import Step, bases, read, substituted
from tmax_gym.harbor.run.build.dockerfile.support import (
    buildkit_reason,
    is_script,
    obstacle,
    ours,
    platform_args,
    run_text,
)

__all__ = [
    "ContextRules",
    "Dockerfile",
    "Instruction",
    "Step",
    "bases",
    "buildkit_reason",
    "glob",
    "has_wildcard",
    "is_script",
    "obstacle",
    "ours",
    "platform_args",
    "read",
    "read_rules",
    "run_text",
    "substituted",
]
