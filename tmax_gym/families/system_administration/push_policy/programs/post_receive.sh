#!/bin/bash
# Builds what was pushed, and publishes it beside the repository.
site="$PWD/../site"
while read -r old new ref; do
    branch=${ref#refs/heads/}
    [ -n "${new//0/}" ] || continue
    case $branch in
        main) link=@live ;;
#(@release
        release/*) link=${branch#release/} ;;
#)
        *) continue ;;
    esac
    short=${new:0:@digits}
    work=$(mktemp -d)
    mkdir -p "$site/builds"
    git archive "$new" | tar -x -C "$work"
    verdict=ok
    while read -r step command; do
        [[ -z $step || $step == '#'* ]] && continue
        (cd "$work" && @told@env -u GIT_DIR sh -c "$command") < /dev/null > /dev/null 2>&1 ||
            { verdict="failed $step"; break; }
    done < "$work/@steps"
    if [ "$verdict" = ok ]; then
        rm -rf "$site/builds/$short"
        mv "$work/@out" "$site/builds/$short"
        ln -sfn "builds/$short" "$site/$link"
    fi
    echo "$branch $short $verdict" >> "$site/log"
    rm -rf "$work"
#(@pruned

#)
done
