# every command without the right to read, and with a full disk for its output
setpriv --bounding-set=-all --inh-caps=-all true 2>/dev/null || { echo "no setpriv, or no right to use it" >&2; exit 77; }
. "$T2_ROOT/tests/cli/tfrec/every_command.inc"
mkdir set
printf '{"inputs":[3,1],"label":1}\n{"inputs":[4,1],"label":2}\n' >two.jsonl
tfrec convert --quiet --to=tfrecord -o two two.jsonl
tfrec split --quiet --shards=1 -o set/x-train two
tfrec index --manifest --quiet set
# root may read everything, unless it lacks the capability
cp two locked
chmod 000 locked
PREFIX='setpriv --bounding-set=-all --inh-caps=-all'
echo "== locked"
every_command locked
mkdir shut
cp two shut/
chmod 500 shut
echo "== in a folder that may not be written"
for line in "salvage -o shut/new" "index" "split --shards=1 -o shut/new" "merge -o shut/new" "report -o shut/new" \
    "sort --by=bytes() -o shut/new" "shuffle -o shut/new" "dedup -o shut/new" "convert --to=jsonl -o shut/new"; do
    # shellcheck disable=SC2086 # a list of words
    $PREFIX tfrec $line --quiet shut/two || echo "exit $?"
done
ls -A shut
chmod 700 shut
echo "== a full disk"
for line in count head tail "sample" cat "cat --raw" "get 0" schema "schema --json" stats "stats --json" "report -o -" verify \
    "verify --json" "salvage -o -" "index --json" "merge -o -" "filter --where=label==1" "project --drop=none -o -" "dedup -o -" \
    "sort --by=label -o -" "shuffle -o -" "convert --to=jsonl -o -" "convert --to=csv -o -" "convert --to=webdataset -o -" \
    "convert --to=npz -o -" "convert --to=bagz -o -" raw "raw --json"; do
    # shellcheck disable=SC2086 # a list of words
    tfrec $line --quiet two >/dev/full && echo "$line: exit 0"
done
tfrec diff two locked >/dev/full && echo "diff: exit 0"
tfrec append --dry_run set two >/dev/full && echo "append: exit 0"
tfrec remove --records=0 --dry_run set >/dev/full && echo "remove: exit 0"
tfrec relabel --set=label=5 --dry_run set >/dev/full && echo "relabel: exit 0"
for line in "salvage" "merge" "report" "sort --by=label" "shuffle" "dedup" "convert --to=jsonl" "convert --to=npz" "filter --where=label==1"; do
    # shellcheck disable=SC2086 # a list of words
    tfrec $line --quiet -o /dev/full two && echo "$line: exit 0"
done
ls
