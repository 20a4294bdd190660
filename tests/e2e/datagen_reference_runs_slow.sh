# every recorded run of the original t2t-datagen, made again from files that its recipe prepares: shards by
# SHA256SUMS.sorted, vocabularies and compiled text byte for byte; a table says what was compared
T2_DATA=$(cd "${T2_DATA:-$T2_ROOT/../shared/data}" 2>/dev/null && pwd) || { echo "no T2_DATA" >&2; exit 77; }
runs=$T2_DATA/reference-runs
[ -d "$runs/tools" ] || { echo "no reference-runs in T2_DATA" >&2; exit 77; }
command -v python3 >/dev/null || { echo "no python3" >&2; exit 77; }
export PYTHONDONTWRITEBYTECODE=1

# sums FILE DIR: "SAME of TOTAL"; the lines of a list of digests are of files in DIR
sums() {
    total=$(wc -l <"$1")
    bad=$(cd "$2" && { sha256sum --quiet -c "$1" 2>/dev/null || :; } | wc -l)
    echo "$((total - bad)) of $total"
    [ "$bad" -eq 0 ] || failed=1
}
# vocabs RUN DIR: how many of the run's vocabularies are there and the same
vocabs() {
    same=0 total=0
    for f in "$1"/vocab*; do
        [ -f "$f" ] || continue
        total=$((total + 1))
        name=$(basename "$f" .gz)
        case $f in *.gz) gzip -dc "$f" >plain ;; *) cp "$f" plain ;; esac
        ! cmp -s plain "$2/$name" || same=$((same + 1))
    done
    echo "$same of $total"
    [ "$same" -eq "$total" ] || failed=1
}
# missing PROBLEMS: those that this program does not make
missing() {
    for p in $(echo "$1" | tr , ' '); do
        case "$(t2t-datagen --describe --problem="$p" 2>&1)" in
        *'not made here'* | *'there is no problem'*) printf '%s ' "$p" ;;
        esac
    done
}

failed=0
printf '%-26s %-12s %-12s %-10s %s\n' run shards vocabularies text problems
for readme in "$runs"/t2t-*/README.md; do
    line=$(sed -n 's/^ *T2T=<environment> tools\/datagen.sh //p' "$readme")
    [ -n "$line" ] || continue
    run=$(basename "$(dirname "$readme")")
    recipes=$(echo "$line" | cut -d' ' -f2) problems=$(echo "$line" | cut -d' ' -f3)
    # t2t-imdb is in the order of one disk, t2t-imdb.sorted in ours; bytes of PNG are the encoder's
    case $run in t2t-imdb) continue ;; esac
    if [ -f "$runs/$run/pixels.tsv" ]; then continue; fi
    absent=$(missing "$problems")
    [ -z "$absent" ] || { printf '%-26s not made here: %s\n' "$run" "$absent"; continue; }
    for r in $(echo "$recipes" | tr , ' '); do
        python3 "$runs/tools/prepare.py" "$r" "$T2_DATA" "tmp.$run" || exit 1
    done
    t2t-datagen --problem="$problems" --data_dir="data.$run" --tmp_dir="tmp.$run" --offline --noverify_downloads --quiet \
        2>"log.$run" || { printf '%-26s %s\n' "$run" "$(tail -1 "log.$run")"; failed=1; continue; }
    text=-
    if [ -f "$runs/$run/SHA256SUMS.tmp" ]; then
        sums "$runs/$run/SHA256SUMS.tmp" "tmp.$run" >same && text=$(cat same)
    fi
    sums "$runs/$run/SHA256SUMS.sorted" "data.$run" >shards
    vocabs "$runs/$run" "data.$run" >vocabularies
    printf '%-26s %-12s %-12s %-10s %s\n' "$run" "$(cat shards)" "$(cat vocabularies)" "$text" "$problems"
    rm -rf "tmp.$run" "data.$run"
done
exit $failed
