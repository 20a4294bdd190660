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
done < <(sh tests/lint/sources.sh c | grep -E '^(base|tfrecord|tokenizer|augment|audio|tfrec|vocab|datagen|train)/.*\.c$' | grep -v '_main\.c$')
# Every tool has command-line cases.
for main in */*_main.c; do
    [ -f "$main" ] || continue
    tool=$(basename "$main" _main.c | tr _ - | sed -E 's/^(data|resnet|transformer)-(download|main)$/\1_\2/')
    ls tests/cli/"$tool"/*.sh >/dev/null 2>&1 || { echo "$main: no case in tests/cli/$tool/" && bad=1; }
done
# tests/ holds programs, scripts and, beside the command-line cases, what these must give; data are in
# fixtures/.
while read -r file; do
    case $file in
    *.c | *.h | *.cpp | *.sh | *.py | *.pl | *.subr | tests/cli/*.inc | tests/module.mk | tests/lint/*.txt) ;;
    tests/cli/*.stdout | tests/cli/*.stderr | tests/cli/*.exit)
        [ -f "${file%.*}.sh" ] || { echo "$file: no case ${file%.*}.sh" && bad=1; }
        ;;
    *) echo "$file: data for tests lie in fixtures/" && bad=1 ;;
    esac
done < <(find tests -type f ! -path '*/__pycache__/*' | LC_ALL=C sort)
# fixtures/README.md names every folder of files and every program, and none that is not there.
while read -r folder; do
    grep -q "^| \`$folder\` |" fixtures/README.md || { echo "fixtures/README.md: no row for $folder" && bad=1; }
done < <(find fixtures -mindepth 2 -type f ! -path 'fixtures/make/*' -printf '%P\n' | sed 's,/[^/]*$,,' | LC_ALL=C sort -u)
while read -r name; do
    [ -e "fixtures/$name" ] || { echo "fixtures/README.md: no fixtures/$name" && bad=1; }
done < <({ sed -n 's/^| `\([^`]*\)` |.*/\1/p' fixtures/README.md; grep -o '`make/[^`]*`' fixtures/README.md | tr -d '`'; } | LC_ALL=C sort -u)
for program in fixtures/make/*.*; do
    grep -qF "\`${program#fixtures/}\`" fixtures/README.md || { echo "fixtures/README.md: $program is not named" && bad=1; }
done
# A fuzz target starts from the one folder of its name.
for target in tests/fuzz/fuzz_*.c; do
    name=$(basename "$target" .c) && name=${name#fuzz_}
    [ "$(find fixtures -type d -name "$name" | wc -l)" = 1 ] || { echo "$target: not one folder '$name' in fixtures/" && bad=1; }
done
exit $bad
