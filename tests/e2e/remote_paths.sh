# hdfs://bucket/x given to any flag of any tool: nothing appears in the current folder, and a flag or
# argument that takes a path refuses it.  So does gs://bucket/x, where nothing answers: never a local
# folder "gs:", and no tool that says it has done its work.  Flags and commands come from the tools'
# own --help.
# With sanitizers by name: a hundred flags that are refused alike
export STORAGE_EMULATOR_HOST=127.0.0.1:1 T2_REMOTE_TRIES=1 T2_CACHE=$PWD/cache
root=$T2_ROOT
dir=$PWD/empty
mkdir "$dir"
bad=0

fail() {
    echo "$*" >&2
    bad=1
}

# Runs a command line in an empty folder.  $1: must it refuse the path by name?
try() {
    must=$1
    shift
    code=0
    (cd "$dir" && timeout 20 "$@" </dev/null >../out 2>&1) || code=$?
    [ -z "$(ls -A "$dir")" ] || { fail "'$*' made $(ls -A "$dir")"; rm -rf "$dir" && mkdir "$dir"; }
    [ "$must" = yes ] || return 0
    case $code in 0 | 124 | 1[2-9][0-9]) fail "'$*': exit code $code" ;; esac
    case $scheme in
    hdfs) want="'hdfs://bucket/x': .*only gs://, s3:// and https://.*hdfs dfs\\|'hdfs://bucket/x': only a local path" ;;
    *) want= ;;
    esac
    grep -q "$want" out || fail "'$*' does not refuse the path: $(head -n 3 out)"
}

# "name meta" of each flag with a text value
flags_of() {
    "$@" --help | sed -n 's/^  --*\([a-z][a-z0-9_]*\)\(=\| \|\[=\)\([^] ]*\).*/\1 \3/p' |
        awk '$2 !~ /^(N|X|SIZE)$/'
}

n_paths=0
walk() {
    flags_of "$@" >flags
    while read -r name meta; do
        case $meta in
        FILE* | DIR | INPUT | OUT | BASE | CORPUS | PREFIX | *'|FILE')
            n_paths=$((n_paths + 1))
            must=yes
            ;;
        *) must=no ;;
        esac
        case $name in ?) set -- "$@" "-$name" $scheme://bucket/x ;; *) set -- "$@" "--$name=$scheme://bucket/x" ;; esac
        try $must "$@"
        case $name in ?) drop=2 ;; *) drop=1 ;; esac
        n=$(($# - drop))
        for word; do
            shift
            [ "$n" -gt 0 ] && set -- "$@" "$word"
            n=$((n - 1))
        done
    done <flags
}

for scheme in hdfs gs; do
    for main in "$root"/*/*_main.c; do
        tool=$(basename "$main" _main.c | tr _ - | sed s/^data-download$/data_download/)
        commands=$("$tool" --help |
            sed -n '/^usage: [^ ]* COMMAND/,/^every command/s/^  \([a-z][a-z]*\)  *[A-Z].*/\1/p')
        case $tool in
        data_download) walk $tool --offline ;; # else it would begin to download
        *) [ -n "$commands" ] || walk "$tool" ;;
        esac
        for command in $commands; do
            walk "$tool" "$command"
            # positional arguments; those of lookup are entries
            [ "$command" = lookup ] || try yes "$tool" "$command" $scheme://bucket/x
            [ "$command" = lookup ] || try yes "$tool" "$command" a -- $scheme://bucket/x
        done
    done
done
[ "$n_paths" -ge 200 ] || fail "only $n_paths flags take a path: is --help read rightly?"

# Whole command lines, which would have gone on; and paths in the middle of a list.
tfrec convert -o some.tfrecord --from=jsonl --json=short - <<'EOF'
{"inputs":[3,1]}
EOF
echo 'one two' >a.txt
scheme=gs
try yes t2t-datagen --problem=algorithmic_identity_binary40 --data_dir=gs://bucket/x
try yes t2t-datagen --name=x --train=../a.txt,gs://bucket/x --dev=../a.txt --data_dir=../d
try yes t2t-vocab build --target_size=50 -o gs://bucket/x ../a.txt
try yes t2t-vocab count -o gs://bucket/x ../a.txt
try yes tfrec shuffle -o gs://bucket/x ../some.tfrecord
try yes tfrec reshard --shards=2 -o gs://bucket/x ../some.tfrecord
try yes tfrec count '../some.tfrecord' gs://bucket/x
try no tfrec index --manifest=gs://bucket/x ../some.tfrecord
try yes t2t-trainer --problem=translate_ende_wmt8k --output_dir=gs://bucket/x --dry_run
code=0
t2t-bleu --translation=file://localhost/a --reference=a.txt 2>err || code=$?
if [ "$code" -eq 0 ] || ! grep -q "write '/a'" err; then
    fail "file:// is not refused with the path"
fi
exit $bad
