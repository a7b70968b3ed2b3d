#@ rows
sqlite3 -separator ' ' @database "SELECT parent, child, quantity FROM uses
 WHERE valid_from <= '@day' AND (valid_to IS NULL OR valid_to > '@day')" > /tmp/now.txt
cut -d ' ' -f 1,2 /tmp/now.txt | tsort > /tmp/order.txt && wc -l /tmp/order.txt
#@ exploded
awk -v OFS=, 'NR == FNR { kid[$1, ++n[$1]] = $2; of[$1, n[$1]] = $3; next }
FNR == 1 { need["@product"] = 1 }
!($1 in need) { next }
!n[$1] { print $1, need[$1] }
{ for (i = 1; i <= n[$1]; i++) need[kid[$1, i]] += need[$1] * of[$1, i] }' \
  /tmp/now.txt /tmp/order.txt
#@ lead
sqlite3 -separator ' ' @database 'SELECT code, days FROM parts' > /tmp/days.txt
tac /tmp/order.txt | awk -v OFS=, 'FILENAME == "/tmp/days.txt" { own[$1] = $2; next }
FILENAME == "/tmp/now.txt" { kid[$1, ++n[$1]] = $2; used[$2] = 1; next }
{ most = 0
  for (i = 1; i <= n[$1]; i++) if (total[kid[$1, i]] > most) most = total[kid[$1, i]]
  total[$1] = own[$1] + most
  if (n[$1] && !used[$1]) print $1, total[$1] }' /tmp/days.txt /tmp/now.txt -
