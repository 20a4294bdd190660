#!/usr/bin/env bash
# The image problems by the real Tensor2Tensor and by t2t-datagen, from the same made-up archives: records in order,
# images by their pixels where they are made anew, the files beside them.  Prints a table.
#
#   T2_VENV_T2T=<folder of a Python 3.7 with tensor2tensor 1.15.7> bench/compare_t2t_images.sh [PROBLEM...]
#   RECORD=FILE: writes the lines that tests/e2e/image_problems.sh holds, of the original (LSUN without WebP)
#   CELEBA=1: CelebA too, at its real number of images (some minutes)
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
bin=${T2_BIN:-$root/build/release/bin}
[ -n "${T2_VENV_T2T:-}" ] || { echo "T2_VENV_T2T is not set: no Tensor2Tensor to compare with" >&2; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
all="image_imagenet32_gen image_imagenet64_gen image_lsun_bedrooms img2img_allen_brain image_ms_coco_characters
image_ms_coco_tokens32k image_fsns ocr_test image_vqav2_tokens10k_labels3k
image_vqav2_rcnn_feature_tokens10k_labels3k"
faces=23
[ -z "${CELEBA:-}" ] || { all="$all image_celeba"; faces=202599; }
[ $# -eq 0 ] || all="$*"
[ -n "${RECORD:-}" ] || export WEBP=1
python3 "$root/tests/support/image_sources.py" "$work/sources" "$faces"
seq 3000 | awk '{ print "word" $1 % 977, "caf\303\251", "dog", "tree" $1 % 31 }' >"$work/text"
"$bin/t2t-vocab" build --quiet --target_size=600 --output="$work/vocab" "$work/text" || exit 1
failed=0

make_both() { # PROBLEMS: one list, one run of each program
    local who
    rm -rf "$work/ours" "$work/theirs"
    for who in ours theirs; do
        mkdir -p "$work/$who/data"
        cp -r "$work/sources" "$work/$who/tmp"
        cp "$work/vocab" "$work/$who/data/vocab.translate_ende_wmt32k.32768.subwords"
    done
    for who in "$work"/theirs/tmp/*x??.tar; do tar -C "$work/theirs/tmp" -xf "$who"; done # by hand, it says
    "$T2_VENV_T2T/bin/python" "$root/bench/t2t_datagen_offline.py" --problem="$1" --data_dir="$work/theirs/data" \
        --tmp_dir="$work/theirs/tmp" >"$work/log" 2>&1 || { tail -5 "$work/log"; failed=1; }
    "$bin/t2t-datagen" --problem="$1" --data_dir="$work/ours/data" --tmp_dir="$work/ours/tmp" --offline --quiet ||
        failed=1
}

together=
for p in $all; do
    case $p in
    *vqav2*) ;; # these share a class that is mended in different ways
    *) together=$together${together:+,}$p ;;
    esac
done
for list in $together $(echo "$all" | tr ' ' '\n' | grep vqav2); do
    make_both "$list"
    for p in ${list//,/ }; do
        beside=()
        for f in question.vocab.10000 answer.label.3000 charset_size134.txt; do
            [ ! -e "$work/theirs/data/$f" ] || beside+=("$f")
        done
        [ -z "${RECORD:-}" ] ||
            python3 "$root/tests/support/image_runs.py" digests "$work/theirs/data" "$p" >>"$RECORD"
        python3 "$root/bench/same_records.py" "$work/ours/data" "$work/theirs/data" "$p" "${beside[@]}" || failed=1
    done
done
exit $failed
