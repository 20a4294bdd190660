# clang-tidy (.clang-tidy), also clang's own warnings.  A file whose preprocessed text has not changed
# since it was found clean is not looked at again.
tidy=$(command -v clang-tidy-14 || command -v clang-tidy) || { echo "clang-tidy is not installed"; exit 77; }
export tidy
mkdir -p build/lint
sh tests/lint/sources.sh c | grep -E '^(base|tfrecord|tfrec|tokenizer|vocab|augment|audio|datagen|train)/.*\.c$' | xargs -r -P "$JOBS" -n 1 bash -c '
    f=$0 stamp=build/lint/${f//\//+}
    flags="$LINT_CFLAGS -DDEV_CPU_VARIANT=generic"
    case $f in base/version.c) flags="$flags -DT2_VERSION=\"0\" -DT2_GIT_DESCRIBE=\"0\" -DT2_BUILD_CONFIG=\"0\" -DT2_COMPILER=\"0\"" ;; esac
    sum=$({ cat .clang-tidy tests/lint/check_tidy.sh; $CC $flags -E -P "$f"; } 2>/dev/null | cksum)
    [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$sum" ] && exit 0
    out=$("$tidy" --quiet --warnings-as-errors="*" "$f" -- $flags $LINT_WARN 2>/dev/null)
    if [ $? = 0 ]; then printf "%s\n" "$sum" >"$stamp"; exit 0; fi
    printf "%s\n" "$out" | grep -E "(warning|error):"
    exit 1'
