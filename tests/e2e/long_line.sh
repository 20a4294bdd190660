# One line of 24 MB under --max_memory: every tool that reads text refuses it, early, with its place and the way out, and
# takes nothing like what the line would take (t2t-decoder took ten times the file).
. "$T2_ROOT/tests/e2e/train_common.subr"
data data 300
train run 4
head -c 24000000 /dev/zero | tr '\0' a >long.txt
{ printf '{"inputs":"' && cat long.txt && printf '","targets":"x"}\n'; } >long.jsonl
echo >>long.txt

refuses() { # file, command
    file=$1
    shift
    fails 1 "$@" --max_memory=128M 2>log >/dev/null || { cat log && exit 1; }
    says log "'$file': line 1, from byte 0 on, is longer than 8.4 MB, which is what one line may have of --max_memory"
}

refuses long.txt t2t-decoder --output_dir=run --data_dir=data --decode_from_file=long.txt --decode_to_file=out
refuses long.txt t2t-vocab build --target_size=300 -o v long.txt
refuses long.txt t2t-vocab count -o v long.txt
refuses long.txt t2t-datagen --name=own --train=long.txt,long.txt --dev=long.txt,long.txt --data_dir=own --vocab_size=300
refuses long.jsonl t2t-datagen --name=own --train=long.jsonl --dev=long.jsonl --data_dir=own --vocab_type=character
[ ! -e out ] && [ ! -e v ]
