try() {
    rc=0
    t2t-bleu "$@" || rc=$?
    echo "exit code $rc"
}
printf 'a\n' >a
try
try --translation=a
try --translation=a --reference=a b
try --translation=a --referense=a
try --translation=a --reference=a --scorer=moses
try --translation=a --reference=a --lowercase
try --translation=a --reference=a --bleu_variant=both_of_them
try --translation=a --reference=a --scorer=sacrebleu --bleu_variant=cased
try --translation=a --reference=a --scorer=sacrebleu --width=99
try --translation=- --reference=-
try --translations_dir=a --reference=a
try --translations_dir=a --event_dir=b --reference=a --translation=a
try --translations_dir=a --event_dir=b --reference=a --json
try --translations_dir=a --event_dir=b --reference=a --wait_minutes=-1
try --translations_dir=none --event_dir=b --reference=a
try --translation=a --reference=a --min_steps=3
try --translation=a --translation=b --reference=a
try --translation=a --reference=a --metrics=chrf
try --translation=a --reference=a --use_stemmer
try --translation=a --reference=a --scorer=sacrebleu --metrics=bleu,meteor
try --translation=a --reference=a --scorer=sacrebleu --metrics=
try --translation=a --reference=a --scorer=sacrebleu --tokenize=moses
try --translation=a --reference=a --scorer=sacrebleu --tokenize=ko-mecab
SACREBLEU=. try --translation=a --reference=a --scorer=sacrebleu --tokenize=flores200
try --translation=a --reference=a --scorer=sacrebleu --tokenize=spm --spm_model=a
try --translation=a --reference=a --scorer=sacrebleu --smooth_method=much
try --translation=a --reference=a --scorer=sacrebleu --chrf_char_order=0
try --translation=a --reference=a --scorer=sacrebleu --chrf_beta=-1
try --translation=a --reference=a --scorer=sacrebleu --format=xml
try --translation=a --reference=a --scorer=sacrebleu --format=latex
try --translation=a --reference=a --scorer=sacrebleu --json --metrics=bleu,ter
try --translation=a --reference=a --scorer=sacrebleu --paired_bs
try --translation=a --translation=b --reference=a --scorer=sacrebleu --confidence
try --translation=a --translation=a --reference=a --scorer=sacrebleu --paired_bs
try --translation=a --translation=b --reference=a --scorer=sacrebleu --paired_bs --paired_ar
try --translation=a --reference=a --scorer=sacrebleu --confidence --confidence_n=0
SACREBLEU_SEED=x try --translation=a --reference=a --scorer=sacrebleu --confidence
try --translation=a --reference=a --scorer=sacrebleu --sentence_level --metrics=bleu,chrf
try --translation=a --reference=a --scorer=sacrebleu --num_refs=0
try --translation=a --reference=a --reference=b --scorer=sacrebleu --num_refs=2
try --translation=a --reference=a --scorer=rouge --rouge_variant=perl
try --translation=a --reference=a --scorer=rouge --use_stemmer
try --translation=a --reference=a --reference=b --scorer=wer
