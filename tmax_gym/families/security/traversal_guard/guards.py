"""The reference programs of the traversal guard, one for each language, and mistakes in them."""

from __future__ import annotations

from collections.abc import Mapping

from tmax_gym.axes import Language
from tmax_gym.families.shared.programs import program_text

PYTHON = "\n" + program_text(__package__, "main.py")
BASH = "\n" + program_text(__package__, "main.sh")
C = "\n" + program_text(__package__, "main.c")
CPP = "\n" + program_text(__package__, "main.cpp")
GO = "\n" + program_text(__package__, "main.go")
RUST = "\n" + program_text(__package__, "main.rs")
SOURCE: Mapping[Language, str] = {
    "python": PYTHON, "bash": BASH, "c": C, "cpp": CPP, "go": GO, "rust": RUST,
}  # fmt: skip
Edits = tuple[tuple[str, str], ...]
MISTAKES: Mapping[str, Mapping[Language, Edits]] = {
    "no decoding": {
        "python": (("if decoded == name:", "if True:"),),
        "bash": (("while [[", "while false && [["),),
        "c": (("depth = 0, changed = 1", "depth = 0, changed = 0"),),
        "cpp": (("bool again = true", "bool again = false"),),
        "go": (("if bytes.Equal(decoded, name) {", "if decoded != nil {"),),
        "rust": (("if decoded == name {", "if true {"),),
    },
    "dots are evil": {
        "python": (("depth = 0", 'depth = -9 if b".." in name else 0'),),
        "bash": (("depth=0", "[[ $name == *..* ]] && exit 1; depth=0"),),
        "c": (
            (
                "if (n && s[0] == '/')",
                "s[n] = 0;\n  if (strstr((char *)s, \"..\")) return 1;\n  if (n && s[0] == '/')",
            ),
        ),
        "cpp": (("int depth = 0", 'int depth = name.find("..") == name.npos ? 0 : -9'),),
        "go": (
            (
                "depth := 0",
                'depth := 0\n\tif bytes.Contains(name, []byte("..")) {\n\t\tdepth = -9\n\t}',
            ),
        ),
        "rust": (
            (
                "let mut depth = 0;",
                'let mut depth = if name.windows(2).any(|w| w == b"..") { -9 } else { 0 };',
            ),
        ),
    },
    "backslash is a letter": {
        "python": (('name.replace(b"\\\\", b"/")', "name"),),
        "bash": (("name=${name//\\\\//}\n", ""),),
        "c": (("if (s[i] == '\\\\') s[i] = '/';", ""),),
        "cpp": (("if (c == '\\\\') c = '/';", ""),),
        "go": (('name = bytes.ReplaceAll(name, []byte("\\\\"), []byte("/"))', ""),),
        "rust": (
            (" || name.first() == Some(&b'\\\\')", ""),
            ("|c| *c == b'/' || *c == b'\\\\'", "|c| *c == b'/'"),
        ),
    },
}
"""Each forgotten check, with the edits that remove it from the source in each language."""
