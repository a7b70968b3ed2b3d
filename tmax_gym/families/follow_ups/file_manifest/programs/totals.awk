# Adds up files and bytes: by suffix, or by top directory with -v by=directory.

BEGIN { FS = "\t" }

{
    key = $1
    if (by == "directory") {
        if (!sub(/\/.*/, "", key)) key = "."
    } else {
        sub(/.*\//, "", key)
        if (!sub(/.*\./, "", key)) key = "-"
    }
    files[key]++
    bytes[key] += $2
}

END {
    for (key in files) print key, files[key], bytes[key]
}
