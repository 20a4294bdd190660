#!/usr/bin/env python3
"""Compares `tfrec events --json` with TensorBoard's own reader, value by value.

  check_events.py --bin=build/release/bin             makes a run on text and one on images, compares their
                                                      files, and asks TensorBoard itself for all it shows
  check_events.py --tfrec=build/release/bin/tfrec FILE...

TensorBoard brings old scalars, histograms and images into the new form as it reads; numbers, buckets, texts
and images must be equal to ours.  Needs tensorboard, and Pillow without FILES.
"""
import argparse
import base64
import glob
import io
import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import numpy as np  # noqa: E402
from tensorboard.backend.event_processing import event_file_loader  # noqa: E402
from tensorboard.util import tensor_util  # noqa: E402


def theirs(path):
    plugins = {}
    for event in event_file_loader.EventFileLoader(path).Load():
        for v in event.summary.value if event.HasField("summary") else []:
            name = v.metadata.plugin_data.plugin_name or plugins.get(v.tag, "")
            plugins[v.tag] = name
            yield event, v, name


def ours(tfrec, path):
    run = subprocess.run([tfrec, "events", "--json", path], capture_output=True, check=True)
    for line in run.stdout.decode().splitlines():
        row = json.loads(line)
        if "tag" in row and row["kind"] != "run_metadata":
            yield row


def number(v):
    return float(v) if not isinstance(v, str) else float(v.replace("Infinity", "inf"))


def same(event, v, plugin, row):
    if (row["step"], row["wall_time"]) != (event.step, event.wall_time):
        return False
    tag = v.tag
    if row["tag"] != tag and not tag.startswith(row["tag"]):
        return False
    kind = row["kind"]
    if kind == "hparams":
        return base64.b64decode(row["content"]) == v.metadata.plugin_data.content
    array = tensor_util.make_ndarray(v.tensor) if v.HasField("tensor") else None
    if kind == "scalar":
        return plugin == "scalars" and np.array_equal(
            array, np.asarray(number(row["value"]), array.dtype), equal_nan=True)
    if kind == "histogram":
        return plugin == "histograms" and np.array_equal(
            np.array([[number(x) for x in b] for b in row["buckets"]],
                     array.dtype).reshape(-1, 3), array)  # it makes float32 of old ones
    if kind == "image":
        return plugin == "images" and (int(array[0]), int(array[1]), len(array[2])) == (
            row["width"], row["height"], row["bytes"])
    if kind == "text":
        value = np.atleast_1d(row["value"])
        left_out = row.get("values_left_out", 0)
        return array.size == len(value) + left_out and np.array_equal(
            np.array([x.decode() for x in array.ravel()[:len(value)]]), value)
    if kind == "tensor":
        return list(array.shape) == row["shape"]
    return kind in ("audio", "no_data")


def compare(tfrec, files):
    """-> values compared, those that differ."""
    n = bad = 0
    for path in files:
        a, b = list(theirs(path)), list(ours(tfrec, path))
        if len(a) != len(b):
            print(f"{path}: TensorBoard gives {len(a)} values, tfrec {len(b)}")
            bad += 1
        for (event, v, plugin), row in zip(a, b):
            n += 1
            if not same(event, v, plugin, row):
                bad += 1
                print(f"{path}: {v.tag} {plugin}: {str(row)[:300]}\n{str(v)[:300]}")
    return n, bad


# ---- two runs, and TensorBoard's server over them ----

def make_runs(bin_dir, at):
    from PIL import Image

    def tool(name, *args):
        subprocess.run([os.path.join(bin_dir, name), "--quiet", *args], cwd=at, check=True,
                       stdout=subprocess.DEVNULL)

    tool("t2t-datagen", "--problem=translate_ende_numbers", "--data_dir=data", "--tmp_dir=tmp",
         "--max_cases=300")
    tool("t2t-trainer", "--problem=translate_ende_numbers", "--data_dir=data", "--output_dir=runs/text",
         "--hparams_set=transformer_tiny", "--train_steps=12", "--local_eval_frequency=6",
         "--log_step_count_steps=3", "--eval_samples=2", "--summary_histograms")
    for name, colour in (("dark", 20), ("light", 220)):
        os.makedirs(f"{at}/shots/{name}")
        for i in range(30):
            Image.new("RGB", (24, 20), (colour, colour + i, 40)).save(f"{at}/shots/{name}/{i:02}.jpg")
    tool("jpeg-to-tfrecord", "--image_dir=shots", "--validation_percent=20", "--output_dir=data")
    tool("t2t-trainer", "--problem=pictures", "--data_dir=data", "--output_dir=runs/images",
         "--model=record_net", "--hparams_set=record_net_small", "--train_steps=6",
         "--hparams=image_size=20,batch_size=8", "--local_eval_frequency=3", "--log_step_count_steps=3")


class Server:
    def __init__(self, logdir):
        from tensorboard import default, program
        board = program.TensorBoard(default.get_plugins())
        board.configure(argv=[None, "--logdir", logdir, "--load_fast=false", "--port=0"])
        self.url = board.launch().rstrip("/")

    def get(self, path, **query):
        query = "?" + urllib.parse.urlencode(query) if query else ""
        with urllib.request.urlopen(self.url + path + query) as answer:
            return answer.read()

    def json(self, path, **query):
        return json.loads(self.get(path, **query))

    def post(self, path, body):
        request = urllib.request.Request(self.url + path, json.dumps(body).encode(),
                                         {"Content-Type": "application/json"})
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)

    def wait(self, runs):
        for _ in range(60):
            if set(runs) <= set(self.json("/data/runs")):
                time.sleep(2)  # a run is known before all of its values are
                return
            time.sleep(1)
        raise SystemExit(f"TensorBoard did not find {runs}")


