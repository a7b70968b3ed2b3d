while f=$(find . -type f -exec file --mime-type {} + | grep -E 'application/(gzip|zip|x-tar)$' | head -n 1); [ -n "$f" ]; do
  p=${f%%:*}; mkdir $p.d
  case $f in
    *gzip) gzip -dc < $p > $p.d/inner ;;
    *zip) unzip -qo $p -d $p.d ;;
    *) tar -xf $p -C $p.d ;;
  esac
  rm $p
done
