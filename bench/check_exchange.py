#!/usr/bin/env python3
"""Proves t2t-exporter with the programs that it writes for: Tensor2Tensor 1.15 and CTranslate2 4.

  bench/check_exchange.py --bin=build/release/bin --run=../shared/data/reference-runs/t2t-checkpoint
         --t2t=BIN_OF_ENVIRONMENT --ctranslate2=PYTHON [--official=PYTHON] [--keep=DIR]

--t2t is the bin folder of an environment with tensorflow 1.15.5 and tensor2tensor 1.15.7, --ctranslate2 a python with
ctranslate2, --official one with tf-models-official 2.2.2.  --run is a folder as shared/data has it: run/ and data/ of Tensor2Tensor's trainer, src.txt, out.beam4.txt.

1. The run is imported and exported again: --check must print 0.
2. Tensor2Tensor's decoder translates src.txt with the exported checkpoint: the recorded translations, to the byte.
3. Tensor2Tensor's trainer goes on from the exported checkpoint for three steps.
4. CTranslate2 translates the same greedily: each translation is ours, or goes on where ours reached its length limit;
   the same of --format=marian by CTranslate2's converter.
5. Tensor2Tensor trains with weight_dtype=bfloat16; its checkpoint imported and exported again has the same bits, and training goes on
   from it here, and from the exported one there.
6. The official Transformer trains three steps and saves as its own loop does (tf.train.Checkpoint); all variables are
   read with the same bits, --check prints 0, and training goes on here from step 3.
"""
import argparse
import gzip
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

CT2 = """
import ctranslate2, json, sys
folder, ids, out = sys.argv[1:]
words = json.load(open(folder + "/source_vocabulary.json", encoding="utf-8"))
place = {w: i for i, w in enumerate(words)}
t = ctranslate2.Translator(folder, device="cpu", compute_type="float32", intra_threads=1)
r = t.translate_batch([[words[i] for i in s] for s in json.load(open(ids))], beam_size=1, max_decoding_length=300)
json.dump([[place[w] for w in x.hypotheses[0]] for x in r], open(out, "w"))
print(ctranslate2.__version__)
"""
MARIAN = """
import ctranslate2, json, sys
from ctranslate2.converters import MarianConverter
from ctranslate2.converters.marian import load_vocab
folder, ids, out = sys.argv[1:]
vocabs = [folder + "/vocab.src.yml", folder + "/vocab.trg.yml"]
MarianConverter(folder + "/model.npz", vocabs).convert(folder + "/converted", force=True)
words, targets = map(load_vocab, vocabs)
place = {w: i for i, w in enumerate(targets)}
t = ctranslate2.Translator(folder + "/converted", device="cpu", compute_type="float32", intra_threads=1)
# the converter adds EOS
r = t.translate_batch([[words[i] for i in s if i != 1] for s in json.load(open(ids))], beam_size=1, max_decoding_length=300)
json.dump([[place[w] for w in x.hypotheses[0]] for x in r], open(out, "w"))
"""
OFFICIAL = """
import copy, sys
import numpy as np
import tensorflow as tf
from official.nlp.transformer import metrics, model_params, transformer
out, vocab = sys.argv[1], int(sys.argv[2])
p = copy.deepcopy(model_params.TINY_PARAMS)
p.update(vocab_size=vocab, num_hidden_layers=2, hidden_size=16, filter_size=24, num_heads=2, dtype=tf.float32, padded_decode=False,
         num_replicas=None, enable_metrics_in_training=False)
model = transformer.create_model(p, is_train=True)
opt = tf.keras.optimizers.Adam(0.01, 0.9, 0.997, epsilon=1e-9)
ids = tf.constant(np.random.RandomState(1).randint(2, vocab, size=(4, 7)), tf.int64)
for _ in range(3):
    with tf.GradientTape() as tape:
        loss = metrics.transformer_loss(model([ids, ids], training=True), ids, 0.1, vocab)
    opt.apply_gradients(zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables))
tf.train.Checkpoint(model=model, optimizer=opt).save(out + "/ctl_step_3.ckpt")
for v in model.variables:
    open(out + "/variables", "ab").write(v.name.split(":")[0].encode() + b" " + v.numpy().tobytes().hex().encode() + b"\\n")
"""
SAME = """
import sys
import tensorflow as tf
a, b = (tf.train.load_checkpoint(p) for p in sys.argv[1:])
types = a.get_variable_to_dtype_map()
names = [n for n in types if n.startswith(("transformer/", "training/"))]
assert any(types[n] == tf.bfloat16 for n in names)
for n in names:
    assert types[n] == b.get_variable_to_dtype_map()[n] and a.get_tensor(n).tobytes() == b.get_tensor(n).tobytes(), n
print(len(names))
"""
IDS = """
import json, sys
from tensor2tensor.data_generators import text_encoder
vocab, texts, out = sys.argv[1:]
e = text_encoder.SubwordTextEncoder(vocab)
json.dump([e.encode(s.strip()) for s in open(texts, encoding="utf-8")], open(out, "w"))
"""


