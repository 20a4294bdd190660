# Every header compiles alone.
sh tests/lint/sources.sh c | grep '\.h$' | BUILD=$BUILD xargs -r -P "$JOBS" -n 1 sh -c '
    $CC $LINT_CFLAGS -DDEV_CPU_VARIANT=generic -Wall -Wno-unused -fsyntax-only -x c "$0" || exit 1' 2>&1
