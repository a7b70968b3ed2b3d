"""Reference programs of the traversal guard, one a language."""

from __future__ import annotations

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
