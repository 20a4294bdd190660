# where files come from: --archive_dir, --mirror, --offline, file://, mirrors, several at once, --max_rate
# shellcheck source=tests/e2e/fetch_common.subr
. "$T2_ROOT/tests/e2e/fetch_common.subr"
file=bytes-5000
fetch() { t2t-datagen --tmp_dir=d --download_wait=0.02 --download_retries=1 "$@"; }

mkdir a
cp v1 a/$file
fetch --fetch="http://host.invalid/x/$file" --archive_dir=a --sha256="$v1" >out 2>err
[ "$(cat out)" = a/$file ] && [ ! -e d ]
fetch --fetch="file://$PWD/a/$file" >out 2>err
[ "$(cat out)" = "$PWD/a/$file" ]

# what is there and is not the file: warned about, fetched, replaced
cp v2 a/$file
mkdir d
cp v2 d/$file
fetch --fetch="$url/ok/$file" --archive_dir=a --sha256="$v1" >out 2>err
[ "$(cat out)" = d/$file ] && cmp d/$file v1
[ "$(grep -c 'it is not used' err)" = 2 ]
cp v2 d/$file
fetch --fetch="$url/ok/$file" --sha256="$v1" --noverify_downloads >out 2>err
cmp d/$file v2

# instead of the host: <mirror>/<name>
rm -rf d
fetch --fetch="https://host.invalid/x/$file" --mirror="$url/ok/" >out 2>err
cmp d/$file v1
rm -rf d
cp v1 a/$file
fetch --fetch="https://host.invalid/x/$file" --mirror="$PWD/a" >out 2>err
[ "$(cat out)" = "$PWD/a/$file" ]

# mirrors in order; the part of the first is continued from the second because the digest will tell
fetch --fetch="$url/404/$file|$url/stall-headers/x/$file|$url/ok/$file" --download_timeout=2 >out 2>err
cmp d/$file v1
grep -q "answers 404 (not there); trying the next mirror" err
rm -rf d
fetch --fetch="$url/drop-once-no-range/3000/$file|$url/ok/$file" --sha256="$v1" --download_retries=0 >out 2>err
cmp d/$file v1

# nothing is asked when offline; all that is missing is listed
before=$(wc -l <requests.jsonl)
fails fetch --fetch="$url/ok/bytes-1,$url/ok/bytes-2,$url/ok/$file" --offline >out 2>err
[ "$(cat out)" = d/$file ]
grep -q "error: --offline: '$url/ok/bytes-1' is missing; put it at 'd/bytes-1'" err
grep -q "error: --offline: '$url/ok/bytes-2' is missing; put it at 'd/bytes-2'" err
[ "$before" = "$(wc -l <requests.jsonl)" ]

# five files by four: all there, and one that fails does not keep the others
list=
for i in 1 2 3 4; do list=$list$url/slow/1000/bytes-200$i,; done
start=$(date +%s%N)
fails fetch --fetch="$list$url/404/gone" >out 2>err
took=$((($(date +%s%N) - start) / 1000000))
[ "$(wc -l <out)" = 4 ]
[ $took -lt 7000 ] || { echo "four files of two seconds each took $took ms"; exit 1; }
# the limit is of all together: 80 kB at 40 kB/s
start=$(date +%s%N)
fetch --fetch="$url/ok/bytes-40000,$url/ok/bytes-40001" --max_rate=40000 >out 2>err
took=$((($(date +%s%N) - start) / 1000000))
[ $took -gt 900 ] || { echo "the rate was not limited: $took ms"; exit 1; }

# a proxy: what it is asked for, and that it need not be there for what no_proxy names
rm -rf d
no_proxy='' fetch --fetch="http://host.invalid/ok/$file" --proxy="$url" >out 2>err || true
was_noted '"path": "http://host.invalid/ok/bytes-5000"'
http_proxy=http://127.0.0.1:9 fetch --fetch="$url/ok/$file" >out 2>err
cmp d/$file v1
