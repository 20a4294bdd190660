# The image problems from small archives in the formats of the originals (tests/support/image_sources.py): shards,
# order, labels, features and pixels as Tensor2Tensor 1.15.7 wrote them (bench/compare_t2t_images.sh, RECORD=...).
# CelebA, whose splits are cut at 162,770 images and more, is only compared there.
command -v python3 >/dev/null || { echo "no python3" >&2; exit 77; }
export PYTHONDONTWRITEBYTECODE=1
cat >recorded <<'END'
image_imagenet32_gen 1034 1065 bde881777f99e13ed6002e2ce518dd1d7db92c29369adee3b91f7c94bf936f14
image_imagenet64_gen 1034 19 3a564bdb67ba73291eb6e23c4ece4aedee304d0b8bc9d998c9148744acc3dadc
image_lsun_bedrooms 101 237 da8b7e648073652279bf95c88ad01e5c10800bc28bf186b2ffe346b787741b5a
img2img_allen_brain 110 306 f1db69d26a01e06bcdbe8c0dc5583ba8bb0fde3727f4243ddb04a7e396e74b4c
image_ms_coco_characters 110 268 795499ed0479e425ef52b8bfa9faecc652c6938f8444dbc4ca433a3acb40b778
image_ms_coco_tokens32k 110 268 6fb9430f4d48015df210cfa02b3e486f8a3b872a5c4f9a28403c8287058a46ab
image_fsns 576 864 a238f1654233d4cee64faf0e29ec38c1c00e53aa003e94f6c34accac310dfc98
ocr_test 2 4 ff57aade6a127e338d09e55279cf083be4c06fa95c69961d8f756156bf7de101
image_vqav2_tokens10k_labels3k 192 71 caed34e122f978902f8fc2df23e335529ca610fd9dd9795872780c4d84ed5d5b
image_vqav2_rcnn_feature_tokens10k_labels3k 192 71 05732800867059ff2dd3400cdda07a9c4df77e9453b9b032be8c031ed94c255f
END
problems=$(cut -d ' ' -f 1 recorded)
python3 "$T2_ROOT/tests/support/image_sources.py" tmp
mkdir data
seq 3000 | awk '{ print "word" $1 % 977, "caf\303\251", "dog", "tree" $1 % 31 }' >text
t2t-vocab build --quiet --target_size=600 --output=data/vocab.translate_ende_wmt32k.32768.subwords text
t2t-datagen --quiet --offline --problem="$(echo "$problems" | tr '\n' , | sed 's/,$//')" --data_dir=data --tmp_dir=tmp
# shellcheck disable=SC2086 # one word a problem
python3 "$T2_ROOT/tests/support/image_runs.py" digests data $problems >made
diff recorded made
tfrec verify data/*coco*-of-* >verified

# What is unpacked gives the same bytes as its archive, a set of another name is the same data.
(cd tmp && python3 -c "import zipfile; zipfile.ZipFile('val2014.zip').extractall('.')" && rm val2014.zip)
for p in image_ms_coco_characters img2img_allen_brain_dim8to32; do
    t2t-datagen --quiet --offline --problem=$p --data_dir=again --tmp_dir=tmp
done
for f in again/*-of-*; do cmp "$f" "data/${f#again/}"; done

# Full ImageNet has no archive: folders, labels from 0.
mkdir -p tmp/imagenet/train/n01 tmp/imagenet/train/n02 tmp/imagenet/validation/n02
cp tmp/0.jpg tmp/1.jpg tmp/imagenet/train/n01/
cp tmp/2.jpg tmp/3.jpg tmp/7.jpg tmp/imagenet/train/n02/
cp tmp/4.jpg tmp/imagenet/validation/n02/
t2t-datagen --quiet --offline --problem=image_imagenet224 --data_dir=full --tmp_dir=tmp --train_shards=2 --dev_shards=1
tfrec head full/image_imagenet-dev-00000-of-00001 >shown
grep -q 'n02' shown

# ImageNet as it is downloaded: archives in an archive, read where they lie; the same shards as from folders.
mv tmp/imagenet/validation/n02/4.jpg tmp/imagenet/validation/4.JPEG
rmdir tmp/imagenet/validation/n02
printf 'n02\n' >tmp/imagenet/synset_labels.txt
for f in tmp/imagenet/train/*/*.jpg; do mv "$f" "${f%.jpg}.JPEG"; done
python3 - <<'END'
import io, pathlib, tarfile
root, to = pathlib.Path("tmp/imagenet"), pathlib.Path("packed/imagenet")
to.mkdir(parents=True)
with tarfile.open(to / "ILSVRC2012_img_train.tar", "w") as outer:
    for folder in sorted(root.glob("train/*"), reverse=True):
        inner = io.BytesIO()
        with tarfile.open(fileobj=inner, mode="w") as t:
            for f in sorted(folder.iterdir(), reverse=True):
                t.add(f, f.name)
        info = tarfile.TarInfo(folder.name + ".tar")
        info.size = inner.tell()
        inner.seek(0)
        outer.addfile(info, inner)
with tarfile.open(to / "ILSVRC2012_img_val.tar", "w") as t:
    t.add(root / "validation/4.JPEG", "4.JPEG")
END
cp tmp/imagenet/synset_labels.txt packed/imagenet/
for from in tmp packed; do
    t2t-datagen --quiet --offline --problem=image_imagenet --data_dir=t2t_$from --tmp_dir=$from --train_shards=2 --dev_shards=1
    jpeg-to-tfrecord --quiet --raw_data_dir=$from/imagenet --output_dir=tpu_$from --train_shards=3 --validation_shards=1 >/dev/null
    jpeg-to-tfrecord --quiet --image_dir=$from/imagenet --contact_sheet=$from.png
done
for f in t2t_tmp/*-of-* tpu_tmp/*/*-of-*; do cmp "$f" "$(echo "$f" | sed s/_tmp/_packed/)"; done
cmp tmp.png packed.png
[ "$(find packed -type f | wc -l)" -eq 3 ]
