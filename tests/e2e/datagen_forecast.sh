# --dry_run before anything was downloaded: sizes that the server announces, and the run that cannot fit is refused
# before its first byte: disk (a small file system), memory (ulimit), of a task its share.
# shellcheck source=tests/e2e/fetch_common.subr
. "$T2_ROOT/tests/e2e/fetch_common.subr"

mkdir problems
cat >problems/far.yaml <<END
sources:
  - url: $url/ok/bytes-3000000
    size: 3000000
    file: far.txt
  - url: $url/ok/bytes-5000
    file: near.txt
kind: text2self
train: far.txt
dev: near.txt
vocab_size: 1024
train_shards: 4
END
far() { t2t-datagen --t2t_usr_dir=problems --problem=far --download_retries=0 --num_threads=2 "$@"; }

far --data_dir=d --tmp_dir=t --dry_run >plan 2>err || { cat err; exit 1; }
grep -q '^  forecast: 3.0 MB to download, about 3.0 MB of text; disk: 3.0 MB in --tmp_dir, ' plan || { cat plan; exit 1; }
far --data_dir=d --tmp_dir=t --dry_run --json >plan.json 2>err
grep -q '"download_bytes": 3005000, "files_of_unknown_size": 0, "text_bytes": 3005000, "tmp_dir_bytes": 3005000,' plan.json || { cat plan.json; exit 1; }
grep -q '"fits": true, "missing": null}' plan.json
[ ! -e d ] && [ ! -e t ]

# what is there is not downloaded; what was half downloaded is not counted twice
mkdir t
head -c 3000000 /dev/zero | tr '\0' 'a' | fold -w 60 >t/far.txt
far --data_dir=d --tmp_dir=t --dry_run >plan 2>err
grep -q '^  forecast: 5.0 kB to download, about 3.1 MB of text; disk: 5.0 kB in --tmp_dir, ' plan || { cat plan; exit 1; }

# memory that the machine has not; a sanitizer maps more than any limit
rc=0
case ${T2_BUILD:-} in
*/asan | */tsan) ;;
*)
    # shellcheck disable=SC3045
    (ulimit -v 4000000; far --data_dir=d --tmp_dir=t --max_memory=5G) >out 2>err || rc=$?
    [ $rc = 2 ] && grep -q -e '--max_memory=5.4 GB: this machine, its control group or ulimit -v has 4.1 GB only' err || { cat err; exit 1; }
    ;;
esac

# a disk that is too small
[ "$(id -u)" = 0 ] || exit 0
mkdir small
mount -t tmpfs -o size=2m tmpfs small 2>/dev/null || exit 0
trap 'umount small; kill $server 2>/dev/null || true' EXIT
rc=0
far --data_dir=d --tmp_dir=small/t >out 2>err || rc=$?
sed -i 's/has [0-9.]* MB free/has (...) free/' err
[ $rc = 1 ] && grep -q "'small/t' has (...) free, but downloads and unpacked text will take about 3.0 MB; nothing was begun" err || { cat err; exit 1; }
[ ! -e small/t ] && [ -z "$(find d -type f ! -size 0 2>/dev/null)" ]
rc=0
far --data_dir=small/d --tmp_dir=t >out 2>err || rc=$?
[ $rc = 1 ] && grep -q "'small/d' has .* free, but the data set will take about " err || { cat err; exit 1; }
grep -q '"fits": false' <<END || exit 1
$(far --data_dir=small/d --tmp_dir=t --dry_run --json 2>/dev/null)
END

# a quarter of it fits; and who knows better begins anyway
mixed() { t2t-datagen --quiet --name=mixed --train=text --kind=text2self --vocab_size=300 --data_dir=small/m --num_shards=8 "$@"; }
i=0
while [ $i -lt 80000 ]; do i=$((i + 1)); echo "line $i has the words $((i * 7919 % 100003)) and $((i * 104729 % 99991))"; done >text
rc=0
mixed 2>err || rc=$?
[ $rc = 1 ] && grep -q "nothing was begun" err || { cat err; exit 1; }
mixed --task=0/8 2>err || { cat err; exit 1; }
rm -rf small/m
mixed --ignore_space 2>err && exit 1
grep -q 'No space left on device' err || { cat err; exit 1; }
