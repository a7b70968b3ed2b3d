#!/bin/bash
root=${1:?usage: converge.sh ROOT}
changed=0
new=$(mktemp)
trap 'rm -f "$new"' EXIT

put() {  # FILE: gets the new content, where it is another one
    cmp -s "$new" "$1" && return
    mkdir -p "$(dirname "$1")"
    cat "$new" > "$1"
    changed=1
}
mode() {  # MODE PATH
    [ "$(stat -c %a "$2")" = "$1" ] && return
    chmod "$1" "$2"
    changed=1
}
symlink() {  # TARGET PATH
    [ "$(readlink "$2")" = "$1" ] && return
    mkdir -p "$(dirname "$2")"
    ln -sfn "$1" "$2"
    changed=1
}
