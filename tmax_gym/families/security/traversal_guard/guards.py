"""Reference programs of the traversal guard, one a language, and the mistakes in them."""

from __future__ import annotations

from collections.abc import Mapping

from tmax_gym.axes import Language

PYTHON = r"""
import re, sys
name = sys.stdin.buffer.read()
if name.endswith(b"\n"):
    name = name[:-1]
while True:
    decoded = re.sub(rb"%([0-9A-Fa-f]{2})", lambda m: bytes([int(m[1], 16)]), name)
    if decoded == name:
        break
    name = decoded
name = name.replace(b"\\", b"/")
if name.startswith(b"/") or any(b < 32 or b == 127 for b in name):
    sys.exit(1)
depth = 0
for part in name.split(b"/"):
    if part not in (b"", b"."):
        depth += -1 if part == b".." else 1
    if depth < 0:
        sys.exit(1)
sys.exit(0 if depth > 0 else 1)
"""
BASH = r"""
#!/bin/bash
LC_ALL=C
IFS= read -r -d '' name
name=${name%$'\n'}
while [[ $name =~ %([0-9A-Fa-f][0-9A-Fa-f]) ]]; do
  code=$((16#${BASH_REMATCH[1]}))
  (( code < 32 || code == 127 )) && exit 1
  printf -v byte '%b' "\\x${BASH_REMATCH[1]}"
  name=${name/"${BASH_REMATCH[0]}"/"$byte"}
done
name=${name//\\//}
[[ $name == /* || $name == *[$'\001'-$'\037'$'\177']* ]] && exit 1
depth=0
IFS=/ read -r -a parts <<< "$name"
for part in "${parts[@]}"; do
  case $part in
    ''|.) ;;
    ..) (( --depth < 0 )) && exit 1 ;;
    *) (( ++depth )) ;;
  esac
done
(( depth > 0 ))
"""
C = r"""
#include <ctype.h>
#include <stdio.h>
#include <string.h>
static unsigned char s[65536];
static int digit(int c) { return isdigit(c) ? c - '0' : tolower(c) - 'a' + 10; }
int main(void) {
  int n = (int)fread(s, 1, sizeof s - 1, stdin), depth = 0, changed = 1;
  if (n && s[n - 1] == '\n') n--;
  while (changed) {
    int to = 0;
    changed = 0;
    for (int i = 0; i < n; i++)
      if (s[i] == '%' && i + 2 < n && isxdigit(s[i + 1]) && isxdigit(s[i + 2])) {
        s[to++] = (unsigned char)(digit(s[i + 1]) * 16 + digit(s[i + 2]));
        i += 2;
        changed = 1;
      } else s[to++] = s[i];
    n = to;
  }
  for (int i = 0; i < n; i++) {
    if (s[i] < 32 || s[i] == 127) return 1;
    if (s[i] == '\\') s[i] = '/';
  }
  if (n && s[0] == '/') return 1;
  for (int i = 0; i <= n;) {
    int j = i;
    while (j < n && s[j] != '/') j++;
    if (j - i == 2 && s[i] == '.' && s[i + 1] == '.') { if (--depth < 0) return 1; }
    else if (j - i > 1 || (j - i == 1 && s[i] != '.')) depth++;
    i = j + 1;
  }
  return depth > 0 ? 0 : 1;
}
"""
CPP = r"""
#include <algorithm>
#include <cctype>
#include <iostream>
#include <iterator>
#include <string>

int main() {
    std::string name{std::istreambuf_iterator<char>(std::cin), {}};
    if (!name.empty() && name.back() == '\n') name.pop_back();
    for (bool again = true; again;) {
        std::string decoded;
        for (std::size_t i = 0; i < name.size(); ++i)
            if (name[i] == '%' && i + 2 < name.size() && std::isxdigit((unsigned char)name[i + 1])
                && std::isxdigit((unsigned char)name[i + 2])) {
                decoded += static_cast<char>(std::stoi(name.substr(i + 1, 2), nullptr, 16));
                i += 2;
            } else decoded += name[i];
        again = decoded != name;
        name = decoded;
    }
    for (char &c : name) {
        if (std::iscntrl((unsigned char)c)) return 1;
        if (c == '\\') c = '/';
    }
    if (!name.empty() && name[0] == '/') return 1;
    int depth = 0;
    for (std::size_t i = 0, j; i <= name.size(); i = j + 1) {
        j = std::min(name.find('/', i), name.size());
        std::string part = name.substr(i, j - i);
        if (part == "..") --depth;
        else if (!part.empty() && part != ".") ++depth;
        if (depth < 0) return 1;
    }
    return depth > 0 ? 0 : 1;
}
"""
GO = r"""
package main

import (
	"bytes"
	"io"
	"os"
	"regexp"
	"strconv"
)

var code = regexp.MustCompile("(?s)%[0-9A-Fa-f]{2}")

func decode(found []byte) []byte {
	value, _ := strconv.ParseUint(string(found[1:]), 16, 8)
	return []byte{byte(value)}
}

func main() {
	name, _ := io.ReadAll(os.Stdin)
	name = bytes.TrimSuffix(name, []byte("\n"))
	for {
		decoded := code.ReplaceAllFunc(name, decode)
		if bytes.Equal(decoded, name) {
			break
		}
		name = decoded
	}
	name = bytes.ReplaceAll(name, []byte("\\"), []byte("/"))
	for i, c := range name {
		if c < 32 || c == 127 || (i == 0 && c == '/') {
			os.Exit(1)
		}
	}
	depth := 0
	for _, part := range bytes.Split(name, []byte("/")) {
		switch string(part) {
		case "", ".":
		case "..":
			depth--
		default:
			depth++
		}
		if depth < 0 {
			os.Exit(1)
		}
	}
	if depth == 0 {
		os.Exit(1)
	}
}
"""
RUST = r"""
use std::io::Read;
use std::process::exit;

fn digit(c: u8) -> Option<u8> {
    (c as char).to_digit(16).map(|d| d as u8)
}

fn decode(name: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut i = 0;
    while i < name.len() {
        if name[i] == b'%' && i + 2 < name.len() {
            if let (Some(high), Some(low)) = (digit(name[i + 1]), digit(name[i + 2])) {
                out.push(16 * high + low);
                i += 3;
                continue;
            }
        }
        out.push(name[i]);
        i += 1;
    }
    out
}

fn main() {
    let mut name = Vec::new();
    std::io::stdin().read_to_end(&mut name).unwrap();
    if name.last() == Some(&b'\n') {
        name.pop();
    }
    loop {
        let decoded = decode(&name);
        if decoded == name {
            break;
        }
        name = decoded;
    }
    let bad = |c: &u8| *c < 32 || *c == 127;
    if name.iter().any(bad) || name.first() == Some(&b'/') || name.first() == Some(&b'\\') {
        exit(1);
    }
    let mut depth = 0;
    for part in name.split(|c| *c == b'/' || *c == b'\\') {
        match part {
            b"" | b"." => (),
            b".." => depth -= 1,
            _ => depth += 1,
        }
        if depth < 0 {
            exit(1);
        }
    }
    exit(if depth > 0 { 0 } else { 1 });
}
"""
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
"""What is forgotten, and how each source comes to lack it."""
