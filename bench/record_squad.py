#!/usr/bin/env python3
"""Recordings of Model Garden's questions and answers: fixtures/recordings/garden_squad.

    record_squad.py --out DIR

For tests/unit/tokenizer/test_question_rows.c, tests/unit/train/test_answer_spans.c and tests/unit/tfrec/test_squad_in.c.
Environment: that of record_bert.py.  Texts and logits are drawn here; rows, answers and scores are those of
official/nlp/data/squad_lib.py and tools/squad_evaluate_v1_1.py; of the files negative*.json, which have questions
without an answer, as in SQuAD 2.0, squad_evaluate_v2_0.py.
"""
import argparse
import json
import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import numpy as np
from official.nlp.data import squad_lib
from official.nlp.tasks.question_answering import RawAggregatedResult
from official.nlp.tools import squad_evaluate_v1_1, squad_evaluate_v2_0, tokenization

LENGTH, STRIDE, QUESTION, N_BEST, MOST = 24, 7, 6, 5, 4
FORM = {"length": LENGTH, "stride": STRIDE, "most_question": QUESTION, "n_best": N_BEST, "most_pieces": MOST}
WORDS = ("the The A an harbour Harbour's Caf\u00e9 r\u00e9sum\u00e9 (1895-1943). Japanese electronics \u4e2d\u6587 na\u00efve U.S. "
         "\u0130stanbul don't E=mc\u00b2 \u00c5ngstr\u00f6m [SEP] x\u00ad y##z #1 old new ships sailed, 3,000 wind \u2014 \u03a3\u03af\u03c3\u03c5\u03c6\u03bf\u03c2 "
         "o\u0308l \ufb01sh \u202fthin zq" + "q" * 120).split(" ")
BLANKS = [" ", " ", " ", "  ", "\n", "\t", "\u202f", "\u00a0", " \r\n "]


def text_of(random, n):
    return "".join(WORDS[random.integers(len(WORDS))] + BLANKS[random.integers(len(BLANKS))] for _ in range(n))


def draw_questions(random, n_answers):
    """Paragraphs of 0 to 40 words; answers are parts of them, at any characters."""
    articles = []
    for a in range(3):
        paragraphs = []
        for p in range(4):
            text = text_of(random, 3 + int(random.integers(14)) if a + p else 2)
            if a == 2 and p == 3:
                text = " \n"
            questions = []
            for q in range(2 if text.strip() else n_answers > 1):
                answers = []
                for _ in range(n_answers if text.strip() else 0):
                    while True:
                        begin, n = int(random.integers(len(text))), 1 + int(random.integers(25))
                        cut = text[begin:begin + n]
                        # a blank in front of all words has no word in the original's table
                        if cut.strip() and text[:begin + 1].strip():
                            break
                    answers.append({"text": cut, "answer_start": begin})
                questions.append({"id": "%d-%d-%d" % (a, p, q), "question": text_of(random, 2 + 3 * q), "answers": answers})
            paragraphs.append({"context": text, "qas": questions})
        articles.append({"paragraphs": paragraphs})
    return {"data": articles}


def rows_of(path, tokenizer, training, negative=False):
    rows, features = [], []

    def keep(feature, is_padding=False):
        if is_padding:
            return
        features.append(feature)
        n = sum(feature.input_mask)
        row = {"question": feature.example_index, "ids": feature.input_ids[:n], "parts": feature.segment_ids[:n]}
        if training:
            row.update(begin=feature.start_position, end=feature.end_position)
            if negative:
                row["impossible"] = int(feature.is_impossible)
        else:
            row["best"] = [i for i in sorted(feature.token_is_max_context) if feature.token_is_max_context[i]]
        rows.append(row)

    examples = squad_lib.read_squad_examples(path, training, negative)
    squad_lib.convert_examples_to_features(examples=examples, tokenizer=tokenizer, max_seq_length=LENGTH, doc_stride=STRIDE,
                                           max_query_length=QUESTION, is_training=training, output_fn=keep, batch_size=1)
    return examples, features, rows


def asked(data):
    return [q for article in data["data"] for paragraph in article["paragraphs"] for q in paragraph["qas"]]


def draw_negative(random, n_answers):
    """Of three questions one has no answer; texts without words, whose rows the original misses, are left out."""
    data = draw_questions(random, n_answers)
    for article in data["data"]:
        article["paragraphs"] = [p for p in article["paragraphs"] if p["context"].strip()]
    for i, q in enumerate(asked(data)):
        q["is_impossible"] = i % 3 == 1
        if q["is_impossible"]:
            q["plausible_answers"], q["answers"] = q["answers"], []
    return data


def save(path, what, **layout):
    with open(path, "w", encoding="utf-8") as f:
        json.dump(what, f, **layout)
        f.write("\n")


