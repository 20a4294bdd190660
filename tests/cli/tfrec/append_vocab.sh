# Records of another vocabulary are refused: by the manifest that knows them, without one by encoding their texts again.
awk 'BEGIN { for (i = 0; i < 900; i++) print "number", i * i, "and", i * 77 % 1000, "make", i * 13 + 5 }' >ours
awk 'BEGIN { for (i = 0; i < 900; i++) print "there are", i % 91 * 191, "of them, not", i * 5 % 711 }' >theirs
set_of() { # name, text, flags
    name=$1 text=$2
    shift 2
    t2t-datagen --quiet --name="$name" --kind=text2self --train="$text" --num_shards=2 --data_dir="$name" "$@" 2>/dev/null
}
try() {
    tfrec append "$@" 2>&1 || echo "exit code $?"
}
set_of a ours --vocab_size=150
set_of b theirs --vocab_size=150
set_of c theirs --vocab=a/vocab.a.150.subwords
set_of d theirs --vocab_type=character
mkdir raw
cp b/b-train-* c/c-train-* raw
try a b/b-train@2
try a raw/b-train@2
try a d/d-train@2
try a c/c-train@2
try a raw/c-train-00000-of-00002
head -n 5 ours >few
t2t-datagen --quiet --name=few --kind=text2self --train=few --num_shards=1 --vocab=a/vocab.a.150.subwords --data_dir=f 2>/dev/null
mv f/few-train-00000-of-00001 raw
try a raw/few-train-00000-of-00001
# what an older version let in
cp -r a spoilt
cp raw/b-train-00000-of-00002 spoilt/a-train-00001-of-00012
t2t-datagen --check=spoilt 2>&1 | sed 's/SHA-256 [0-9a-f]*/SHA-256 X/g'
t2t-datagen --check=a
sed -i 's/"kind": "subwords"/"kind": "model"/; s/"size": [0-9]*/&, "model": "x", "id_offset": 0/' b/b.manifest.json
try a b/b-train@2 | sed 's/SHA-256 [0-9a-f]*/SHA-256 X/g'
