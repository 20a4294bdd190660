#!/usr/bin/env bash
# check_translate_problems.sh PYTHON T2T_DATA_DIR: every translation problem of Tensor2Tensor 1.15.7, made by it and by
# t2t-datagen out of the same small archives: compiled text, vocabularies and shards (keys sorted) have to be equal.
# PYTHON is one that imports tensor2tensor 1.15.7; T2T_DATA_DIR has reference-runs/tools.  Takes minutes.
set -euo pipefail
python=$1 data=$2 root=$(cd "$(dirname "$0")/.." && pwd)
PATH=$root/bin:$PATH
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
# those that 1.15.7 has and can make; the driver mends what Python 3.7 stops at
t2t-datagen --only_list --problem='translate_en*' 2>/dev/null | sed -n 's/^ *\* //p' |
    grep -v -e numbers -e bpe32k -e cubbitt -e ende2018 -e entn >names
problems=$(tr '\n' , <names | sed 's/,$//')
t2t-datagen --problem="$problems" --dry_run --offline --data_dir=ours --tmp_dir=tmp >plan 2>/dev/null
mkdir -p tmp ours theirs
python3 "$root/tests/support/translate_archives.py" plan tmp
cp -r tmp their_tmp
mkdir -p their_tmp/data.plaintext-format # its glob wants the folder
t2t-datagen --quiet --problem=translate_enro_wmt8k --data_dir=first --tmp_dir=tmp --offline --noverify_downloads
cp first/vocab.translate_enro_wmt8k.8192.subwords ours/vocab.languagemodel_de_en_fr_ro_wiki64k.64000.subwords
cp ours/vocab.* theirs
t2t-datagen --quiet --problem="$problems" --data_dir=ours --tmp_dir=tmp --offline --noverify_downloads
cat >driver.py <<'END'
import itertools
import random
import tensorflow.compat.v1 as tf
from tensor2tensor.bin import t2t_datagen
from tensor2tensor.data_generators import problem, translate_enro

itertools.izip = zip
base = translate_enro.TranslateEnroWmt8k.generate_samples


def drawn(self, data_dir, tmp_dir, split):  # `raise StopIteration` was the end of a generator before Python 3.7
    train, n = split == problem.DatasetSplit.TRAIN, 0
    for _ in range(2 if train else 1):
        for x in base(self, data_dir, tmp_dir, split):
            if train:
                if random.random() > self.how_many_examples_to_sample / float(614000):
                    continue
                n += 1
                if n > self.how_many_examples_to_sample:
                    return
            yield x
        if n == self.how_many_examples_to_sample:
            return


translate_enro.TranslateEnroWmtMultiSmall64k.generate_samples = drawn
tf.app.run(t2t_datagen.main)
END
"$python" driver.py --problem="$problems" --data_dir=theirs --tmp_dir=their_tmp >original.log 2>&1 || { tail -n 3 original.log; exit 1; }
python3 "$data/reference-runs/tools/canon.py" theirs canon
(cd ours && sha256sum --quiet -c ../canon/SHA256SUMS.sorted)
n=0
for f in theirs/vocab.*; do cmp "$f" "ours/${f#*/}" && n=$((n + 1)); done
m=0
for f in their_tmp/*.lang?; do cmp "$f" "tmp/${f#*/}" && m=$((m + 1)); done
echo "$(wc -l <names) problems: $(wc -l <canon/SHA256SUMS.sorted) shards, $n vocabularies, $m compiled files are equal"
