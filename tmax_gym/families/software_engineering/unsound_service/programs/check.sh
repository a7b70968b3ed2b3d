#!/bin/bash
# Builds @name the strict way and runs it on standard input; "build" only builds.
set -eu
source=$(dirname "$0")/@name
made=/tmp/@stem.strict
@kinds
if [ "$source" -nt "$made" ]; then
    @strict -o "$made" "$source"
fi
[ "${1:-run}" = run ] || exit 0
@run
