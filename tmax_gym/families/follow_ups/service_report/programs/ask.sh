#!/bin/bash
# Asks for every target on standard input; prints target, status and fields of each answer.
# Usage: ask.sh BASE FIELDS SEPARATOR [HEADER...]

base=$1 fields=$2 separator=$3
shift 3
headers=()
for header in "$@"; do
  headers+=(-H "$header")
done
while read -r target; do
  status=$(curl -s -m 10 -o /tmp/answer.json -w '%{http_code}' "${headers[@]}" "$base$target")
  jq -r --arg target "$target" --arg status "$status" --arg fields "$fields" \
    --arg separator "$separator" '
      . as $answer
      | [$target, $status, (($fields / ",")[] | $answer[.])]
      | map(if . == null then "" else tostring end)
      | join($separator)' /tmp/answer.json
done
rm -f /tmp/answer.json
