"""Main programs around the routines of the drifting-sums family, in five languages.

Covers reading requests from standard input, the choice of a routine, and printing.  Does not
cover the routines.
"""

from __future__ import annotations

from collections.abc import Mapping

from tmax_gym.axes import Language
from tmax_gym.families.shared.programs import program_text

SIGNATURES: Mapping[Language, str] = {
    "python": "def @(x):",
    "c": "static double @(const double *x, long count)\n{",
    "cpp": "static double @(const std::vector<double> &x)\n{",
    "go": "func @(x []float64) float64 {",
    "rust": "fn @(x: &[f64]) -> f64 {",
}
DISPATCH: Mapping[Language, str] = {
    "python": '    "@": @,',
    "c": '    if (strcmp(name, "@") == 0)\n        return @(x, count);',
    "cpp": '    if (name == "@")\n        return @(x);',
    "go": '\tcase "@":\n\t\treturn @(x)',
    "rust": '        "@" => @(x),',
}
MAINS: Mapping[Language, str] = {
    "python": program_text(__package__, "main.py"),
    "c": program_text(__package__, "main.c"),
    "cpp": program_text(__package__, "main.cpp"),
    "go": program_text(__package__, "main.go"),
    "rust": program_text(__package__, "main.rs"),
}