def run(command, **more):
    done = subprocess.run([str(c) for c in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True, **more)
    if done.returncode:
        sys.exit("%s\n%s" % (" ".join(map(str, command)), done.stdout[-3000:]))
    return done.stdout


def unpack(source, to):
    to.mkdir()
    for path in source.iterdir():
        data = path.read_bytes()
        name = path.name
        if name.endswith(".gz"):
            data, name = gzip.decompress(data), name[:-3]
        (to / name).write_bytes(data)


def tensors(path):
    """Name -> bytes, of a safetensors file."""
    data = path.read_bytes()
    n = int.from_bytes(data[:8], "little")
    header = json.loads(data[8:8 + n])
    return {k: data[8 + n + v["data_offsets"][0]:8 + n + v["data_offsets"][1]] for k, v in header.items() if k != "__metadata__"}


def official(ours, python, work):
    problem = "translate_ende_numbers"
    run([ours / "t2t-datagen", "--problem=" + problem, "--data_dir=%s" % (work / "num"), "--tmp_dir=%s" % (work / "tmp"), "--max_cases=200"])
    vocab = len(next((work / "num").glob("vocab.*")).read_text().split("\n")) - 1
    (work / "official").mkdir()
    run([python, "-c", OFFICIAL, work / "official", vocab], env=dict(os.environ, CUDA_VISIBLE_DEVICES=""))
    common = ["--output_dir=%s" % (work / "official"), "--data_dir=%s" % (work / "num"), "--problem=" + problem, "--model=official_transformer",
              "--hparams_set=official_transformer_tiny",
              "--hparams=vocab_size=%d,hidden_size=16,filter_size=24,num_heads=2,num_hidden_layers=2,batch_size=512" % vocab]
    text = run([ours / "t2t-exporter", "--format=bundle", "--export_dir=%s" % (work / "official.safetensors"), "--check"] + common)
    assert "logits: 0 " in text
    here = tensors(work / "official.safetensors")
    lines = (work / "official/variables").read_text().split("\n")[:-1]
    for line in lines:
        name, data = line.split()
        assert here[name] == bytes.fromhex(data), name
    run([ours / "t2t-trainer", "--schedule=train", "--train_steps=5"] + common)
    assert json.loads((work / "official/state-5.json").read_text())["optimizer_updates"] == 5
    print("6. the official Transformer: %d variables with the same bits, goes on from step 3" % len(lines))


def encoded(ours, theirs, work, common, env):
    """weight_dtype=bfloat16, whose variables are two bytes there that stand for weights: there and back, and on."""
    run_dir, back = work / "encoded", work / "encoded_back"
    common = common + ["--hparams=" + ",".join(["batch_size=512,hidden_size=32,filter_size=64,num_heads=2,num_hidden_layers=2,max_length=128",
                                                "learning_rate_warmup_steps=20,optimizer=Adafactor,weight_dtype=bfloat16"])]
    train = [theirs / "t2t-trainer", "--schedule=train", "--eval_steps=1"] + common
    run(train + ["--output_dir=%s" % run_dir, "--train_steps=3"], env=env)
    text = run([ours / "t2t-exporter", "--output_dir=%s" % run_dir, "--export_dir=%s" % back, "--check"] + common)
    assert "logits: 0 " in text
    n = run([theirs / "python", "-c", SAME, run_dir / "model.ckpt-3", back / "model.ckpt-3"], env=env).split()[-1]
    run(train + ["--output_dir=%s" % back, "--train_steps=5"], env=env)
    assert (back / "model.ckpt-5.index").exists()
    run([ours / "t2t-trainer", "--output_dir=%s" % run_dir, "--schedule=train", "--train_steps=5"] + common)
    print("5. weight_dtype=bfloat16: %s variables and slots with the same bits; goes on here and there" % n)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("bin", "run", "t2t", "ctranslate2"):
        p.add_argument("--" + name, required=True)
    p.add_argument("--official")
    p.add_argument("--keep")
    a = p.parse_args()
    ours, theirs, source = pathlib.Path(a.bin), pathlib.Path(a.t2t), pathlib.Path(a.run)
    work = pathlib.Path(a.keep or tempfile.mkdtemp())
    work.mkdir(exist_ok=True)
    unpack(source / "run", work / "run")
    unpack(source / "data", work / "data")
    dev = next((work / "data").glob("*-dev-*"))
    problem = dev.name.split("-dev-")[0]
    shutil.copy(dev, str(dev).replace("-dev-", "-train-"))
    common = ["--data_dir=%s" % (work / "data"), "--problem=" + problem, "--model=transformer", "--hparams_set=transformer_tiny"]
    texts, step = source / "src.txt", int(re.search(r"model\.ckpt-(\d+)", (work / "run/checkpoint").read_text()).group(1))

    text = run([ours / "t2t-exporter", "--output_dir=%s" % (work / "run"), "--format=tensorflow", "--export_dir=%s" % (work / "tf"), "--check"] + common)
    print("1. tensorflow:", re.search("largest difference.*", text).group(0))
    assert "logits: 0 " in text

    env = dict(os.environ, PYTHONIOENCODING="utf8", CUDA_VISIBLE_DEVICES="")
    run([theirs / "t2t-decoder", "--output_dir=%s" % (work / "tf"), "--decode_from_file=%s" % texts, "--decode_to_file=%s" % (work / "real.txt"),
         "--decode_hparams=beam_size=4,alpha=0.6,extra_length=10"] + common, env=env)
    assert (work / "real.txt").read_bytes() == (source / "out.beam4.txt").read_bytes()
    print("2. Tensor2Tensor's decoder: the recorded translations")

    shutil.copytree(work / "tf", work / "tf_on")
    log = run([theirs / "t2t-trainer", "--output_dir=%s" % (work / "tf_on"), "--schedule=train", "--eval_steps=1", "--train_steps=%d" % (step + 3)] + common, env=env)
    assert (work / ("tf_on/model.ckpt-%d.index" % (step + 3))).exists()
    print("3. Tensor2Tensor's trainer:", re.findall("Loss for final step: .*", log)[-1], "at step", step + 3)

    run([ours / "t2t-exporter", "--output_dir=%s" % (work / "run"), "--format=ctranslate2", "--export_dir=%s" % (work / "ct2")] + common)
    run([ours / "t2t-decoder", "--output_dir=%s" % (work / "run"), "--decode_from_file=%s" % texts, "--decode_to_file=%s" % (work / "ours.txt"),
         "--decode_hparams=beam_size=1,identity_output=true,extra_length=50"] + common)
    vocab = next((work / "data").glob("vocab.*"))
    run([theirs / "python", "-c", IDS, vocab, texts, work / "ids.json"], env=env)
    version = run([a.ctranslate2, "-c", CT2, work / "ct2", work / "ids.json", work / "ct2.json"]).strip()
    n = 0
    lines = (work / "ours.txt").read_text().split("\n")[:-1]
    for line, source_ids, other in zip(lines, json.loads((work / "ids.json").read_text()), json.loads((work / "ct2.json").read_text())):
        mine = [int(i) for i in line.split()]
        ended = mine[-1:] == [1]  # EOS, which CTranslate2 leaves out
        mine = mine[:-1] if ended else mine
        assert not source_ids or (other if ended else other[:len(mine)]) == mine, (mine, other)
        n += bool(source_ids)
    print("4. CTranslate2 %s: %d of %d greedy translations are ours (an empty line is not asked)" % (version, n, len(lines)))
    run([ours / "t2t-exporter", "--output_dir=%s" % (work / "run"), "--format=marian", "--export_dir=%s" % (work / "marian")] + common)
    run([a.ctranslate2, "-c", MARIAN, work / "marian", work / "ids.json", work / "marian.json"])
    pairs = [(s, x, y) for s, x, y in zip(*(json.loads((work / f).read_text()) for f in ("ids.json", "ct2.json", "marian.json"))) if s]
    assert all(x == y for _, x, y in pairs), [p for p in pairs if p[1] != p[2]][:1]
    print("   Marian's npz by CTranslate2's converter: %d of %d the same" % (len(pairs), len(pairs)))
    encoded(ours, theirs, work, common, env)
    if a.official:
        official(ours, a.official, work)
    if not a.keep:
        shutil.rmtree(work)


if __name__ == "__main__":
    main()
