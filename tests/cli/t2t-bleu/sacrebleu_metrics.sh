# BLEU, chrF and TER with their options; the numbers are sacreBLEU 2.6.0's
# (bench/compare_scores.py compares).
printf '%s\n' 'The cat sat on the mat, quietly.' 'It costs 1,000.50 euros.' "He's an 8-year-old." '' \
    'ｗｉｄｅ 中文字。 日本語、です' >hyp
printf '%s\n' 'On the mat sat the cat quietly.' 'It costs 1,000.50 euro!' "He's eight years old." \
    'Nothing came out' 'wide 中文字。 日本語、です' >ref
printf '%s\n' 'The cat was sitting on the mat.' 'The price is 1,000.50 euros.' \
    "He's an 8-year-old boy." '' '中文 日本語' >ref2
score() {
    t2t-bleu --translation=hyp --reference=ref --scorer=sacrebleu --width=10 "$@"
}
score --metrics=ter,bleu,chrf
score --metrics=bleu,chrf,ter --reference=ref2 --short
for method in none floor add-k exp; do score --smooth_method=$method; done
score --smooth_method=floor --smooth_value=0.5
score --smooth-method add-k --smooth-value 2.5 -lc
score --effective_order
score --metrics=chrf --chrf_word_order=2
score --metrics=chrf --chrf_char_order=3 --chrf_beta=1 --chrf_lowercase --chrf_whitespace
score --metrics=chrf --chrf_eps_smoothing --reference=ref2
score --metrics=ter --ter_normalized
score --metrics=ter --ter_no_punct --ter_case_sensitive
score --metrics=ter --ter_normalized --ter_no_punct --ter_asian_support --reference=ref2
score --metrics=bleu,chrf,ter --score_only
score --sentence_level
score --sentence_level --metrics=chrf
score --sentence_level --metrics=ter --reference=ref2
paste ref2 ref >both
t2t-bleu --translation=hyp --reference=both --num_refs=2 --scorer=sacrebleu --width=10
t2t-bleu --translation=- --reference=ref --scorer=sacrebleu --json --metrics=chrf <hyp
t2t-bleu --translation=hyp --reference=ref --scorer=sacrebleu --json --metrics=ter
