#!/usr/bin/env bash
# tests/lint/run.sh - runs the check_*.sh beside it, or those whose name contains the argument.
#
# A check prints `file:line: what is wrong` and exits 1 when it found something, 77 with a reason when
# its tool is not installed.  `make lint` sets BUILD, CC, JOBS and LINT_CFLAGS.
set -u
cd "$(dirname "$0")/../.." || exit 2
export BUILD=${BUILD:-build/release} CC=${CC:-gcc} JOBS=${JOBS:-2} LC_ALL=C.UTF-8
passed=0 failed=0 skipped=0
for check in tests/lint/check_*"${1:-}"*.sh; do
    name=${check##*/check_}
    name=${name%.sh}
    output=$(bash "$check" 2>&1)
    case $? in
    0) passed=$((passed + 1)) && echo "ok   lint: $name" ;;
    77) skipped=$((skipped + 1)) && echo "skip lint: $name: $output" ;;
    *) failed=$((failed + 1)) && printf 'FAIL lint: %s\n%s\n' "$name" "$(printf '%s\n' "$output" | sed 's/^/    /' | head -n 100)" ;;
    esac
done
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ]
