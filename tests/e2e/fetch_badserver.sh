# every route of badserver.py (../peers/badserver.md beside T2_DATA): what t2t-datagen --fetch makes of it, in one table
# shellcheck source=tests/e2e/fetch_common.subr
. "$T2_ROOT/tests/e2e/fetch_common.subr"
file=bytes-5000
failed=0 n=0
printf '%-38s %4s %4s %-8s %s\n' route exit asks result says

# route, exit code, requests ("-": not compared), result ("v1", "v2" or "none" under the final name), words on
# stderr, flags
row() {
    route=$1 want_rc=$2 want_n=$3 want=$4 words=$5
    shift 5
    n=$((n + 1)) dir=d$n rc=0
    [ ! -d prepared ] || mv prepared $dir
    before=$(n_requests "/$route")
    timeout 60 t2t-datagen --fetch="$url/$route" --tmp_dir=$dir --download_wait=0.02 --download_timeout=2 \
        --download_retries=2 "$@" >out 2>err || rc=$?
    # the server notes a request when it has done with it
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        asked=$(($(n_requests "/$route") - before))
        [ "$want_n" != - ] && [ $asked -lt "$want_n" ] || break
        sleep 0.1
    done
    name=${route##*/}
    result=none
    if [ -e "$dir/$name" ]; then
        result=other
        for v in v1 v2; do ! cmp -s "$dir/$name" $v || result=$v; done
    fi
    ok=ok
    [ $rc = "$want_rc" ] && [ $result = "$want" ] || ok=WRONG
    [ "$want_n" = - ] || [ $asked = "$want_n" ] || ok=WRONG
    grep -q -e "$words" err || ok=WRONG
    [ -z "$(find $dir -name '*.lock' -o -name '*incomplete*')" ] || ok=WRONG
    # of what has its name nothing else is left
    [ $result = none ] || [ "$(ls $dir | wc -l)" = 1 ] || ok=WRONG
    printf '%-38s %4s %4s %-8s %s\n' "/$route" $rc $asked $result "$(grep -o -e "$words" err | head -n 1)"
    if [ $ok != ok ]; then
        failed=$((failed + 1))
        echo "    WRONG: wanted exit $want_rc, $want_n requests, $want, '$words'; was:"
        sed 's/^/    /' err
    fi
}
got='Successfully downloaded'

row ok/$file 0 1 v1 "$got $file, 5000 bytes\."
row no-range/$file 0 1 v1 "$got"
row drop-after/1000/$file 0 5 v1 "$got" --sha256=$v1
row drop-after/500/$file 0 10 v1 "$got"
row drop-once/1000/$file 0 2 v1 "$got"
row drop-once-no-range/1000/$file 0 2 v1 "$got" --sha256=$v1
row reset-after/1000/$file 0 - v1 "$got" --sha256=$v1
row close-at-once/$file 1 3 none '3 times in a row: Empty reply'
# of these three the server knows only much later
row stall/3000/$file 0 - v1 'nothing of the file came for 2 s; trying again'
row stall-headers/$file 1 - none '2 times in a row: after 2 s the head of the answer was not complete' --download_retries=1
row slow/2500/$file 0 - v1 "$got"
row slow/100/$file 1 - none '2 times in a row: for 2 s fewer than 500 bytes a second came' --download_retries=1
row slow/2500/$file 1 - none 'fewer than 1000000 bytes a second came' --download_retries=0 --download_timeout=1 \
    --min_rate=1000000
row wrong-length/10/$file 1 4 none 'with 10 bytes remaining'
row wrong-length/10/$file 1 1 none 'announces 5010 bytes, expected 5000' --size=5000
row wrong-length/-10/$file 1 2 none "has SHA-256 .* expected $v1" --sha256=$v1
row wrong-hash/$file 1 2 none "has SHA-256 .* expected $v1" --sha256=$v1
row wrong-hash-once/$file 0 2 v1 "has SHA-256.*trying again" --sha256=$v1
row redirect-chain/9/$file 0 1 v1 "$got"
row redirect-chain/10/$file 1 1 none 'more than 10 redirects'
row redirect-relative/$file 0 1 v1 "$got"
row redirect-loop 1 11 none 'more than 10 redirects'
row redirect-no-location 1 1 none 'redirects without saying where to'
row redirect-to-file 1 1 none 'redirects to another protocol: file:///dev/null'
row 503-then-ok/2/$file 0 3 v1 'answers 503 (busy or broken); trying again in 1 s'
row 503-date-then-ok/1/$file 0 2 v1 'answers 503 (busy or broken); trying again'
row 429-then-ok/1/$file 0 2 v1 'answers 429 (busy or broken); trying again in 1 s'
row 503-then-ok/9/$file 1 3 none '3 times in a row: the server answers 503' # gives up sooner
row 404/$file 1 1 none 'answers 404 (not there)'
row status/403 1 1 none 'answers 403 (not allowed)'
row status/500 1 3 none '3 times in a row: the server answers 500'
row html-instead/$file 0 2 v1 'asks for a confirmation (large file)'
row html-always/$file 1 1 none 'sends an HTML page instead of the file: perhaps it needs a sign-in'
row gzip-encoded/$file 0 1 v1 "$got" --sha256=$v1
row gzip-encoded/$file 0 1 v1 "$got"
row gzip-if-asked/$file 0 1 v1 "$got"
row etag-changes/1000/$file 0 2 v2 "$got"
row no-content-length/$file 0 1 v1 "$got"
row chunked-cut/1000/$file 1 - none 'times in a row: transfer closed'
row until-close/$file 1 1 none 'does not say how long the file is'
row until-close/$file 0 1 v1 "$got" --sha256=$v1
row endless 1 1 none 'does not say how long the file is'
row endless 1 1 none 'sends more than 1048576 bytes' --sha256=$v1 --max_download=1M
row empty 1 1 none 'sends an empty file'
row long-header/1000/$file 0 1 v1 "$got"
row long-header/70000/$file 1 1 none 'more than 65536 bytes of headers'
row bad-status-line 1 1 none 'HTTP/0.9'
row disposition/$file 0 1 v1 "$got"
[ -z "$(find . -name 'outside*')" ] || { echo "the name in Content-Disposition was used"; failed=$((failed + 1)); }

# these two misbehave when a part is continued
for route in 416/$file 206-wrong-start/$file; do
    mkdir prepared
    head -c 1000 v1 >prepared/$file.part
    printf '{"url": "%s", "etag": "", "last_modified": "Sun, 13 Sep 2020 12:26:40 GMT", "content_encoding": "", "total_bytes": 5000}' \
        "$url/$route" >prepared/$file.part.json
    row $route 0 2 v1 'trying again'
done

# what is sent
t2t-datagen --fetch="$url/reflect" --tmp_dir=r >out 2>err
for words in '"Accept-Encoding": "identity"' '"User-Agent": "t2t.c/' '"method": "GET"'; do
    grep -qF "$words" r/reflect || { echo "/reflect: no $words"; failed=$((failed + 1)); }
done
! grep -q 'Cookie\|Range\|Referer' r/reflect || { cat r/reflect; failed=$((failed + 1)); }
printf '%-38s    0    1 %s\n' /reflect "$(cut -c 1-90 r/reflect)"
printf '%-38s    0    1 counters are zero\n' /forget

# every route of the server is in this table
routes=$(sed -n 's/^    def r_\([a-z0-9_]*\)(.*/\1/p' "$badserver" | tr _ -)
for r in $routes; do
    grep -q "\"path\": \"/${r}[/\"]" requests.jsonl || { echo "/$r was not asked for"; failed=$((failed + 1)); }
done
echo "$n rows, $failed wrong"
[ $failed = 0 ]
