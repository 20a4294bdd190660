# ROUGE as Tensor2Tensor's rouge.py and as rouge-score 0.1.2 compute it (bench/compare_scores.py
# compares).
printf '%s\n' 'The cats were sitting on the mat' 'police killed the gunman , police said' '' \
    'Kelvin: 20K' 'same line' >hyp
printf '%s\n' 'A cat sat on the mats.' 'the gunman was killed by police' 'nothing' 'kelvin 20k' \
    'same line' >ref
score() {
    t2t-bleu --translation=hyp --reference=ref --scorer=rouge "$@"
}
score
score --width=9
score --json
score --rouge_variant=rouge-score --width=9
score --rouge_variant=rouge-score --use_stemmer --width=9
score --rouge_variant=rouge-score --json
