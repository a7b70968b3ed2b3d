"""The axes along which tasks differ, as literal types, with the values that each may have.

Six of TMax's nine axes have fixed values: domain, complexity, complexity of commands, fixture,
verifier and language.  Skill types, primitive skills and personas are open sets (see
`tmax_gym.analysis.measures.taxonomy`).  `Split` is this project's own.
"""

from __future__ import annotations

from typing import Literal, get_args

Domain = Literal[
    "security",
    "software_engineering",
    "file_operations",
    "data_querying",
    "data_science",
    "debugging",
    "scientific_computing",
    "data_processing",
    "system_administration",
]
Complexity = Literal["short", "moderate", "complex", "intricate"]
CommandComplexity = Literal["bash", "code", "services"]
Fixture = Literal[
    "text_only",
    "image",
    "audio",
    "video",
    "stripped_binary",
    "vendored_package",
    "multi_service_compose",
]
VerifierKind = Literal[
    "exact_text", "metric_threshold", "adversarial_corpus", "fuzz_equivalence", "multi_protocol"
]
Language = Literal["python", "c", "bash", "cpp", "rust", "go", "multi", "any"]
Voice = Literal["statement", "ticket", "email", "chat", "specification", "short"]
"""How an instruction is written: a direct statement of the task, an issue, an e-mail, chat
messages, a specification as in a README, a very short request that points to a document."""
Split = Literal["train", "val", "test"]

DOMAINS: tuple[Domain, ...] = get_args(Domain)
FIXTURES: tuple[Fixture, ...] = get_args(Fixture)
VERIFIERS: tuple[VerifierKind, ...] = get_args(VerifierKind)
LANGUAGES: tuple[Language, ...] = get_args(Language)
