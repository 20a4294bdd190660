# Each flag of docs/flags.md that is passed over or refused, given to its tool: it is named once, with the reason that the
# document has; the values that a refused flag may have are taken.
# `make flags` makes that document, and flags_document.sh compares it with the tools.
awk -F' *[|] *' -v OFS='\t' '
    /^## / { tool = substr($0, 4) }
    /^\|/ { role = $2 == "flag" || $2 == "passed over" || $2 == "refused" ? $2 : role }
    role == "passed over" && /^\| --/ { print tool, "passed", $2, "-", $3 }
    role == "refused" && /^\| --/ { print tool, "refused", $2, $3 == "" ? "-" : $3, $4 }
' "$T2_ROOT/docs/flags.md" | sed 's/\\//g' >table
for tool in t2t-trainer t2t-decoder t2t-exporter t2t-query-server transformer_main resnet_main; do
    grep -q "^$tool	passed" table && grep -q "^$tool	refused" table || { echo "docs/flags.md has no tables of $tool" >&2; exit 1; }
done
name() { # of a row: without dashes and [no]
    echo "$1" | sed 's/^--*\(\[no\]\)*//; s/=.*//'
}
run() { # tool, flags: without data it soon ends
    rc=0
    "$@" >out 2>log </dev/null || rc=$?
}

cut -f1 table | sort -u >tools
while read -r tool; do
    set -- "$tool"
    grep "^$tool	passed	" table >rows || continue
    while IFS='	' read -r _ _ flag _ _; do
        case $flag in
        "--[no]"*) set -- "$@" "--$(name "$flag")" ;;
        *) set -- "$@" "--$(name "$flag")=1" ;;
        esac
    done <rows
    run "$@"
    while IFS='	' read -r _ _ flag _ why; do
        [ "$(grep -cF -e "--$(name "$flag") means nothing here and is passed over: $why" log)" = 1 ] ||
            { echo "$tool does not say once why --$(name "$flag") is passed over:" >&2; cat log >&2; exit 1; }
    done <rows
done <tools

grep '	refused	' table >rows
while IFS='	' read -r tool _ flag but why; do
    flag=$(name "$flag")
    run "$tool" "--$flag=7"
    [ "$rc" = 1 ] && grep -qF -e "$why" log && grep -q -e "--$flag" log ||
        { echo "exit code $rc of $tool --$flag=7:" >&2; cat log >&2; exit 1; }
    [ "$but" != - ] || continue
    for value in $but; do
        run "$tool" "--$flag=$value"
        ! grep -q 'not supported' log || { echo "$tool --$flag=$value is refused:" >&2; cat log >&2; exit 1; }
    done
done <rows
[ ! -e run ] && wc -l <table >&2
