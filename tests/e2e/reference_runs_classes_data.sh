# What the original wrote for IMDB and CNN/Daily Mail (reference-runs), made again: vocabularies, shards with
# sorted keys, the text it keeps in tmp_dir.  Prints the table.
T2_DATA=${T2_DATA:-$T2_ROOT/../shared/data}
runs=$T2_DATA/reference-runs
[ -d "$runs" ] || { echo "no reference-runs in T2_DATA" >&2; exit 77; }
command -v python3 >/dev/null || { echo "no python3" >&2; exit 77; }
bad=0

row() { # run, what, equal?
    printf '%-18s %-28s %s\n' "$1" "$2" "$3"
    [ "$3" = equal ] || bad=1
}

same() { cmp -s "$1" "$2" && echo equal || echo DIFFERENT; }

make_run() { # run, recipe, problems
    mkdir -p "$1/tmp"
    PYTHONDONTWRITEBYTECODE=1 python3 "$runs/tools/prepare.py" "$2" "$T2_DATA" "$1/tmp"
    t2t-datagen --quiet --offline --problem="$3" --data_dir="$1/data" --tmp_dir="$1/tmp" 2>"$1/log" || { cat "$1/log" >&2; exit 1; }
}

# The digests of the files in a folder that a list names, in the list's order.
sums() { # list, folder
    sed 's/^[0-9a-f]*  *\**//' "$1" | while read -r f; do (cd "$2" && sha256sum "$f"); done
}

shards() { # run
    sed 's/ \*/  /' "$runs/$1/SHA256SUMS.sorted" >"$1.expected"
    sums "$1.expected" "$2" >"$1.got"
    row "$1" "$(wc -l <"$1.expected") shards" "$(same "$1.expected" "$1.got")"
}

make_run imdb imdb sentiment_imdb,sentiment_imdb_characters
v=vocab.sentiment_imdb.8192.subwords
row t2t-imdb.sorted vocabulary "$(same "imdb/data/$v" "$runs/t2t-imdb.sorted/$v")"
shards t2t-imdb.sorted imdb/data
# The unsorted run: the vocabulary, and the records of dev, which are in one shard, in any order.
row t2t-imdb vocabulary "$(same "imdb/data/$v" "$runs/t2t-imdb/$v")"
python3 - imdb/data "$runs/t2t-imdb/shards.tsv" >multisets <<'END'
import hashlib, struct, sys
for line in open(sys.argv[2]).read().splitlines()[1:]:
    name, n, _, _, _, multiset = line.split("\t")
    if "-dev-" not in name:
        continue
    raw, at, digests = open(sys.argv[1] + "/" + name, "rb").read(), 0, []
    while at < len(raw):
        size = struct.unpack_from("<Q", raw, at)[0]
        digests.append(hashlib.sha256(raw[at + 12:at + 12 + size]).hexdigest())
        at += 16 + size
    got = hashlib.sha256("".join(d + "\n" for d in sorted(digests)).encode()).hexdigest()
    print(name, "equal" if got == multiset and len(digests) == int(n) else "DIFFERENT")
END
while read -r name verdict; do row t2t-imdb "records of ${name%-dev*} dev" "$verdict"; done <multisets

make_run cnndm cnndm summarize_cnn_dailymail32k
v=vocab.summarize_cnn_dailymail32k.32768.subwords
row t2t-cnndm vocabulary "$(same "cnndm/data/$v" "$runs/t2t-cnndm/$v")"
shards t2t-cnndm cnndm/data
sed 's/ \*/  /' "$runs/t2t-cnndm/SHA256SUMS.tmp" >cnndm.expected
sums cnndm.expected cnndm/tmp >cnndm.got
row t2t-cnndm "text in tmp_dir" "$(same cnndm.expected cnndm.got)"
exit $bad
