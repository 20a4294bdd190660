# Every translation problem that --only_list has is made, in one command, out of small archives with the names and
# members that --dry_run says; nothing but the wanted members is unpacked.
command -v python3 >/dev/null || { echo "no python3, which builds the archives" >&2; exit 77; }
t2t-datagen --only_list --problem='translate_en*' 2>/dev/null | sed -n 's/^ *\* //p' | grep -v '^translate_ende_numbers$' >names
[ "$(wc -l <names)" -ge 52 ]
problems=$(tr '\n' , <names | sed 's/,$//')
t2t-datagen --problem="$problems" --dry_run --data_dir=data --tmp_dir=tmp >plan 2>/dev/null
mkdir -p tmp data
PYTHONDONTWRITEBYTECODE=1 python3 "$T2_ROOT/tests/support/translate_archives.py" plan tmp
# the vocabulary of four languages comes from a language model's gigabytes: another one stands for it
t2t-datagen --quiet --problem=translate_enro_wmt8k --data_dir=first --tmp_dir=tmp --offline --noverify_downloads
cp first/vocab.translate_enro_wmt8k.8192.subwords data/vocab.languagemodel_de_en_fr_ro_wiki64k.64000.subwords

rc=0
t2t-datagen --problem="$problems" --train_shards=2 --data_dir=data --tmp_dir=tmp --offline --noverify_downloads 2>log || rc=$?
[ $rc = 0 ] || { tail -n 3 log >&2; exit 1; }
while read -r p; do
    for shard in data/"$p"-train-00000-of-0000[12] data/"$p"-dev-00000-of-00001; do
        [ -s "$shard" ] || { echo "no shard $shard" >&2; rc=1; }
    done
    grep -q '"n_records": 0,' "data/$p.manifest.json" && { echo "$p: an empty split" >&2; rc=1; }
done <names
[ ! -e tmp/unwanted ] || { echo "a member that nobody wants was unpacked" >&2; rc=1; }
! find data tmp -name '*.incomplete' -o -name '*.unpacking' | grep . || rc=1
exit $rc
