"""Read Dockerfiles by the rules of Docker's reference.

`lines` cuts a file into instructions, `words` fills in variables, `instructions` and `scope` say
what an instruction means, `patterns` matches file names, and `support` says what our own sandboxes
can follow and what only BuildKit can build.
"""

from __future__ import annotations

from tmax_gym.harbor.run.build.dockerfile.patterns import (
    ContextRules,
    glob,
    has_wildcard,
    read_rules,
)
from tmax_gym.harbor.run.build.dockerfile.scope import Step, bases, read, substituted
from tmax_gym.harbor.run.build.dockerfile.support import (
    buildkit_reason,
    obstacle,
    ours,
    platform_args,
    run_text,
)

__all__ = [
    "ContextRules",
    "Step",
    "bases",
    "buildkit_reason",
    "glob",
    "has_wildcard",
    "obstacle",
    "ours",
    "platform_args",
    "read",
    "read_rules",
    "run_text",
    "substituted",
]
