# Problems that YAML files describe, in a folder.
mkdir usr tmp
printf 'one\teins\ntwo\tzwei\n' >usr/p.tsv
printf 'three\tdrei\n' >tmp/q.tsv
cat >usr/talks.yaml <<END
summary: Talks, out of a test
licence: none
train: [a=p.tsv, b=q.tsv]
dev: p.tsv
mix: a:1,b:1
min_length: 2
vocab_type: character
train_shards: 2
END
cat >usr/moods.yml <<END
name: my_moods
kind: text2class
classes: [neg, pos]
csv: [text, mood]
train: m.csv
dev: m.csv
vocab_type: character
train_shards: 1
END
printf 'text,mood\ngood,pos\nbad,neg\n' >usr/m.csv
t2t-datagen --quiet --t2t_usr_dir=usr --problem=talks,my_moods --tmp_dir=tmp --data_dir=d
tfrec cat d/talks-train-0000?-of-00002 | LC_ALL=C sort
tfrec cat d/my_moods-dev-00000-of-00001 | LC_ALL=C sort
grep -c usr_dir d/talks.manifest.json

bad() {
    rm -rf bad && mkdir bad
    cat >bad/x.yaml
    rc=0
    t2t-datagen --t2t_usr_dir=bad --problem=x --data_dir=d 2>&1 || rc=$?
    echo "exit code $rc"
}
echo 'tran: p.tsv' | bad
echo 'train: {a: b}' | bad
echo 'train: p.tsv
vocab_size: many' | bad
echo 'train: p.tsv
max_ratio: 0.5' | bad
echo '- train' | bad
echo 'train: [p.tsv' | bad
echo 'kind: text2class
train: p.tsv' | bad
echo 'train: p.tsv
sources: [{urls: x}]' | bad
echo 'train: p.tsv
sources: [{url: x, sha256: ABC}]' | bad
echo 'name: translate_ende_numbers
train: p.tsv' | bad
echo 'train: absent.tsv' | bad
mkdir empty
t2t-datagen --t2t_usr_dir=empty --problem=x --data_dir=d 2>&1 || echo "exit code $?"
t2t-datagen --t2t_usr_dir=absent --problem=x --data_dir=d 2>&1 || echo "exit code $?"
printf 'not an object' >empty/x.so
t2t-datagen --t2t_usr_dir=empty --problem=x --data_dir=d 2>&1 || echo "exit code $?"
