#!/bin/bash
# ci.sh TOOL [OPTION=VALUE ...] < numbers: builds afresh with these options, then runs the tool.
cd "$(dirname "$0")" || exit 2
tool=$1
shift
state=$(cat Makefile config.mk {core,extra,gen,include,tools}/* | cksum)
mark=/tmp/ci-$(echo "$state $*" | tr -c 'A-Z0-9\n' -)
if [ ! -e "$mark" ]; then
  rm -rf build bin /tmp/ci-*
  make -k STRICT="-O1 -std=c99 -pedantic -Wall -Wextra -Werror" "$@" > /tmp/build.log 2>&1
  touch "$mark"
fi
exec "bin/$tool"
