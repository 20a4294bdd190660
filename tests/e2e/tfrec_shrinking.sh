# A file that is cut while it is read: an error that says so, never a signal; a whole run is right.
cp_bytes=20000000
i=0
while [ $i -lt 20 ]; do
    printf '{"x":"%01000d"}\n' "$i"
    i=$((i + 1))
done | tfrec convert --quiet --to=tfrecord -o twenty -
cat twenty >one
while [ "$(wc -c <one)" -lt $cp_bytes ]; do
    cat one one >two
    mv two one
done
for try in 1 3 5 7; do
    for command in verify count cat salvage; do
        cp one big
        set -- "$command" --quiet
        [ "$command" != salvage ] || set -- "$@" -o out
        [ "$command" != count ] || set -- "$@" --no_index
        rc=0
        tfrec "$@" big >log 2>&1 &
        tool=$!
        # the first tries cut at once, the others a little later
        sleep "0.00$try"
        : >big
        wait $tool || rc=$?
        if [ $rc -gt 1 ]; then
            tail -n 3 log
            echo "$command, try $try: exit code $rc"
            exit 1
        fi
    done
done
