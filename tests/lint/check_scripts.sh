# Scripts pass shellcheck; command-line cases and end-to-end scripts are POSIX sh.
command -v shellcheck >/dev/null || { echo "shellcheck is not installed"; exit 77; }
bad=0
{ sh tests/lint/sources.sh sh | grep -v '^tests/cli/\|^tests/lint/check_\|^tests/e2e/' | xargs -r shellcheck -S warning -x; } || bad=1
{ sh tests/lint/sources.sh sh | grep '^tests/cli/\|^tests/e2e/' | xargs -r shellcheck -S warning -x -s sh; } || bad=1
{ sh tests/lint/sources.sh sh | grep '^tests/lint/check_' | xargs -r shellcheck -S error -s bash; } || bad=1
exit $bad
