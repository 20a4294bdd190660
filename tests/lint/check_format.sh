# clang-format 14 would change nothing.
command -v clang-format-14 >/dev/null || { echo "clang-format-14 is not installed"; exit 77; }
sh tests/lint/sources.sh c | xargs -r -P "$JOBS" -n 40 clang-format-14 --dry-run -Werror 2>&1 | grep -E 'error:' &&
    { echo "'make format' does it"; exit 1; }
exit 0
