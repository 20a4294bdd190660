#!/usr/bin/env python3
"""Proves t2t-exporter's folders for transformers with transformers and torch.

  PYTHON bench/check_exports.py --bin=build/release/bin --run=../shared/data/reference-runs/t2t-checkpoint --images=../shared/data/cifar10-jpeg-folders/train
         [--only=huggingface,onnx,saved_model] [--steps=1500] [--keep=DIR]

PYTHON has safetensors, and of what is asked for with --only transformers and torch, onnx and
onnxruntime, tensorflow.  --run is a folder as shared/data has it: run/ and data/ of Tensor2Tensor's
trainer, src.txt.

huggingface: the logits of the made-up examples of --check, of Tensor2Tensor's run and of two small models that are
trained here (norms before layers: Pegasus; behind them: Marian).  Of the small ones tokenizer.json gives the ids of
t2t-vocab encode with EOS behind them, and generate() gives the translations of t2t-decoder, greedily and by beam search
with alpha=0.

onnx: the same logits by onnxruntime, of Tensor2Tensor's run, of small Transformers and of image models trained here;
greedy translations of one of them, id by id.

saved_model: the same by tf.saved_model.load; the translations by its own loop.
"""
import argparse
import json
import pathlib
import shutil
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parent))
from check_exchange import run, unpack  # noqa: E402


def prepare(a, work):
    source = pathlib.Path(a.run)
    if not (work / "run").exists():
        unpack(source / "run", work / "run")
        unpack(source / "data", work / "data")
    dev = next((work / "data").glob("*-dev-*"))
    shutil.copy(dev, str(dev).replace("-dev-", "-train-"))
    problem = dev.name.split("-dev-")[0]
    return ["--output_dir=%s" % (work / "run"), "--data_dir=%s" % (work / "data"), "--problem=" + problem, "--model=transformer", "--hparams_set=transformer_tiny"]


SMALL = "hidden_size=64,filter_size=128,num_heads=2,num_hidden_layers=2,batch_size=1024,learning_rate_warmup_steps=300,learning_rate_constant=2"


def small_run(ours, work, name, steps, more=""):
    """A run of a small Transformer; the flags that open it."""
    data = work / "numbers"
    if not data.exists():
        run([ours / "t2t-datagen", "--problem=translate_ende_numbers", "--data_dir=%s" % data, "--tmp_dir=%s" % (work / "tmp"), "--max_cases=20000"])
    flags = ["--output_dir=%s" % (work / name), "--data_dir=%s" % data]
    run([ours / "t2t-trainer", "--problem=translate_ende_numbers", "--hparams_set=transformer_tiny", "--schedule=train", "--train_steps=%d" % steps,
         "--hparams=" + SMALL + more] + flags)
    return flags


def difference(name, found, wanted):
    import numpy as np
    assert found.shape == wanted.shape, (found.shape, wanted.shape)
    most, largest = float(np.abs(found - wanted).max()), float(np.abs(wanted).max())
    print("%s: largest difference of logits %.3g (largest logit %.3g)" % (name, most, largest))
    assert most < 1e-4 * largest, name


def check_file(folder):
    from safetensors.numpy import load_file
    return load_file(str(folder / "check.safetensors"))


def hf_logits(name, folder):
    import torch
    from transformers import AutoModelForSeq2SeqLM
    model = AutoModelForSeq2SeqLM.from_pretrained(str(folder), attn_implementation="eager").eval()
    c = check_file(folder)
    ids = torch.tensor(c["inputs"]).long()
    targets = torch.tensor(c["targets"]).long()
    shifted = torch.nn.functional.pad(targets, (1, 0))[:, :-1]
    with torch.no_grad():
        logits = model(input_ids=ids, attention_mask=(ids != 0).long(), decoder_input_ids=shifted).logits
    difference(name + ", " + type(model).__name__, logits.numpy(), c["logits"])
    return model


