"""Small stand-ins for the public archives of T2T's image problems, in the originals' formats: made up images,
questions and captions, written by this file's own encoders.

usage: image_sources.py TMP_DIR [FACES]     FACES: how many images of CelebA (202599 in the original)
WEBP=1: some of LSUN's are WebP, by cwebp; else the bytes of the images are the same everywhere.
"""
import base64, io, json, os, struct, subprocess, sys, tarfile, zipfile, zlib

sys.dont_write_bytecode = True
from record_bytes import Rng, field, frame


# ---- images

def png(width, height, r, channels=3):
    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
    rows = b"".join(b"\0" + bytes(r.below(256) for _ in range(width * channels)) for _ in range(height))
    colour = {1: 0, 3: 2}[channels]
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, colour, 0, 0, 0)) + \
        chunk(b"IDAT", stored(rows)) + chunk(b"IEND", b"")


def stored(data):
    """A zlib stream that is the same with every zlib."""
    blocks = [data[i:i + 65535] for i in range(0, len(data), 65535)]
    return b"\x78\x01" + b"".join(struct.pack("<BHH", i == len(blocks) - 1, len(b), len(b) ^ 0xffff) + b
                                  for i, b in enumerate(blocks)) + struct.pack(">I", zlib.adler32(data))


def jpeg(width, height, level, components=3):
    """Baseline, a flat colour for each block of 8 x 8: level(component, block) is 0 ... 255."""
    def marker(code, data):
        return struct.pack(">BBH", 0xff, code, len(data) + 2) + data
    ids = bytes(range(1, components + 1))
    bits = []

    def put(value, n):
        bits.extend((value >> i) & 1 for i in reversed(range(n)))
    last = [0] * components
    for block in range((width + 7) // 8 * ((height + 7) // 8)):
        for c in range(components):
            diff = level(c, block) - 128 - last[c]
            last[c] += diff
            size = abs(diff).bit_length()
            put(size, 4)  # codes of four bits: the categories themselves
            put(diff if diff >= 0 else diff + (1 << size) - 1, size)
            put(0, 1)  # end of block
    bits += [1] * (-len(bits) % 8)
    data = bytes(sum(b << (7 - i) for i, b in enumerate(bits[k:k + 8])) for k in range(0, len(bits), 8))
    return b"\xff\xd8" + marker(0xe0, b"JFIF\0\1\1\0\0\1\0\1\0\0") + marker(0xdb, b"\0" + b"\x08" * 64) + \
        marker(0xc0, struct.pack(">BHHB", 8, height, width, components) + b"".join(bytes([i, 0x11, 0]) for i in ids)) + \
        marker(0xc4, b"\0" + b"\0\0\0\x0a" + b"\0" * 12 + bytes(range(10))) + \
        marker(0xc4, b"\x10\1" + b"\0" * 15 + b"\0") + \
        marker(0xda, bytes([components]) + b"".join(bytes([i, 0]) for i in ids) + b"\0\x3f\0") + \
        data.replace(b"\xff", b"\xff\0") + b"\xff\xd9"


def photo(r, width, height, components=3):
    seed = r.below(1 << 20)
    return jpeg(width, height, lambda c, block: (seed + 37 * c + 11 * block * (seed % 7 + 1)) % 256, components)


# ---- archives

def put(path, data):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as f:
        f.write(data)


def write_tar(path, members, mode="w"):
    with tarfile.open(path, mode) as t:
        for name, data in members:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            t.addfile(info, io.BytesIO(data))


def write_zip(path, members):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as z:
        for name, data in members:
            z.writestr(name, data)


def lmdb(pairs, page=4096):
    """A data.mdb: leaves under one root, long values in pages of their own."""
    pages = [b"", b""]

    def tree_page(flags, nodes):
        ptrs, heap, top = b"", b"", page
        for n in nodes:
            top -= len(n) + len(n) % 2
            ptrs += struct.pack("<H", top)
            heap = n + b"\0" * (len(n) % 2) + heap
        lower = 16 + len(ptrs)
        head = struct.pack("<QHHHH", len(pages), 0, flags, lower, top)
        pages.append(head + ptrs + b"\0" * (top - lower) + heap)
        return len(pages) - 1

    leaves, nodes, first, room, n_overflow = [], [], None, page - 16, 0
    for key, value in sorted(pairs):
        if len(value) > page // 4:
            n = (16 + len(value) + page - 1) // page
            n_overflow += n
            data = struct.pack("<Q", len(pages))
            body = struct.pack("<QHHI", len(pages), 0, 4, n) + value
            body += b"\0" * (n * page - len(body))
            pages.extend(body[i:i + page] for i in range(0, len(body), page))
            node = struct.pack("<IHH", len(value), 1, len(key)) + key + data
        else:
            node = struct.pack("<IHH", len(value), 0, len(key)) + key + value
        size = len(node) + len(node) % 2 + 2
        if size > room:
            leaves.append((first, tree_page(2, nodes)))
            nodes, room = [], page - 16
        first = first if nodes else key
        nodes.append(node)
        room -= size
    leaves.append((first, tree_page(2, nodes)))
    root = leaves[0][1]
    if len(leaves) > 1:
        root = tree_page(1, [struct.pack("<HHHH", p & 0xffff, p >> 16, 0, len(k if i else b"")) + (k if i else b"")
                             for i, (k, p) in enumerate(leaves)])
    depth = 1 if len(leaves) == 1 else 2
    for i in range(2):
        free = struct.pack("<IHHQQQQQ", page, 8, 0, 0, 0, 0, 0, 2 ** 64 - 1)
        main = struct.pack("<IHHQQQQQ", 0, 0, depth, depth - 1, len(leaves), n_overflow, len(pairs), root)
        meta = struct.pack("<QHHHH", i, 0, 8, 0, 0) + struct.pack("<IIQQ", 0xBEEFC0DE, 1, 0, 1 << 30) + free + main + \
            struct.pack("<QQ", len(pages) - 1, 1 + i)
        pages[i] = meta + b"\0" * (page - len(meta))
    return b"".join(pages)


# ---- sets

def small_imagenet(tmp):
    r = Rng(1)
    for side in 32, 64:
        for split, n in ("train", 1040), ("valid", 25):
            folder = "%s_%dx%d" % (split, side, side)
            if side == 64:
                n = 7 + n % 10
            flat = png(side, side, Rng(side), 1)
            write_tar(os.path.join(tmp, folder + ".tar"),
                      [(folder + "/%07d.png" % i, png(side, side, r) if i < 12 else flat) for i in range(n)])


def celeba(tmp, n):
    r = Rng(2)
    names = ["%06d.jpg" % (i + 1) for i in range(n)]
    some = [photo(r, 178, 218) for _ in range(3)] if n < 1000 else [photo(r, 8, 8, 1) for _ in range(3)]
    write_zip(os.path.join(tmp, "img_align_celeba.zip"),
              [("img_align_celeba/" + name, some[r.below(3)]) for name in reversed(names)])
    table = lambda count, value, heads: ("%d\r\n%s\r\n" % (n, " ".join(heads)) + "".join(
        "%s %s\r\n" % (name, "  ".join("%2d" % value() for _ in range(count))) for name in names)).encode()
    put(os.path.join(tmp, "celeba_attr"), table(40, lambda: 1 - 2 * r.below(2), ["A%d" % i for i in range(40)]))
    put(os.path.join(tmp, "celeba_landmarks_align"), table(10, lambda: r.below(200), ["x%d" % i for i in range(10)]))


def lsun(tmp):
    r = Rng(3)
    for split, n in ("train", 230), ("val", 7):
        pairs = [("%040x" % (r.below(1 << 31) * 977 + i)).encode() for i in range(n)]
        sizes = [(r.below(12) + 1, r.below(9) + 1) if i % 3 else (41, 37) for i in range(n)]
        values = [png(w, h, r, 1 if i == 4 else 3) for i, (w, h) in enumerate(sizes)]
        try:  # what LSUN really holds, where the tool is there; its bytes are its own
            for i in range(0, n, 20) if "WEBP" in os.environ else ():
                tool = subprocess.run(["cwebp", "-quiet", "-o", "-", "--", "-"], input=values[i], capture_output=True)
                values[i] = tool.stdout or values[i]
        except OSError:
            pass
        write_zip(os.path.join(tmp, "lsun-bedroom-%s.zip" % split),
                  [("bedroom_%s_lmdb/data.mdb" % split, lmdb(list(zip(pairs, values)))),
                   ("bedroom_%s_lmdb/lock.mdb" % split, b"")])


def allen_brain(tmp):
    r = Rng(4)
    for i in range(100):
        width, height = 64 * (1 + r.below(3)) + r.below(60), 64 * (1 + r.below(3)) + r.below(60)
        bright = lambda c, block: (i * 13 + block * 29 + 50 * c) % (256 if block % 5 else 200)
        dark = lambda c, block: (i + block + c) % 220
        # flat Cb and Cr, so that dark tiles are dark in every colour
        grey = (lambda f: lambda c, block: f(0, block) if c == 0 else 128)
        put(os.path.join(tmp, "%d.jpg" % i), jpeg(width, height, grey(dark if i % 4 == 1 else bright),
                                                  1 if i % 10 == 7 else 3))


WORDS = "a the man dog caf\u00e9 sits on red bus, stop. \u6771\u4eac! under 2 trees \u201cnear\u201d water \U0001f600".split()


def sentence(r, n=9):
    return " ".join(WORDS[r.below(len(WORDS))] for _ in range(1 + r.below(n)))


def coco(tmp):
    r = Rng(5)
    both = []
    ids = {}
    for split, n in ("train2014", 31), ("val2014", 17):
        images, notes, files = [], [], []
        ids[split] = sorted({r.below(500000) + 1 for _ in range(n)}, key=lambda x: x * 7919 % 1009)
        for i, image in enumerate(ids[split]):
            name, size = "COCO_%s_%012d.jpg" % (split, image), (8 + r.below(90), 8 + r.below(90))
            files.append((split + "/" + name, photo(r, *size, 1 if i == 3 else 3)))
            images.append({"id": image, "file_name": name, "width": size[0], "height": size[1], "license": 3})
            for k in range(0 if i == 5 else 5 + r.below(3)):
                notes.append({"image_id": image, "id": 10 * i + k, "caption": sentence(r) + ("\n" if k == 2 else " " if k == 1 else "")})
        notes.sort(key=lambda note: (note["id"] * 37 % 101, note["id"]))
        write_zip(os.path.join(tmp, split + ".zip"), files)
        both.append(("annotations/captions_%s.json" % split,
                     json.dumps({"info": {}, "images": images, "annotations": notes}).encode()))
    write_zip(os.path.join(tmp, "captions_train-val2014.zip"), both)
    write_zip(os.path.join(tmp, "test2014.zip"), [("test2014/none.txt", b"")])  # the original fetches it, too
    return ids


def vqa(tmp, ids):
    r = Rng(6)
    labels = ["yes", "no", "2", "no parking", "caf\u00e9", "red bus"] + ["answer %d" % i for i in range(60)]
    members = [("question.vocab.10000", "".join(w + "\n" for w in WORDS[:9] + ["UNK2"]).encode()),
               ("answer.label.3000", "".join(w + "\n" for w in labels).encode())]
    for split in "train2014", "val2014":
        notes = []
        for image in ids[split]:
            for k in range(r.below(4)):
                notes.append({"image_id": image, "question_id": image * 10 + k, "question": " " * (k == 1) + sentence(r, 14),
                              "answer": [labels[r.below(len(labels))] for _ in range(r.below(4))]})
        notes.sort(key=lambda note: (note["question_id"] * 31 % 97, note["question_id"]))
        members.append(("v2_%s_annotations.json" % split, json.dumps(notes).encode()))
    write_tar(os.path.join(tmp, "vqa_v2.tar.gz"), members, "w:gz")
    rows = []
    for image in ids["train2014"] + ids["val2014"] + [ids["train2014"][0], 999999]:
        boxes = [x for _ in range(36) for x in (r.below(100) / 3, r.below(100) / 7, 100 + r.below(99) / 3, 50 + r.below(999) / 9)]
        floats = [r.below(1 << 20) / 4097 for _ in range(36 * 16)]
        text = lambda values: base64.b64encode(struct.pack("<%df" % len(values), *values)).decode()
        rows.append("%d\t%d\t%d\t36\t%s\t%s\r\n" % (image, 300 + r.below(340), 200 + r.below(400), text(boxes), text(floats)))
    write_tar(os.path.join(tmp, "mscoco_feat.tar.gz"),
              [("trainval_resnet101_faster_rcnn_genome_36.tsv", "".join(rows).encode())], "w:gz")


def fsns(tmp):
    r, root = Rng(7), "http://download.tensorflow.org/data/fsns-20160927/"
    lines = ["# as the list of the models repository", root + "charset_size=134.txt"]
    for split, n in ("train", 512), ("validation", 64), ("test", 2):
        for i in range(n):
            name = "%s-%05d-of-%05d" % (split, i, n)
            lines.append(root + split + "/" + name)
            out = b""
            for _ in range(1 + i % 2):
                ids = bytes(r.below(134) & 127 for _ in range(1 + r.below(9)))
                features = (("image/encoded", field(1, field(1, png(4, 2, r)))), ("image/format", field(1, field(1, b"PNG"))),
                            ("image/text", field(1, field(1, "Rue d\u00e9".encode()))),
                            ("image/unpadded_class", field(3, field(1, ids))))
                out += frame(field(1, b"".join(field(1, field(1, k.encode()) + field(2, v)) for k, v in features)))
            put(os.path.join(tmp, "fsns", name), out)
    put(os.path.join(tmp, "fsns", "charset_size134.txt"), b"0\t \n1\tA\n")
    put(os.path.join(tmp, "fsns_urls.txt"), ("\n".join(lines) + "\n").encode())


def ocr(tmp):
    r = Rng(8)
    for i, text in enumerate((b" Hello, \xe4 world\r\n", "caf\u00e9".encode())):
        put(os.path.join(tmp, "ocr", "%d.png" % i), png(45 + i, 6, r, 1 + 2 * i))
        put(os.path.join(tmp, "ocr", "%d.txt" % i), text)


def main():
    tmp, faces = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 23
    os.makedirs(tmp, exist_ok=True)
    small_imagenet(tmp)
    celeba(tmp, faces)
    lsun(tmp)
    allen_brain(tmp)
    vqa(tmp, coco(tmp))
    fsns(tmp)
    ocr(tmp)


if __name__ == "__main__":
    main()
