# "Not supported" has one status, so that it has one exit code in every tool: T2_EUNSUPPORTED.
found=$(sh tests/lint/sources.sh c | grep -Ev '^(tests|bench|fixtures)/' | while read -r file; do
    tr '\n' ' ' <"$file" | tr -s ' ' | grep -oE 't2_fail\([^;]*;' | grep -v T2_EUNSUPPORTED |
        grep -E 'not supported|not built|unsupported|not implemented' |
        sed "s,^,$file: ,; s/\$/   <- T2_EUNSUPPORTED/"
done)
[ -z "$found" ] || { printf '%s\n' "$found"; exit 1; }