def small_texts(ours, work):
    """English of the small problem, from its held-out records."""
    vocab, shard = next((work / "numbers").glob("vocab.*")), next((work / "numbers").glob("*-dev-*"))
    rows = [json.loads(x)["inputs"] for x in run([ours / "tfrec", "convert", "--quiet", "--to=jsonl", "-o", "-", shard]).split("\n")[:100] if x]
    ids = work / "ids"
    ids.write_text("".join(" ".join(map(str, row[:-1])) + "\n" for row in rows))
    return run([ours / "t2t-vocab", "decode", "--quiet", "--vocab=%s" % vocab, ids]).split("\n")[:-1]


def hf_translates(name, ours, folder, flags, texts, work):
    import torch
    from transformers import AutoTokenizer, logging
    logging.set_verbosity_error()
    model, tokenizer, source = hf_logits(name, folder), AutoTokenizer.from_pretrained(str(folder)), work / "source"
    source.write_text("\n".join(texts) + "\n", encoding="utf-8")
    vocab = next((work / "numbers").glob("vocab.*"))
    ids = run([ours / "t2t-vocab", "encode", "--quiet", "--vocab=%s" % vocab, source]).split("\n")[:-1]
    assert len(ids) == len(texts)
    for line, text in zip(ids, texts):
        assert [int(i) for i in line.split()] + [1] == tokenizer(text)["input_ids"], text
    for beams in (1, 4):
        out = work / ("%s.%d" % (name, beams))
        run([ours / "t2t-decoder", "--decode_from_file=%s" % source, "--decode_to_file=%s" % out,
             "--decode_hparams=beam_size=%d,alpha=0,extra_length=100" % beams] + flags)
        same, lines = 0, out.read_text(encoding="utf-8").split("\n")[:-1]
        for text, mine in zip(texts, lines):
            batch = tokenizer([text], return_tensors="pt")
            with torch.no_grad():
                made = model.generate(input_ids=batch["input_ids"], attention_mask=batch["attention_mask"], num_beams=beams, length_penalty=0.0,
                                      max_new_tokens=batch["input_ids"].shape[1] + 100, do_sample=False, early_stopping="never" if beams > 1 else False)
            theirs = tokenizer.decode(made[0], skip_special_tokens=True)
            same += mine == theirs
            if mine != theirs:
                print("  ours  ", mine, "\n  theirs", theirs)
        print("%s: %d of %d translations with beam_size=%d are t2t-decoder's" % (name, same, len(texts), beams))
        assert same == len(texts)


def hugging_face(a, ours, work):
    def export(name, flags):
        run([ours / "t2t-exporter", "--format=huggingface", "--export_dir=%s" % (work / name), "--check"] + flags)
        return work / name

    hf_logits("Tensor2Tensor's run", export("hf", prepare(a, work)))
    for name, more in (("pegasus", ""), ("marian", ",layer_preprocess_sequence=none,layer_postprocess_sequence=dan,shared_embedding_and_softmax_weights=false")):
        flags = small_run(ours, work, name + "_run", a.steps, more)
        hf_translates(name, ours, export(name, flags), flags, small_texts(ours, work), work)


def onnx_session(name, ours, work, flags):
    import onnx
    import onnxruntime
    folder = work / ("onnx_" + name)
    run([ours / "t2t-exporter", "--format=onnx", "--export_dir=%s" % folder, "--check"] + flags)
    onnx.checker.check_model(str(folder / "model.onnx"), full_check=True)
    session = onnxruntime.InferenceSession(str(folder / "model.onnx"), providers=["CPUExecutionProvider"])
    c = check_file(folder)
    feed = {i.name: c[i.name] if i.name == "images" else c[i.name].astype("int64") for i in session.get_inputs()}
    difference("onnx, " + name, session.run(["logits"], feed)[0], c["logits"])
    return session


