"""Short programs in every language, for mistakes and cheats.

Covers programs that print fixed lines, print their input, end with a status, or leave the work
to a shell, and what is started in place of a service.  Does not cover honest work.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tmax_gym.axes import Language
from tmax_gym.families.contract import Attempt, write_file


def no_service(start: str, port: int) -> tuple[Attempt, Attempt]:
    """Return start scripts of a file server, and of something that never listens."""
    serve = f"exec python3 -m http.server {port} --bind 127.0.0.1"
    return (
        Attempt("file server", (write_file(start, serve),)),
        Attempt("silence", (write_file(start, "sleep 100"),)),
    )


def prints(language: Language, lines: Sequence[str]) -> str:
    """Return a program that prints these lines whatever it is given."""
    text = "".join(f"{line}\n" for line in lines)
    return _filled(_PRINTS, language, text)


def copies(language: Language) -> str:
    """Return a program that prints its input."""
    return _COPIES[language]


def ends(language: Language, status: int) -> str:
    """Return a program that ends with a status and does nothing else."""
    return _ENDS[language].replace("@", str(status))


def starts(language: Language, command: str) -> str:
    """Return a program that passes its input to a shell command, and prints its output."""
    return _filled(_STARTS, language, command)


def _filled(programs: Mapping[str, str], language: Language, text: str) -> str:
    if language == "python":
        return programs[language].replace("@", repr(text))
    if language == "bash":
        return programs[language].replace("@", text)
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return programs[language].replace("@", f'"{escaped}"')


_PRINTS = {
    "python": "import sys\nsys.stdout.write(@)\n",
    "bash": "cat <<'EOT'\n@EOT\n",
    "c": "#include <stdio.h>\nint main(void) { fputs(@, stdout); return 0; }\n",
    "cpp": "#include <iostream>\nint main() { std::cout << @; }\n",
    "go": 'package main\n\nimport "os"\n\nfunc main() {\n\tos.Stdout.WriteString(@)\n}\n',
    "rust": 'fn main() {\n    print!("{}", @);\n}\n',
}
_COPIES = {
    "python": "import sys\nsys.stdout.write(sys.stdin.read())\n",
    "bash": "cat\n",
    "c": "#include <stdio.h>\nint main(void) { int c; while ((c = getchar()) != EOF) putchar(c); "
    "return 0; }\n",
    "cpp": "#include <iostream>\nint main() { std::cout << std::cin.rdbuf(); }\n",
    "go": 'package main\n\nimport (\n\t"io"\n\t"os"\n)\n\nfunc main() {\n'
    "\tio.Copy(os.Stdout, os.Stdin)\n}\n",
    "rust": "fn main() {\n"
    "    std::io::copy(&mut std::io::stdin(), &mut std::io::stdout()).unwrap();\n}\n",
}
_ENDS = {
    "python": "import sys\nsys.exit(@)\n",
    "bash": "exit @\n",
    "c": "int main(void) { return @; }\n",
    "cpp": "int main() { return @; }\n",
    "go": 'package main\n\nimport "os"\n\nfunc main() {\n\tos.Exit(@)\n}\n',
    "rust": "fn main() {\n    std::process::exit(@);\n}\n",
}
_STARTS = {
    "python": "import os, sys\nsys.exit(os.system(@) != 0)\n",
    "bash": "@\n",
    "c": "#include <stdlib.h>\nint main(void) { return system(@) != 0; }\n",
    "cpp": "#include <cstdlib>\nint main() { return std::system(@) != 0; }\n",
    "go": 'package main\n\nimport (\n\t"os"\n\t"os/exec"\n)\n\nfunc main() {\n'
    '\tc := exec.Command("sh", "-c", @)\n\tc.Stdin, c.Stdout = os.Stdin, os.Stdout\n'
    "\tif c.Run() != nil {\n\t\tos.Exit(1)\n\t}\n}\n",
    "rust": 'use std::process::Command;\n\nfn main() {\n    let ended = Command::new("sh")'
    '.arg("-c").arg(@).status().unwrap();\n    std::process::exit(!ended.success() as i32);\n}\n',
}
