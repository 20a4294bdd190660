# docs/plugins.md followed literally against an installed copy: a model with an operator of its own, sets and a problem;
# the same bits for any number of threads and after a pause; objects of other versions are refused.
command -v cc >/dev/null || { echo "no C compiler for the plug-in" >&2; exit 77; }
unset T2_LOG
. "$T2_ROOT/tests/e2e/walkthrough.subr"
install_here t2t-trainer t2t-datagen t2t-decoder
# what sanitizers compile in, a plug-in needs not
follow plugins.md "Follow this"
[ "$(grep -c bump followed.out)" = 3 ]
head -n 1 digits.txt | grep -q '^456'
tail -n 1 digits.txt | grep -q '^123'
! grep 'means nothing' followed.log

# the headers as a strict compiler sees them
# shellcheck disable=SC2046 # a list of words
cc -std=c11 -Wall -Wextra -Werror -shared -fPIC $(pkg-config --cflags t2t-plugin) -o strict.so usr/bump.c

train() { # folder, steps, flags
    out=$1 steps=$2
    shift 2
    t2t-trainer --quiet --t2t_usr_dir=usr --problem=digits_that_follow --data_dir=data --output_dir="$out" --model=bump_lm \
        --hparams_set=bump_wide --train_steps="$steps" --eval_steps=0 "$@"
}
train one 6 --num_threads=1
train two 3 --num_threads=3
train two 6 --num_threads=2
cmp one/model-6.safetensors two/model-6.safetensors
train near 3 --device=reference
(T2_REFERENCE=far train far 3 --device=reference)
cmp near/model-3.safetensors far/model-3.safetensors
t2t-trainer --quiet --t2t_usr_dir=usr --problem=digits_that_follow --data_dir=data --output_dir=search --model=bump_lm \
    --hparams_set=bump_small --hparams_range=basic1 --autotune_objective=loss --autotune_max_trials=1 --train_steps=2 \
    --eval_steps=1 --local_eval_frequency=2 >/dev/null 2>search.log || { cat search.log && exit 1; }

refused() { # words of the message, command
    words=$1
    shift
    if "$@" >out 2>err; then
        echo "was not refused: $*" >&2
        exit 1
    fi
    grep -q "$words" err || { cat err >&2; exit 1; }
}
refused "unknown model 'bump_lm'" t2t-trainer --problem=digits_that_follow --data_dir=data --output_dir=none \
    --model=bump_lm --hparams_set=basic_1 --train_steps=1
refused "unknown hparams set 'bump_small'" t2t-decoder --data_dir=data --output_dir=run --decode_from_file=begin.txt
build() { # C text
    mkdir -p other
    printf '#include "train/models/model_plugin.h"\n%s\n' "$1" >other.c
    # shellcheck disable=SC2046 # a list of words
    cc -shared -fPIC $(pkg-config --cflags t2t-plugin) -o other/other.so other.c
}
list() { t2t-trainer --registry_help --t2t_usr_dir=other; }
add='static enum t2_status add(struct t2_err *err)'
build 'const struct mdl_plugin mdl_plugin = {99, MDL_PLUGIN_BYTES, 0};'
refused "other.so' was compiled for another version of this program (interface 99, here " list
build 'const struct mdl_plugin mdl_plugin = {MDL_PLUGIN_ABI, {1, 2, 3}, 0};'
refused "other.so' was compiled with headers of another build" list
build 'int x;'
refused "defines neither mdl_plugin" list
build "$add { return mdl_hparams_register(\"s\", \"basic_1\", \"hidden_sise=3\", err); } MDL_PLUGIN(add);"
refused "other.so': hparams set 's': there is no hparam 'hidden_sise' in the parent" list
build "$add { static const struct mdl_kind k = {.name = \"resnet\"}; return mdl_register(&k, err); } MDL_PLUGIN(add);"
refused "other.so': model 'resnet' needs the functions check and build" list
rm other/other.so
printf 'not an object' >other/other.so
refused "other.so' cannot be loaded" list
