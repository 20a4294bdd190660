#!/usr/bin/env bash
# The classification, question answering, dialog and rewriting problems by the real Tensor2Tensor and by
# t2t-datagen, from the same made-up archives: vocabularies and records in order.  Prints a table.
#
#   T2_VENV_T2T=<folder of a Python 3.7 with tensor2tensor 1.15.7> bench/compare_t2t_problems.sh [PROBLEM...]
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
bin=${T2_BIN:-$root/build/release/bin}
[ -n "${T2_VENV_T2T:-}" ] || { echo "T2_VENV_T2T is not set: no Tensor2Tensor to compare with" >&2; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 "$root/tests/support/class_sources.py" "$work/tmp" "$work/raw"
# Records of these, each with its vocabulary.
plain="cola cola_characters sentiment_sst_binary rte question_nli winograd_nli quora_question_pairs
msr_paraphrase_corpus multi_nli multi_nli_text2text stanford_nli sci_tail sentiment_imdb sentiment_yelp_full
sentiment_yelp_polarity squad squad_text2text style_transfer_shakespeare_to_modern
style_transfer_modern_to_shakespeare_characters paraphrase_generation_ms_coco_problem1d
paraphrase_generation_ms_coco_problem2d summarize_cnn_dailymail32k lambada_rc lambada_lm
babi_qa_concat_task1_1k babi_qa_concat_all_tasks_10k babi_qa_concat_task19_10k"
# All of these use the same names for different data: a folder each.
alone="squad_concat_positioned dialog_cornell32k dialog_dailydialog16k dialog_personachat16k dialog_opensubtitles64k2009
sva_number_prediction sva_language_modeling"
[ $# -eq 0 ] || { plain=; alone="$*"; }
failed=0

stem() {
    case $1 in
    babi_qa_concat_task1_1k) echo babi_qa_en_qa1_single-supporting-fact ;;
    babi_qa_concat_all_tasks_10k) echo babi_qa_en-10k_qa0_all-tasks ;;
    babi_qa_concat_task19_10k) echo babi_qa_en-10k_qa19_path-finding ;;
    *) echo "$1" ;;
    esac
}

theirs() { # DIR PROBLEMS: data_dir is DIR/data, raw data of dialogs lie beside it
    mkdir -p "$1/data"
    cp -r "$work/raw/." "$1/"
    cp -r "$work/tmp" "$1/tmp"
    "$T2_VENV_T2T/bin/python" "$root/bench/t2t_datagen_offline.py" --problem="$2" --data_dir="$1/data" \
        --tmp_dir="$1/tmp" >"$1/log" 2>&1 || { tail -5 "$1/log"; failed=1; }
}

ours() {
    mkdir -p "$1/data"
    cp -r "$work/tmp" "$1/tmp"
    "$bin/t2t-datagen" --problem="$2" --data_dir="$1/data" --tmp_dir="$1/tmp" --offline --quiet 2>"$1/log" ||
        { cat "$1/log"; failed=1; }
}

compare() { # OURS THEIRS PROBLEM
    local s vocabs=()
    s=$(stem "$3")
    for v in "$2"/vocab.*; do
        case ${v##*/} in "vocab.$s."* | vocab.chatbot.* | vocab.wnli.*) vocabs+=("${v##*/}") ;; esac
    done
    python3 "$root/bench/same_records.py" "$1" "$2" "$s" "${vocabs[@]}" || failed=1
}

if [ -n "$plain" ]; then
    list=$(echo $plain | tr ' ' ,)
    theirs "$work/theirs" "$list"
    ours "$work/ours" "$list"
    for p in $plain; do compare "$work/ours/data" "$work/theirs/data" "$p"; done
fi
for p in $alone; do
    theirs "$work/theirs.$p" "$p"
    ours "$work/ours.$p" "$p"
    if [ "$p" = squad_concat_positioned ]; then # its shards are called squad-... there
        for f in "$work/theirs.$p/data"/squad-*; do mv "$f" "${f%/*}/squad_concat_positioned-${f##*/squad-}"; done
    fi
    compare "$work/ours.$p/data" "$work/theirs.$p/data" "$p"
done
exit $failed
