#!/bin/bash
# Asks a service once and says how it is.

#(@settings
port=${1:-8080}
target='/items/1'
field=total
test='type == "number"'
limit=2
headers=()
up=ok wrong=wrong down=down wrong_status=1 down_status=2
#)
body=$(mktemp)
trap 'rm -f "$body"' EXIT
status=$(curl -s -m "$limit" "${headers[@]}" -o "$body" -w '%{http_code}' \
  "http://127.0.0.1:$port$target")
if [ $? -ne 0 ]; then
  echo "$down"
  exit "$down_status"
fi
if [ "$status" != 200 ]; then
  echo "$wrong $status"
  exit "$wrong_status"
fi
if ! jq -e "type == \"object\" and (.$field | $test)" "$body" > /dev/null 2>&1; then
  echo "$wrong body"
  exit "$wrong_status"
fi
echo "$up $(jq -r ".$field" "$body")"
