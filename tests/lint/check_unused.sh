# A function in a header is called by more than tests, benches and its own file; those that its own file calls too may
# stand there for their tests.  tests/lint/unused.txt lists the exceptions: `name   reason`.
sh tests/lint/sources.sh c | grep -Ev '^(tests|bench)/' | xargs -r perl tests/lint/code.pl | perl tests/lint/unused.pl |
    grep ':0$' | {
        bad=0 names=' '
        while IFS=: read -r header line name _; do
            names="$names$name "
            grep -q "^$name  *[^ ]" tests/lint/unused.txt && continue
            echo "$header:$line: no program calls $name()" && bad=1
        done
        while read -r name _; do
            case $name in '#' | '') continue ;; esac
            case $names in *" $name "*) ;; *) echo "tests/lint/unused.txt: $name has a caller, or is gone" && bad=1 ;; esac
        done <tests/lint/unused.txt
        exit $bad
    }
