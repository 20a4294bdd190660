# goldens: .npy files of numpy, hostile archives and CSVs; verdicts as recorded, or a refusal that says why
data=${T2_DATA:-$T2_ROOT/../shared/data}/goldens
[ -d "$data/hostile" ] && [ -d "$data/formats/npy" ] || { echo "no goldens in T2_DATA" >&2; exit 77; }
each() { # format, flag, files: what became of them
    format=$1 && flag=$2 && shift 2
    for f in "$@"; do
        ln -sf "$f" "${f##*/}"
        if tfrec convert --quiet --from="$format" $flag --to=jsonl -o o "${f##*/}" 2>e; then
            printf '%s\n' "${f##*/}: $(wc -l <o | tr -d ' ') $(tr '\n' ' ' <o | cut -c 1-100)"
        else
            cat e
        fi
        [ ! -e o.incomplete ]
        rm -f o "${f##*/}"
    done
}
each npz "" "$data"/formats/npy/*.npy
each webdataset "" "$data"/hostile/archives/*.tar "$data"/hostile/archives/*.tar.*
each csv --columns=path,label "$data"/hostile/csv/*.csv
each npz "" "$data"/hostile/archives/*.zip