def small_translations(ours, work, flags):
    """Ids of texts (rows, length) and of t2t-decoder's greedy translations."""
    import numpy as np
    texts = small_texts(ours, work)[:30]
    source, vocab, out = work / "source", next((work / "numbers").glob("vocab.*")), work / "ours.ids"
    source.write_text("\n".join(texts) + "\n", encoding="utf-8")
    run([ours / "t2t-decoder", "--decode_from_file=%s" % source, "--decode_to_file=%s" % out,
         "--decode_hparams=beam_size=1,identity_output=true,extra_length=50"] + flags)
    wanted = [[int(i) for i in line.split()] for line in out.read_text().split("\n")[:-1]]
    rows = [[int(i) for i in line.split()] + [1] for line in run([ours / "t2t-vocab", "encode", "--quiet", "--vocab=%s" % vocab, source]).split("\n")[:-1]]
    ids = np.zeros((len(rows), max(map(len, rows))), np.int64)
    for i, row in enumerate(rows):
        ids[i, :len(row)] = row
    return ids, wanted


def onnx_translates(ours, work, session, flags):
    """Greedily, with the whole prefix at every step, all lines together."""
    import numpy as np
    ids, wanted = small_translations(ours, work, flags)
    made = np.zeros((len(ids), 0), np.int64)
    for _ in range(max(map(len, wanted))):
        targets = np.concatenate([made, np.zeros((len(ids), 1), np.int64)], axis=1)
        made = np.concatenate([made, session.run(["logits"], {"inputs": ids, "targets": targets})[0][:, -1:].argmax(-1)], axis=1)
    same = sum(list(m[:len(w)]) == w for m, w in zip(made, wanted))
    print("onnx: %d of %d greedy translations are t2t-decoder's, id by id" % (same, len(ids)))
    assert same == len(ids)


IMAGES = [("resnet", "resnet", "resnet_18", "filter_sizes=[8,8,16,16,32],image_size=64"),
          ("resnet for CIFAR", "resnet", "resnet_cifar_32", "filter_sizes=[8,8,16,32],image_size=32"),
          ("resnet of tensorflow/tpu", "tpu_resnet", "tpu_resnet_50", "resnet_depth=50,image_size=64"),
          ("the same with se_ratio and ResNet-D", "tpu_resnet", "tpu_resnet_50", "resnet_depth=50,image_size=64,se_ratio=0.25,use_resnetd_stem=true,resnetd_shortcut=true"),
          ("Keras' resnet", "keras_resnet50", "keras_resnet50", "image_size=64"),
          ("flowers", "flowers_cnn", "flowers_cnn_batch_norm", "")]


def small_images(ours, images, work, name, model, hparams_set, hparams):
    data = work / "pictures"
    if not data.exists():
        run([ours / "jpeg-to-tfrecord", "--image_dir=%s" % (images), "--validation_percent=10", "--output_dir=%s" % data])
    flags = ["--output_dir=%s" % (work / name.replace(" ", "_")), "--data_dir=%s" % data]
    run([ours / "t2t-trainer", "--problem=pictures", "--model=" + model, "--hparams_set=" + hparams_set,
         "--hparams=batch_size=4" + ("," + hparams if hparams else ""), "--schedule=train", "--train_steps=3"] + flags)
    return flags


def onnx(a, ours, work):
    onnx_session("Tensor2Tensor's run", ours, work, prepare(a, work))
    for name, more in (("norms before", ""), ("norms behind", ",layer_preprocess_sequence=none,layer_postprocess_sequence=dan"), ("positions learned", ",pos=emb,max_length=64")):
        flags = small_run(ours, work, "onnx run " + name, a.steps if name == "norms before" else 3, more)
        session = onnx_session(name, ours, work, flags)
        if name == "norms before":
            onnx_translates(ours, work, session, flags)
    for name, model, hparams_set, hparams in IMAGES:
        onnx_session(name, ours, work, small_images(ours, a.images, work, name, model, hparams_set, hparams))


def saved_model_of(name, ours, work, flags):
    import tensorflow as tf
    folder = work / ("saved_" + name.replace(" ", "_"))
    run([ours / "t2t-exporter", "--format=saved_model", "--export_dir=%s" % folder, "--check"] + flags)
    model = tf.saved_model.load(str(folder))
    c = check_file(folder)
    served = model.signatures["images" if "images" in c else "logits" if "inputs" in c else "serving_default"]
    feed = {k: tf.constant(v if k == "images" else v.astype("int64")) for k, v in c.items() if k != "logits"}
    difference("saved_model, " + name, served(**feed)["logits"].numpy(), c["logits"])
    return model, c


