# Several problems in one file: parallel text in an archive, labelled rows, mixtures of them, one that is refused.
mkdir usr tmp src src/d
printf 'one\ntwo\n' >src/d/t.en
printf 'eins\nzwei\n' >src/d/t.de
printf 'three\n' >src/d/v.en
printf 'drei\n' >src/d/v.de
tar -C src -czf src/d.tgz d
printf 'label\ttext\nyes\tgood\n-\tnone\nno\tbad\n' >src/rows.tsv
cat >usr/mine.yaml <<END
vocab_type: character
train_shards: 1
files:
  d: {url: $PWD/src/d.tgz}
  rows: {url: $PWD/src/rows.tsv, file: rows.tsv, plain: true}
problems:
- name: my_pair
  summary: a pair of languages
  kind: translation
  train: [{from: d, members: "d/t.{en,de}"}]
  dev: [{from: d, members: "d/v.{en,de}"}]
- {name: my_pair_small, like: my_pair, inputs_prefix: "p: "}
- name: my_rows
  kind: rows
  train: rows
  dev: rows
  header_lines: 1
  columns: {count: 2, first: 2, label: 1}
  no_label: "-"
  classes: ['no', 'yes']
END
cat >usr/others.yaml <<END
problems:
- {name: my_mixture, summary: both, members: [my_pair, my_rows]}
- {names: "my_later{,_too}", refusal: not yet, vocab_type: numbers}
END
t2t-datagen --quiet --t2t_usr_dir=usr --problem=my_mixture,my_pair_small --tmp_dir=tmp --data_dir=data
for shards in data/*-0000?-of-*; do
    echo "${shards#data/}" && tfrec cat "$shards" | LC_ALL=C sort
done
t2t-datagen --t2t_usr_dir=usr --problem='my_*' --describe --data_dir=data | grep '^my_'
t2t-datagen --t2t_usr_dir=usr --problem=my_later_too --data_dir=data 2>&1 | tail -1

# a message names the problem and the key
mkdir bad
printf 'kind: rows\nproblems:\n- {name: a, train: x, dev: y}\n' >bad/x.yaml
t2t-datagen --t2t_usr_dir=bad --problem=a --data_dir=data 2>&1 || echo "exit code $?"
printf 'family: F\nmembers: [a, b]\n' >bad/x.yaml
t2t-datagen --t2t_usr_dir=bad --problem=a --data_dir=data 2>&1 || echo "exit code $?"
