# --max_memory of sources that tell their parts in another order than records have them: documents of JSON that are joined,
# dialogs, orders that the original draws, a text that is cut from its end. The same bytes as without a limit, the peak below it.
[ -x /usr/bin/time ] || { echo "no /usr/bin/time" >&2; exit 77; }
command -v python3 >/dev/null || { echo "no python3" >&2; exit 77; }
mkdir -p tmp
(
    cd tmp || exit
    python3 - <<'END'
import json, os, random, struct, tarfile, zipfile, zlib, io, gzip
r = random.Random(1)
def word(n=9):
    return "%x" % r.getrandbits(4 * n)
def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
png = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 4, 4, 8, 2, 0, 0, 0)) + \
    chunk(b"IDAT", zlib.compress((b"\0" + b"\x7f" * 12) * 4)) + chunk(b"IEND", b"")
for split, ids in (("train2014", range(40)), ("val2014", range(40, 44))):
    os.makedirs(split)
    for i in ids:
        open("%s/COCO_%s_%012d.jpg" % (split, split, i), "wb").write(png)
def coco(split, ids, n):
    return {"annotations": [{"image_id": ids[i * 7 % len(ids)], "id": i, "caption": "an image of %s, number %d" % (word(300), i)} for i in range(n)],
            "images": [{"id": i, "file_name": "COCO_%s_%012d.jpg" % (split, i), "height": 4, "width": 4} for i in ids]}
with zipfile.ZipFile("captions_train-val2014.zip", "w", zipfile.ZIP_DEFLATED) as z:
    z.writestr("annotations/captions_train2014.json", json.dumps(coco("train2014", range(40), 30000)))
    z.writestr("annotations/captions_val2014.json", json.dumps(coco("val2014", range(40, 44), 20)))
def questions(ids, n):
    return [{"image_id": ids[i * 7 % len(ids)], "question_id": i, "question": "what is %s" % word(300), "answer": ["yes"]} for i in range(n)]
json.dump(questions(range(40), 30000), open("v2_train2014_annotations.json", "w"))
json.dump(questions(range(40, 44), 5), open("v2_val2014_annotations.json", "w"))
open("question.vocab.10000", "w").write("what\nis\n")
open("answer.label.3000", "w").write("yes\nno\n")
words = [word() for _ in range(400000)]
with tarfile.open("en.tar.gz", "w:gz", compresslevel=1) as t:
    for i in range(100):
        sentences = "".join("<s id=\"%d\">\n" % k + "".join("<w id=\"1\">%s</w>\n" % r.choice(words) for _ in range(8)) + "</s>\n" for k in range(700))
        data = ("<document>\n%s</document>\n" % sentences).encode()
        info = tarfile.TarInfo("OpenSubtitles/xml/en/%03d.xml" % i)
        info.size = len(data)
        t.addfile(info, io.BytesIO(data))
with gzip.open("agr_50_mostcommon_10K.tsv.gz", "wt", compresslevel=1) as f:
    f.write("sentence\tverb_index\tverb_pos\tn_intervening\tn_diff_intervening\n")
    for i in range(80000):
        f.write("%s\t%d\t%s\t0\t%d\n" % (" ".join(r.choice(words[:20000]) for _ in range(12)), 8, "VBZ" if i % 3 else "VBP", i % 2))
with open("enwik8", "wb") as f:
    line = ("".join(chr(0x430 + i % 32) for i in range(1000)) + "\n").encode()
    for i in range(11000):
        f.write(line)
END
)
data() { (cd "$1" && sha256sum -- *-of-* vocab* 2>/dev/null || true); }
both() { # problem, limit in MB: a set without a limit and one with it
    for max in 0 "$2M"; do
        /usr/bin/time -f %M -o "kb-$max" t2t-datagen --quiet --offline --num_threads=1 --problem="$1" --data_dir="d-$max" --tmp_dir=tmp \
            --max_memory="$max" 2>err || { cat err; exit 1; }
    done
    data d-0 >sums
    data "d-$2M" >sums.limited
    [ -s sums ]
    diff sums sums.limited
    rm -rf d-0 "d-$2M"
    echo "$1: $(tail -n 1 kb-0) kB, limited to $2 MiB: $(tail -n 1 "kb-$2M") kB"
    case ${T2_BUILD:-} in */asan | */tsan) return ;; esac
    [ "$(tail -n 1 "kb-$2M")" -lt $(($2 * 1024)) ] || exit 1
}
both image_ms_coco_characters 60
both image_vqav2_tokens10k_labels3k 60
both dialog_opensubtitles64k2009 60
both sva_language_modeling 60
both enwik8_l65k 60
