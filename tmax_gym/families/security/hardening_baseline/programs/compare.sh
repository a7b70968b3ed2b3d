export LC_ALL=C
find . -type f -exec stat -c '%n %a' {} + | cut -c3- | sort > /tmp/modes
find . -type f -exec sha256sum {} + | awk '{ print substr($2, 3), $1 }' | sort > /tmp/sums
join /tmp/modes /tmp/sums > /tmp/now
join -a 1 -a 2 -e - -o 0,1.2,2.2,1.3,2.3 @manifest /tmp/now | awk -v OFS='\t' '
  $2 == "-" { print $1, "added"; next }
  $3 == "-" { print $1, "missing"; next }
  $2 != $3 && $4 != $5 { print $1, "both"; next }
  $2 != $3 { print $1, "mode" }
  $4 != $5 { print $1, "content" }' > @report
rm /tmp/modes /tmp/sums /tmp/now
