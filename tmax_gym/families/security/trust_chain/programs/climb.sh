at=$(date -u -d "$(cat @fleet/as_of)" +%s); mkdir -p /tmp/try/hosts
cp @fleet/as_of @fleet/roots.pem @fleet/revoked.csv /tmp/try
for name in $(awk '$2 ~ /^(incomplete|bundle|expired)$/ { print $1 }' @report); do
  mkdir /tmp/try/hosts/$name; new=/tmp/try/hosts/$name/bundle.pem
  openssl x509 -in @fleet/hosts/$name/bundle.pem > $new; cp $new /tmp/top.pem
  while ! openssl verify -attime $at -CAfile @fleet/roots.pem /tmp/top.pem &> /tmp/said; do
    for ca in @fleet/pool/*.pem none; do
      cmp -s $ca /tmp/top.pem && continue
      openssl verify -attime $at -partial_chain -trusted $ca /tmp/top.pem &> /tmp/said && break
    done
    [ $ca = none ] && break
    cat $ca >> $new; cp $ca /tmp/top.pem
  done
done; rm /tmp/top.pem /tmp/said