class Shown:
    """Counts what TensorBoard shows of what the files have."""

    def __init__(self, tfrec, root):
        self.server, self.n, self.bad = Server(root), {}, 0
        self.rows = {}  # run -> rows of all of its files
        for path in sorted(glob.glob(f"{root}/**/events.out.*", recursive=True)):
            run = os.path.relpath(os.path.dirname(path), root)
            self.rows.setdefault(run, []).extend(ours(tfrec, path))
        self.server.wait(self.rows)

    def check(self, kind, what, good):
        self.n[kind] = self.n.get(kind, 0) + 1
        if not good:
            self.bad += 1
            print(f"TensorBoard does not show the {kind} {what}")

    def of(self, kind):
        """-> run, tag, [row] of one kind"""
        for run, rows in self.rows.items():
            tags = {}
            for row in rows:
                if row["kind"] == kind:
                    tags.setdefault(row["tag"], []).append(row)
            for tag, found in tags.items():
                yield run, tag, found

    def scalars(self):
        for run, tag, rows in self.of("scalar"):
            shown = {step: value for _, step, value in
                     self.server.json("/data/plugin/scalars/scalars", run=run, tag=tag)}
            for row in rows:
                value = np.float32(number(row["value"]))
                self.check("scalar", f"{run} {tag} {row['step']}",
                           row["step"] in shown and (np.float32(shown[row["step"]]) == value or np.isnan(value)))

    def metrics(self, root):
        """Losses of metrics.jsonl, as float32, are shown under the original's tags."""
        for run in ("text", "images"):
            for line in open(f"{root}/{run}/metrics.jsonl"):
                row = json.loads(line)
                if row["kind"] not in ("train", "eval"):
                    continue
                at = run if row["kind"] == "train" else f"{run}/eval"
                shown = {step: value for _, step, value in
                         self.server.json("/data/plugin/scalars/scalars", run=at, tag="loss")}
                self.check("loss of metrics.jsonl", f"{at} {row['step']}",
                           np.float32(row["loss"]) == np.float32(shown.get(row["step"], np.nan)))

    def histograms(self):
        for run, tag, rows in self.of("histogram"):
            shown = [x[1] for x in self.server.json("/data/plugin/histograms/histograms", run=run, tag=tag)]
            self.check("histogram", f"{run} {tag}", shown == [row["step"] for row in rows])

    def images(self):
        from PIL import Image

        for run, tag, rows in self.of("image"):
            answers = [x for sample in range(len({r["tag"] for r in rows}))
                       for x in self.server.json("/data/plugin/images/images", run=run, tag=tag,
                                                 sample=sample)]
            for row, x in zip(rows, answers):
                png = self.server.get("/data/plugin/images/individualImage?" + x["query"])
                self.check("image", f"{run} {tag} {row['step']}", x["step"] == row["step"]
                           and len(png) == row["bytes"]
                           and Image.open(io.BytesIO(png)).size == (row["width"], row["height"]))
            self.check("images of a tag", f"{run} {tag}", len(answers) == len(rows))

    def texts(self):
        for run, tag, rows in self.of("text"):
            shown = {x["step"] for x in self.server.json("/data/plugin/text/text", run=run, tag=tag)}
            self.check("text", f"{run} {tag}", shown == {row["step"] for row in rows})

    def hparams(self, root):
        """The table of texts that a run begins with is the hparams plugin's, too."""
        groups = self.server.post("/data/plugin/hparams/session_groups", {
            "experimentName": "", "colParams": [], "startIndex": 0, "sliceSize": 10,
            "allowedStatuses": ["STATUS_UNKNOWN", "STATUS_SUCCESS", "STATUS_FAILURE", "STATUS_RUNNING"]})
        shown = {s["name"]: g["hparams"] for g in groups["sessionGroups"] for s in g["sessions"]}
        for run in self.rows:
            for path in glob.glob(f"{root}/{run}/events.out.*"):
                for _, v, plugin in theirs(path):
                    is_table = plugin == "text" and v.tag.endswith("_hparams")
                    for name, value in tensor_util.make_ndarray(v.tensor) if is_table else []:
                        name, value = name.decode(), value.decode()
                        got = shown.get(run, {}).get(name)
                        self.check("hparam", f"{run} {name}={value}: {got}",
                                   abs(float(value) - got) <= 1e-14 * abs(got)  # "%.15g"
                                   if type(got) in (int, float) else value == str(got))


def check_shown(bin_dir):
    with tempfile.TemporaryDirectory() as at:
        root = f"{at}/runs"
        make_runs(os.path.abspath(bin_dir), at)
        tfrec = os.path.join(bin_dir, "tfrec")
        n, bad = compare(tfrec, sorted(glob.glob(f"{root}/**/events.out.*", recursive=True)))
        shown = Shown(tfrec, root)
        shown.scalars()
        shown.metrics(root)
        shown.histograms()
        shown.images()
        shown.texts()
        shown.hparams(root)
        for kind in ("scalar", "loss of metrics.jsonl", "histogram", "image", "text", "hparam"):
            if not shown.n.get(kind):
                print(f"no {kind} was found")
                bad += 1
        print(json.dumps({"values": n, "different": bad, "shown": shown.n, "not_shown": shown.bad}))
        return bad + shown.bad


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--tfrec")
    p.add_argument("--bin")
    p.add_argument("files", nargs="*")
    args = p.parse_args()
    if args.bin:
        bad = check_shown(args.bin)
    else:
        n, bad = compare(args.tfrec, args.files)
        print(json.dumps({"values": n, "different": bad}))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
