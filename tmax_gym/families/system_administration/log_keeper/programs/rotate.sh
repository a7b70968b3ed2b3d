#!/bin/bash
# rotate CONF DIR NOW: rotates the logs of DIR that are due, and names them
shopt -s nullglob
now=$3 state=@MARK@
exec 3< "$1"
cd "$2" || exit 1
touch "$state"
while read -r pattern options <&3; do
    [[ -z $pattern || $pattern == '#'* ]] && continue
    size= keep= age= gzip= delay= total=
    for option in $options; do
        case $option in
            size=*) size=${option#*=} ;;
            keep=*) keep=${option#*=} ;;
            age=*) age=${option#*=} ;;
            total=*) total=${option#*=} ;;
            gzip) gzip=yes ;;
            delay) delay=yes ;;
        esac
    done
    for log in $pattern; do
        [ -f "$log" ] || continue
        due=
        [ -n "$size" ] && (( $(stat -c %s "$log") >= size )) && due=yes
@AGE@        [ -s "$log" ] && [ -n "$due" ] || continue
        for old in $(printf '%s\n' "$log".[0-9]* | sort -rV); do
            number=${old#"$log".}
            number=${number%.gz}
            if (( number >= keep )); then
                rm "$old"
            else
                mv "$old" "${old/".$number"/.$((number + 1))}"
            fi
        done
        mv "$log" "$log.1"
        : > "$log"
@PACK@@STAMP@@TRIM@        echo "$log"
    done
done
