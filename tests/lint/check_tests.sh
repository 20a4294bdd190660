# Every source file has a test file of the same name; tests/lint/untested.txt lists the exceptions,
# each with its reason: `path   reason`.  Kernels of a device, train/device/DEV/x_DEV.c, are tested by
# the test of x, which compares every device with the plain one.
bad=0
while read -r src; do
    name=${src##*/} && name=${name%.c}
    # a command of a tool is tested by its command-line cases: tests/cli/TOOL/COMMAND*.sh
    case $src in */cmd_*)
        tool=$(basename "${src%%/*}"/*_main.c _main.c | tr _ -)
        ls tests/cli/"$tool"/"${name#cmd_}"*.sh >/dev/null 2>&1 || { echo "$src: no case tests/cli/$tool/${name#cmd_}*.sh" && bad=1; }
        continue
        ;;
    esac
    case $src in train/device/*/*) dev=${src%/*} && name=${name%_"${dev##*/}"} ;; esac
    if [ -n "$(find tests/unit tests/ops tests/oracle -name "test_$name.c" -o -name "test_${name}_data.c" 2>/dev/null)" ]; then
        grep -q "^$src " tests/lint/untested.txt && echo "tests/lint/untested.txt: $src has a test now" && bad=1
        continue
    fi
    grep -q "^$src  *[^ ]" tests/lint/untested.txt && continue
    echo "$src: no tests/**/test_$name.c" && bad=1
done < <(sh tests/lint/sources.sh c | grep -E '^(base|tfrecord|tokenizer|augment|tfrec|vocab|datagen|train)/.*\.c$' | grep -v '_main\.c$')
# Every tool has command-line cases.
for main in */*_main.c; do
    [ -f "$main" ] || continue
    tool=$(basename "$main" _main.c | tr _ - | sed s/^data-download$/data_download/)
    ls tests/cli/"$tool"/*.sh >/dev/null 2>&1 || { echo "$main: no case in tests/cli/$tool/" && bad=1; }
done
exit $bad
