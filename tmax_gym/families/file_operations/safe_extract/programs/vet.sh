#!/bin/bash
# Every rule reads lines "kind mode name [target]" and fails on a bad archive.
here=$(dirname "$(readlink -f "$0")")
vet() {
  local list; list=$(tar -tvPf "$1" 2>/dev/null | awk '{
    kind = substr($1, 1, 1); mode = $1; name = $6; target = ""
    if ($7 == "->") target = $8
    print kind, mode, name, target }')
  local rule
  for rule in "$here"/vet.d/*.sh; do
    [ -e "$rule" ] || continue
    . "$rule" <<< "$list" || return 1
  done
}
for f; do vet "$f" && echo accept || echo reject; done
