# kinds are compared within a data set, with its splits: another set of the folder may call something else by the same name
record() { printf '{"inputs":%s,"label":%s}\n' "$2" "$3" | tfrec convert --quiet --to=tfrecord -o "$1" -; }
mkdir d
record d/a-train-00000-of-00001 '[1,2]' 1
record d/a-dev-00000-of-00001 '[3]' 2
record d/b-train-00000-of-00001 '"text"' 0.5
record d/b-dev-00000-of-00001 '"more"' 0.25
tfrec verify --quiet d
# another kind in the same set, and files that are no shards
record d/b-dev-00000-of-00001 '"more"' 7
tfrec verify --quiet d || echo "exit $?"
record one '[1]' 1
record two '"x"' 1
tfrec verify --quiet one two || echo "exit $?"
# the same by manifests
manifest() { # name, shard of train, shard of dev
    for f in "$2" "$3"; do
        printf '"%s": {"records": 1, "shards": [{"file": "%s", "records": 1, "bytes": %d, "sha256": "%s"}]},' "${f%.*}" "$f" "$(wc -c <"d/$f")" \
            "$(sha256sum "d/$f" | cut -c 1-64)"
    done | sed 's/,$//' | { printf '{"format": "t2t.c data set", "format_version": 1, "problem": "%s", "features": [], "splits": {' "$1"; cat; printf '}}'; } >"d/$1.manifest.json"
}
rm d/*-of-*
record d/train.a '[1]' 1
record d/dev.a '[2]' 1
record d/train.b '"x"' 1
record d/dev.b '[2]' 1
manifest a train.a dev.a
manifest b train.b dev.b
tfrec verify --quiet d || echo "exit $?"
