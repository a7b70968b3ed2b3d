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
