# Flags: every tool explains each of its flags, its --help has a golden, and documents and scripts
# name only flags that some tool has.
bad=0
all=$(mktemp) && trap 'rm -f "$all"' EXIT
echo --completion >"$all" # every tool has it, for installing: no row of --help
for main in */*_main.c; do
    [ -f "$main" ] || continue
    tool=$(basename "$main" _main.c | tr _ - | sed -E 's/^(data|resnet|transformer)-(download|main)$/\1_\2/')
    help=$("$BUILD/bin/$tool" --help) || { echo "$tool --help fails" && bad=1; continue; }
    # a tool of several commands: the help of each
    for command in $(printf '%s\n' "$help" | sed -n '/^usage: [^ ]* COMMAND/,/^every command/s/^  \([a-z][a-z]*\)  *[A-Z].*/\1/p'); do
        help=$help$(printf '\n\n'; "$BUILD/bin/$tool" "$command" --help) || { echo "$tool $command --help fails" && bad=1; }
    done
    printf '%s\n' "$help" | sed 's/--\[no\]/--/g' | grep -oE -- '--[a-z][a-z0-9_-]*' >>"$all"
    printf '%s\n' "$help" | awk 'length($0) > 80 { print FILENAME "--help: over 80 columns: " $0; bad = 1 } END { exit bad }' || bad=1
    # a row is a flag and, on its line or the next, what it is for
    printf '%s\n' "$help" | awk -v tool="$tool" '
        pending && !/^ +[^ -]/ { print tool ": --help says nothing about " pending; bad = 1 }
        { pending = "" }
        /^ +--[a-z]/ { rest = $0; sub(/^ +[^ ]+ */, "", rest); if (rest == "") pending = $1 }
        END { exit bad }' || bad=1
    ls tests/cli/"$tool"/*help*.stdout >/dev/null 2>&1 || { echo "$tool: no golden of --help in tests/cli/$tool/" && bad=1; }
done
[ -s "$all" ] || exit $bad
sort -u "$all" | tr - _ >"$all.s"
# Lines of documents that call one of our tools.
for doc in README.md docs/*.md scripts/*.sh CONTRIBUTING.md; do
    [ -f "$doc" ] || continue
    grep -nE '(t2t-(datagen|trainer|decoder|bleu|vocab|avg-all|exporter)|tfrec|jpeg-to-tfrecord) ' "$doc" |
        sed -E "s/^([0-9]+:).*(srun|sbatch) .*[ '](t2t-[a-z])/\1 \3/" | # what is Slurm's stands in front
        grep -oE -- '^[0-9]+|[ `]--[a-z][a-z0-9_-]*' | tr -d ' `' | while read -r word; do
        case $word in
        [0-9]*) line=$word ;;
        *)
            plain=$(printf '%s' "$word" | tr - _)
            grep -q "^+ *{\"${plain#__}\"" "$doc" && continue # a walk-through adds it
            grep -qxF -- "$plain" "$all.s" || grep -qxF -- "__${plain#__no}" "$all.s" || echo "$doc:$line: no tool has $word"
            ;;
        esac
    done
done | grep . && bad=1
rm -f "$all.s"
exit $bad
