#!/bin/sh
# Makes wiki_revision* of drawn dumps with t2t-datagen and with Tensor2Tensor itself, and compares vocabulary, reports and all
# records in their order:
#
#   T2_VENV_T2T=<folder of a Python 3.7 with tensor2tensor 1.15.7> bench/compare_t2t_revisions.sh
#
# Exit 77: there is no Tensor2Tensor to compare with.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
bin=${T2_BIN:-$root/build/release/bin}
[ -n "${T2_VENV_T2T:-}" ] || { echo "T2_VENV_T2T is not set: no Tensor2Tensor to compare with" >&2; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export CUDA_VISIBLE_DEVICES='' TF_CPP_MIN_LOG_LEVEL=3 PYTHONWARNINGS=ignore

for i in 1 2 3 4; do
    python3 "$root/tests/support/make_page_histories.py" "h$i.xml" "$i" 40
done

compare() { # NAME PROBLEM FLAGS...
    name=$1
    problem=$2
    shift 2
    set -- "$@" --wiki_revision_data_prefix="$work/h" --wiki_revision_num_train_shards=2
    rm -rf ours theirs tmp
    mkdir ours theirs tmp
    "$bin/t2t-datagen" --problem="$problem" --data_dir=ours "$@" --quiet 2>ours.log || { cat ours.log >&2; exit 1; }
    "$T2_VENV_T2T/bin/python" "$root/bench/t2t_revisions.py" "$problem" theirs tmp "$@" >theirs.log 2>&1 ||
        { tail -5 theirs.log >&2; exit 1; }
    n=0
    for f in theirs/stats_* theirs/vocab.*; do
        cmp "$f" "ours/${f##*/}"
    done
    for f in theirs/wiki_revision*-of-*; do
        "$bin/tfrec" cat --json "$f" >theirs.json
        "$bin/tfrec" cat --json "ours/${f##*/}" >ours.json
        cmp theirs.json ours.json
        n=$((n + $(wc -l <ours.json)))
    done
    echo "$name: the same $n records in the same order"
}

compare plain wiki_revision
compare 'packed to 1024' wiki_revision_packed1k
compare 'packed to 256' wiki_revision_packed256
compare 'all revisions, no errors' wiki_revision --wiki_revision_revision_skip_factor=1 \
    --nowiki_revision_introduce_errors
compare 'filtered' wiki_revision --wiki_revision_max_equal_to_diff_ratio=0.5 \
    --wiki_revision_percent_identical_examples=0.3 --wiki_revision_revision_skip_factor=1.1
compare 'few pairs, small pages' wiki_revision --wiki_revision_max_examples_per_shard=50 \
    --wiki_revision_max_page_size_exp=21
