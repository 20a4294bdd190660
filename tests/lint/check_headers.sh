# Every header compiles alone; those of the emulated CUDA device are C++.
sh tests/lint/sources.sh c | grep '\.h$' | grep -vE '^tests/support/cuda_on_host/(cuda_runtime|fiber|internal)\.h$' | BUILD=$BUILD xargs -r -P "$JOBS" -n 1 sh -c '
    $CC $LINT_CFLAGS -DDEV_CPU_VARIANT=generic -Wall -Wno-unused -Wno-psabi -fsyntax-only -x c "$0" || exit 1' 2>&1
