#(@settings
# What the script is set to: the program, the letters of the options, and the exit statuses.
program=(cat)
letters=o:qn output_letter=o quiet_letter=q change_letter=n change=number
dash=- missing=66 usage=64 exists=73
#)

fail() {
    echo "${0##*/}: $2" >&2
    exit "$1"
}

output='' quiet='' changed='' count=''
while getopts ":$letters" option; do
    case $option in
        "$output_letter") output=$OPTARG ;;
        "$quiet_letter") quiet=yes ;;
        "$change_letter") changed=$change count=${OPTARG:-} ;;
        *) fail "$usage" "there is no option -$OPTARG, or it lacks its argument" ;;
    esac
done
shift $((OPTIND - 1))
[ $# -eq 1 ] || fail "$usage" "exactly one file is needed, not $#"
if [ -z "$dash" ] || [ "$1" != "$dash" ]; then
    [ -f "$1" ] || fail "$missing" "$1: no such file"
    exec < "$1"
fi
if [ "$exists" != 0 ] && [ -n "$output" ] && [ -e "$output" ]; then
    fail "$exists" "$output: exists already"
fi

printed=$(mktemp)
trap 'rm -f "$printed"' EXIT
"${program[@]}" > "$printed"
status=$?
[ -z "$quiet" ] || exec > /dev/null
[ -z "$output" ] || exec > "$output"
case $changed in
    number) awk '{ print NR ": " $0 }' "$printed" ;;
    reverse) tac "$printed" ;;
    sort) LC_ALL=C sort "$printed" ;;
    first) head -n "$count" "$printed" ;;
    last) tail -n "$count" "$printed" ;;
    *) cat "$printed" ;;
esac
exit "$status"
