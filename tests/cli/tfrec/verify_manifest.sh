# a manifest says how many records and bytes a file has, and its SHA-256
for i in 0 1 2 3 4 5 6 7 8 9; do
    printf '{"inputs":[%d,1],"label":%d}\n' "$i" "$((i % 3))"
done | tfrec convert --quiet --to=tfrecord -o x-train-00000-of-00001 -
manifest() { # records, bytes, sha256
    cat >x.manifest.json <<END
{"format": "t2t.c data set", "format_version": 1, "problem": "x", "features": [],
 "splits": {"train": {"records": $1, "shards": [
  {"file": "x-train-00000-of-00001", "records": $1, "bytes": $2, "sha256": "$3"}]}}}
END
}
size=$(wc -c <x-train-00000-of-00001)
sum=$(sha256sum x-train-00000-of-00001 | cut -c 1-64)
other=$(printf x | sha256sum | cut -c 1-64)
manifest 10 "$size" "$sum"
tfrec verify --hash x.manifest.json
manifest 11 "$((size + 1))" "$other"
tfrec verify x.manifest.json || echo "exit $?"
tfrec verify --hash . | sed 's/SHA-256: [0-9a-f]*/SHA-256: .../; s/says [0-9a-f]\{64\}/says .../' || true
tfrec verify --hash --json . >json || echo "exit $?"
grep -o '"errors": [0-9]*' json