def record_negative(path, tokenizer):
    random = np.random.default_rng(20)
    data = draw_negative(random, 3)
    save(path("negative_train.json"), draw_negative(random, 1), ensure_ascii=False, indent=1)
    save(path("negative_dev.json"), data, ensure_ascii=False, indent=1)
    examples, _, train = rows_of(path("negative_train.json"), tokenizer, True, True)
    train = [{"question": examples[r["question"]].qas_id, **{k: r[k] for k in ("begin", "end", "impossible")}} for r in train]
    examples, features, _ = rows_of(path("negative_dev.json"), tokenizer, False, True)
    logits = [(random.integers(-8, 9, (2, LENGTH)) / 2).astype(np.float32) for _ in features]
    for one in logits:  # no answer is about as likely as the likeliest
        one[:, 0] += np.float32(random.integers(-6, 7) / 2 + 4)
    results = [RawAggregatedResult(f.unique_id, *one.tolist()) for f, one in zip(features, logits)]

    def post(threshold):
        return squad_lib.postprocess_output(examples, features, results, N_BEST, MOST, True, True, threshold)

    thresholds = [0.0, 2.5, -4.0]
    predictions, nbest, odds = post(thresholds[0])
    for i, q in enumerate(asked(data)):  # some are right, or nearly; an answer without words is none
        if q["answers"]:
            found = ([p["text"] for p in nbest[q["id"]] if p["text"]] + ["wind"])[0]
            q["answers"][1]["text"] = ["The " + found.upper() + "!", found + " wind", "the."][(i // 2) % 3]
            if i % 4 == 0:
                q["answers"] = q["answers"][1:2]
    save(path("negative_dev.json"), data, ensure_ascii=False, indent=1)
    all_predictions = [post(t)[0] for t in thresholds]
    scores = []
    for one in all_predictions:  # without, and with the odds, which it takes for probabilities
        plain, best = squad_evaluate_v2_0.evaluate(data["data"], one), squad_evaluate_v2_0.evaluate(data["data"], one, odds)
        scores.append({**{k: v for k, v in plain.items() if "final" not in k and "pr_" not in k},
                       **{k: v for k, v in best.items() if k.startswith("final")}})
    save(path("negative.json"), {**FORM, "train": train, "logits": [one.tolist() for one in logits], "nbest": nbest, "odds": odds,
                                 "thresholds": thresholds, "predictions": all_predictions, "scores": scores})
    for one in scores:
        print(one)


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    p.add_argument("--out", required=True)
    a = p.parse_args()
    os.makedirs(a.out, exist_ok=True)

    def path(name):
        return os.path.join(a.out, name)

    random = np.random.default_rng(7)
    chars = sorted(set("abcdefghijklmnopqrstuvwxyz0123456789.,'()-=[]#\u03c3\u03b9\u03c5\u03c6\u03bf\u4e2d\u6587\u00b2\u2014"))
    pieces = "the an harbour cafe resume japan electronics istanbul ships old new wind ##ese ##s ##bour naive".split()
    with open(path("vocab.txt"), "w", encoding="utf-8") as f:
        f.write("\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"] + chars + ["##" + c for c in chars] + pieces) + "\n")
    tokenizer = tokenization.FullTokenizer(path("vocab.txt"), do_lower_case=True)
    for name, n_answers in (("train.json", 1), ("dev.json", 3)):
        with open(path(name), "w", encoding="utf-8") as f:
            json.dump(draw_questions(random, n_answers), f, ensure_ascii=False, indent=1)
            f.write("\n")
    examples, _, train = rows_of(path("train.json"), tokenizer, True)
    ids = [e.qas_id for e in examples]
    for row in train:
        row["question"] = ids[row["question"]]
    examples, features, dev = rows_of(path("dev.json"), tokenizer, False)
    for row in dev:
        row["question"] = examples[row["question"]].qas_id
        # halves: equal logits, whose order is the place in the row
        row["logits"] = (random.integers(-8, 9, (2, LENGTH)) / 2).astype(np.float32).tolist()
    results = [RawAggregatedResult(f.unique_id, *r["logits"]) for f, r in zip(features, dev)]
    predictions, nbest, _ = squad_lib.postprocess_output(examples, features, results, N_BEST, MOST, True)
    with open(path("dev.json"), encoding="utf-8") as f:
        data = json.load(f)["data"]
    for i, (q, found) in enumerate(predictions.items()):  # some are right, or nearly
        for article in data:
            for asked in (x for paragraph in article["paragraphs"] for x in paragraph["qas"] if x["id"] == q and x["answers"]):
                asked["answers"][1]["text"] = [asked["answers"][1]["text"], "The " + found.upper() + "!", found + " wind"][i % 3]
    with open(path("dev.json"), "w", encoding="utf-8") as f:
        json.dump({"data": data}, f, ensure_ascii=False, indent=1)
        f.write("\n")
    for article in data:  # the original cannot score a question without answers
        for paragraph in article["paragraphs"]:
            paragraph["qas"] = [q for q in paragraph["qas"] if q["answers"]]
    about = {**FORM, "train": train, "dev": dev, "scores": squad_evaluate_v1_1.evaluate(data, predictions)}
    with open(path("expected.json"), "w", encoding="utf-8") as f:
        json.dump(about, f)
        f.write("\n")
    for name, what in (("predictions.json", predictions), ("nbest_predictions.json", nbest)):
        squad_lib.write_to_json_files(what, path(name))
    record_negative(path, tokenizer)
    print(len(train), "rows of training,", len(dev), "of evaluation", about["scores"])


if __name__ == "__main__":
    main()
