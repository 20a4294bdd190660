# downloads that are stopped (SIGINT, kill -9) go on where they were; nothing has its name before it is whole; of two
# runs that want the same file one downloads it
# shellcheck source=tests/e2e/fetch_common.subr
. "$T2_ROOT/tests/e2e/fetch_common.subr"
file=bytes-5000
fetch() { t2t-datagen --fetch="$url/$1" --tmp_dir=d --download_wait=0.02 --download_retries=2; }

# SIGINT: exit code 130, the part stays; the next run asks for the rest only
rm -rf d
env --default-signal=INT t2t-datagen --fetch="$url/slow/2000/$file" --tmp_dir=d 2>err &
pid=$!
while [ ! -s d/$file.part ]; do sleep 0.05; done
kill -INT $pid
rc=0
wait $pid || rc=$?
[ $rc = 130 ]
grep -q 'interrupted; run the same command again to continue' err
[ ! -e d/$file ] && [ ! -e d/$file.lock ]
had=$(stat -c %s d/$file.part)
[ "$had" -gt 0 ] && [ "$had" -lt 5000 ]
cmp -n "$had" d/$file.part v1
t2t-datagen --fetch="$url/slow/2000/$file" --tmp_dir=d --dry_run >plan
grep -q "download  *5.0 kB  $url/slow/2000/$file, from byte .* -> d/$file" plan
fetch slow/2000/$file >out 2>err
cmp d/$file v1
was_noted "\"range\": \"bytes=$had-\""
[ "$(ls d)" = $file ]
fetch slow/2000/$file 2>&1 >out | grep -q 'Not downloading, file already found: d/'

# SIGINT while nothing comes: at once
rm -rf d
env --default-signal=INT t2t-datagen --fetch="$url/stall-headers/$file" --tmp_dir=d 2>err &
pid=$!
while [ ! -e d/$file.lock ]; do sleep 0.05; done
kill -INT $pid
rc=0
wait $pid || rc=$?
[ $rc = 130 ]
! grep -q -e 'nothing of the file came' -e 'was not complete' err

# kill -9 at many moments: in the end the same bytes, never a half file under the name
rm -rf d
kills=0
for pause in 0.02 0.05 0.1 0.15 0.2 0.25 0.3 0.1 0.2 0.3 0.4 0.1 0.2 0.3; do
    t2t-datagen --fetch="$url/slow/3000/$file" --tmp_dir=d >out 2>err &
    pid=$!
    sleep $pause
    if kill -9 $pid 2>/dev/null; then kills=$((kills + 1)); fi
    wait $pid 2>/dev/null || true
    [ ! -e d/$file ] || cmp d/$file v1
done
fetch slow/3000/$file >out 2>err
cmp d/$file v1
[ "$(find d -type f ! -name '*.lock' | wc -l)" = 1 ]
[ $kills -gt 3 ]

# a part that somebody has spoilt is found by its digest, and all is fetched again
rm -rf d && mkdir d
head -c 2000 v2 >d/$file.part
printf '{"url": "%s", "etag": "", "last_modified": "", "content_encoding": "", "total_bytes": 5000}' "$url/ok/$file" >d/$file.part.json
t2t-datagen --fetch="$url/ok/$file" --sha256="$v1" --tmp_dir=d --download_wait=0.02 >out 2>err
grep -q "has SHA-256 .*, expected $v1; trying again" err
cmp d/$file v1

# two runs at once
rm -rf d
t2t-datagen --fetch="$url/slow/2000/$file" --tmp_dir=d >out1 2>err1 &
pid=$!
while [ ! -s d/$file.part ]; do sleep 0.05; done
fetch slow/2000/$file >out 2>err
grep -q "another run (process $pid) is downloading '$file' in 'd'; waiting for it" err
wait $pid
cmp d/$file v1
if grep -q 'Successfully downloaded' err; then exit 1; fi
[ "$(ls d)" = $file ]

# no room for the part: told, nothing under the name, and the part is of use afterwards
rm -rf d
(
    trap '' XFSZ
    ulimit -f 4
    fails fetch ok/bytes-9000 >out 2>err
)
grep -q "bytes-9000.part': cannot write: File too large" err
[ ! -e d/bytes-9000 ]
fetch ok/bytes-9000 >out 2>err
[ "$(stat -c %s d/bytes-9000)" = 9000 ]
