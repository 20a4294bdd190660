# Captions of images with the original's model: MS-COCO's archives, made up and small, become records, SliceNet is
# trained on them and evaluated, stops and goes on to the same bits, and t2t-decoder writes a text for each image:
# the same one alone, in a folder, or out of a record.  The original's own command line, at its 299 x 299, begins.
command -v python3 >/dev/null || { echo "no python3" >&2; exit 77; }
export PYTHONDONTWRITEBYTECODE=1
mkdir data
python3 "$T2_ROOT/tests/support/image_sources.py" tmp
seq 3000 | awk '{ print "a man sits on red bus, stop.", "word" $1 % 97, "tree" $1 % 31 }' >text
t2t-vocab build --quiet --target_size=300 --output=data/vocab.translate_ende_wmt32k.32768.subwords text
t2t-datagen --quiet --offline --problem=image_ms_coco_tokens32k,image_ms_coco_characters --data_dir=data --tmp_dir=tmp

net() { # folder, problem, steps, flags
    out=$1 problem=$2 steps=$3
    shift 3
    t2t-trainer --problem="$problem" --data_dir=data --output_dir="$out" --train_steps="$steps" --model=slice_net \
        --hparams_set=slicenet_1tiny --eval_steps=2 --local_eval_frequency=4 \
        --hparams=image_size=12,hidden_size=32,num_hidden_layers=1,use_fixed_batch_size=true,batch_size=4,max_length=100 \
        "$@" 2>>"$out.log"
}
net whole image_ms_coco_tokens32k 8 --num_threads=1
net parts image_ms_coco_tokens32k 4 --num_threads=2
net parts image_ms_coco_tokens32k 8 --num_threads=2
cmp whole/model-8.safetensors parts/model-8.safetensors
grep -q 'model: slice_net, slicenet_1tiny, ' whole.log
grep -q 'images of 12 x 12 x 3 (t2t_imagenet) to texts of ' whole.log
grep -q '"kind": "eval".*"neg_log_perplexity"' whole/metrics.jsonl

describe() { # beam, from, flags
    beam=$1 from=$2
    shift 2
    t2t-decoder --quiet --data_dir=data --output_dir=whole --decode_from_file="$from" --decode_to_file=out.txt \
        --decode_hparams="beam_size=$beam,extra_length=3" "$@" 2>>decode.log
    cat out.txt
}
mkdir images
cp tmp/[0-3].jpg images/
echo text >images/no.txt
for beam in 1 3; do
    describe $beam images >all
    [ "$(wc -l <all)" = 4 ]
    sed -n 3p all >third
    describe $beam images/2.jpg | cmp - third
done
describe 3 images --json | grep -q '"file":.*"text":.*"score":'
describe 1 data/image_ms_coco_tokens32k-dev-00000-of-00010 >of_records
[ -s of_records ]

# 89,401 positions of an image: one, as the original's batches have
t2t-trainer --problem=image_ms_coco_tokens32k --data_dir=data --output_dir=large --model=slice_net --train_steps=1 \
    --hparams_set=slicenet_1tiny --schedule=train --hparams=hidden_size=32,num_hidden_layers=1 2>large.log
grep -q 'images of 299 x 299 x 3' large.log

refused() { # words, flags
    words=$1 code=0
    shift
    t2t-trainer --data_dir=data --output_dir=none --train_steps=1 "$@" 2>log || code=$?
    [ "$code" = 1 ] && grep -q "$words" log && [ ! -e none ]
}
refused "model 'transformer' does not describe images" --problem=image_ms_coco_tokens32k --model=transformer --hparams_set=transformer_tiny \
    --hparams=max_length=0,batch_size=4096
refused "model 'resnet' does not describe images" --problem=image_ms_coco_tokens32k --model=resnet --hparams_set=resnet_18 \
    --hparams=max_length=0,batch_size=4096
# code points are ids, as in the original, which has 258 of them
refused 'image/class/label.*is 26481, but the vocabulary has 258' --problem=image_ms_coco_characters --model=slice_net --hparams_set=slicenet_1tiny
refused 'images are made from texts' --problem=image_text_ms_coco --model=slice_net --hparams_set=slicenet_1tiny
refused 'texts of images are written, not read' --problem=image_ms_coco_tokens32k_rev --model=slice_net --hparams_set=slicenet_1tiny
