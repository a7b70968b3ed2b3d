"""The C++ of the unsound-service family: steps are objects, rows stand in vectors."""

from __future__ import annotations

from collections.abc import Sequence

from tmax_gym.families.shared.programs import program_sections
from tmax_gym.families.software_engineering.unsound_service.faults import cpp
from tmax_gym.families.software_engineering.unsound_service.kit import Call, Kit


def _main(calls: Sequence[Call]) -> str:
    steps = "".join(
        f"    steps.push_back(std::make_unique<{call.step.title()}>"
        f"({', '.join(map(str, call.numbers))}));\n"
        for call in calls
    )
    return (
        "int main()\n{\n    std::vector<std::unique_ptr<Step>> steps;\n"
        f"{steps}    Rows rows;\n    while (read_batch(std::cin, rows)) {{\n"
        "        for (const auto& step : steps)\n            rows = step->apply(std::move(rows));\n"
        "        print_batch(std::cout, rows);\n    }\n    return 0;\n}\n"
    )


_SECTIONS = program_sections(__package__, "service.cpp")
KIT = Kit(
    head=_SECTIONS["frame"],
    steps=_SECTIONS,
    first=cpp.FIRST,
    faults=cpp.FAULTS,
    main=_main,
    strict="g++ -std=c++17 -Og -g -Wall -Wextra -Werror -D_GLIBCXX_ASSERTIONS "
    "-fsanitize=address,undefined -fno-sanitize-recover=all",
)
