# Runs a program on every file that standard input names, and prints a row about each run.
# Arguments: directories of inputs and outputs, ending of outputs (with the one of the input before
# it, or not), measures, their separator; then the program.
inbox=$1 results=$2 ending=$3 whole=$4 measures=$5 separator=$6
shift 6
while IFS= read -r name; do
    stem=$name
    [ "$whole" = yes ] || stem=${name%.*}
    target=$results/$stem.$ending
    mkdir -p "${target%/*}"
    "$@" < "$inbox/$name" > "$target"
    status=$?
    row=$name
    for measure in $measures; do
        case $measure in
            status) cell=$status ;;
            lines) cell=$(wc -l < "$target") ;;
            bytes) cell=$(wc -c < "$target") ;;
            *) cell=$("${measure}sum" < "$target" | cut -d ' ' -f 1) ;;
        esac
        row+=$separator$cell
    done
    printf '%s\n' "$row"
done
