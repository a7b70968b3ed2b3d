BEGIN { FS = ";"; OFS = "," }
{ for (i = 1; i <= NF; i++) gsub(/^[ \t]+|[ \t]+$/, "", $i) }
NF != 4 || tolower($1) == "code" { next }
{
  day = $2; if (split(day, d, ".") == 3) day = d[3] "-" d[2] "-" d[1]
  amount = $3; if (amount ~ /,/) { gsub(/\./, "", amount); sub(/,/, ".", amount) }
  state = tolower($4); if (state == "") state = "open"
  print toupper($1), day, sprintf("%.2f", amount), state
}
