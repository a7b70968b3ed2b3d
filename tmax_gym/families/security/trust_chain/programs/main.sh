#!/bin/bash
# Usage: scan.sh FLEET; prints a verdict a host.
export LC_ALL=C
cd "$1" || exit 2
at=$(date -u -d "$(< as_of)" +%s)
for host in hosts/*; do
  name=${host##*/}
  bundle=$host/bundle.pem
  seen=$(openssl verify -attime "$at" -no-CApath -CAfile roots.pem -untrusted "$bundle" \
    -auth_level @level -purpose sslserver -verify_hostname "$name" "$bundle" 2>&1)
  code=0
  [[ $seen =~ error\ ([0-9]+)\ at ]] && code=${BASH_REMATCH[1]}
  if [[ $code =~ ^(0|7|9|10)$ ]]; then
    leaf=$(openssl x509 -in "$bundle" -noout -serial -issuer -dates -ext subjectAltName 2>&1)
    [[ $leaf == *DNS:* ]] || code=62
  fi
  case $code in
    18|19) say=untrusted ;;
    2|20|21) say=incomplete ;;
    24|79) say=not-ca ;;
    25) say=path ;;
    26) say=purpose ;;
    66|67|68) say=weak ;;
    62) say=name ;;
    7) say=forged ;;
    10) say=expired ;;
    9) say=early ;;
    0) say=ok ;;
    *) say="error $code" ;;
  esac
  if [[ $say == ok ]]; then
    [[ $leaf =~ serial=([0-9A-F]+) ]] && serial=${BASH_REMATCH[1]}
    [[ $leaf =~ issuer=[^$'\n']*CN\ =\ ([^$'\n']+) ]] && issuer=${BASH_REMATCH[1]}
    [[ $leaf =~ notBefore=([^$'\n']+) ]] && since=$(date -u -d "${BASH_REMATCH[1]}" +%s)
    [[ $leaf =~ notAfter=([^$'\n']+) ]] && until=$(date -u -d "${BASH_REMATCH[1]}" +%s)
    links=$(openssl storeutl -certs -noout -text "$bundle" | awk '
      sub(/^ *Issuer: /, "") { issuer = $0 }
      sub(/^ *Subject: /, "") { bad += (n++ && $0 != next_one) + ($0 == issuer); next_one = issuer }
      END { print bad }')
    if grep -qxF "$issuer,$serial" revoked.csv; then say=revoked
    elif (( until - since > @days * 86400 )); then say=lifetime
    elif (( links )); then say=bundle
    fi
  fi
  printf '%s\t%s\n' "$name" "$say"
done