def flowers_serving(file):
    """What the serving function of the flowers example makes of an image; nothing is drawn there."""
    import tensorflow as tf
    image = tf.image.convert_image_dtype(tf.image.decode_jpeg(file.read_bytes(), channels=3, dct_method="INTEGER_FAST"), tf.float32)
    return (tf.compat.v1.image.resize_bilinear(image[None], [299, 299]) - 0.5) * 2


def saved_model_sees(name, a, ours, model, flags):
    """Bytes of JPEGs: probabilities are t2t-decoder's of the same files, or, as evaluation of flowers is random, those of its serving function."""
    import numpy as np
    import tensorflow as tf
    served = model.signatures["serving_default"]
    files = sorted(f for f in pathlib.Path(a.photographs or a.images).rglob("*") if f.suffix.lower() in (".jpg", ".jpeg"))[:40]
    made = served(image_bytes=tf.constant([f.read_bytes() for f in files]))["probabilities"].numpy()
    if name == "flowers":
        wanted = np.concatenate([model.signatures["images"](images=flowers_serving(f))["probabilities"].numpy() for f in files])
        pairs = list(zip(made.ravel(), wanted.ravel()))
        same = sum(made.argmax(-1) == wanted.argmax(-1))
    else:
        listed = pathlib.Path(a.keep or tempfile.gettempdir()) / "photographs.txt"
        listed.write_text("".join("%s\n" % f.resolve() for f in files))
        wanted = [json.loads(line) for line in run([ours / "t2t-decoder", "--quiet", "--json", "--decode_from_file=%s" % listed] + flags).splitlines()]
        pairs = [(m[t["label"]], t["probability"]) for m, w in zip(made, wanted) for t in w["top"]]
        same = sum(m.argmax() == w["label"] for m, w in zip(made, wanted))
    assert len(made) == len(wanted) == len(files)
    worst = max(abs(x - y) for x, y in pairs)
    print("saved_model, %s: %d JPEGs, %d of the same class, largest difference of probabilities %.3g" % (name, len(files), same, worst))
    assert same == len(files) and worst < 1e-3


def saved_model_translates(ours, work, served, flags):
    import tensorflow as tf
    ids, wanted = small_translations(ours, work, flags)
    made = served(inputs=tf.constant(ids))["outputs"].numpy()
    same = sum([i for i in m if i] == w for m, w in zip(made, wanted))
    print("saved_model: %d of %d greedy translations are t2t-decoder's, id by id" % (same, len(wanted)))
    assert same == len(wanted)


def saved_model(a, ours, work):
    saved_model_of("Tensor2Tensor's run", ours, work, prepare(a, work))
    flags = small_run(ours, work, "onnx run norms before", a.steps)
    model, _ = saved_model_of("norms before", ours, work, flags)
    saved_model_translates(ours, work, model.signatures["serving_default"], flags)
    for name, model, hparams_set, hparams in IMAGES:
        flags = small_images(ours, a.images, work, name, model, hparams_set, hparams)
        model, _ = saved_model_of(name, ours, work, flags)
        saved_model_sees(name, a, ours, model, flags)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--bin", required=True)
    p.add_argument("--run", required=True)
    p.add_argument("--images", required=True, help="folders of JPEG files, one for each class")
    p.add_argument("--photographs", help="a folder of JPEG files of any size; else those of --images")
    p.add_argument("--only", default="huggingface,onnx,saved_model")
    p.add_argument("--steps", type=int, default=1500, help="of the small models")
    p.add_argument("--keep")
    a = p.parse_args()
    ours, work = pathlib.Path(a.bin), pathlib.Path(a.keep or tempfile.mkdtemp())
    work.mkdir(exist_ok=True)
    for name, check in {"huggingface": hugging_face, "onnx": onnx, "saved_model": saved_model}.items():
        if name in a.only.split(","):
            check(a, ours, work)
    if not a.keep:
        shutil.rmtree(work)


if __name__ == "__main__":
    main()
