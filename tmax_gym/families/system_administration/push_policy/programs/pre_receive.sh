#!/bin/bash
# Refuses pushes that break the policy; every rule is a file of policy.d, read once a ref.
refuse() {
    echo "policy $1: $ref breaks the rule on its $2" >&2
    exit 1
}
while read -r old new ref; do
    zero=${old//?/0}
    branch=${ref#refs/heads/}
    commits=
    [ "$new" = "$zero" ] || commits=$(git rev-list "$new" --not --all)
    for rule in hooks/policy.d/*.sh; do
        [ -e "$rule" ] && . "$rule"
    done
done
exit 0
