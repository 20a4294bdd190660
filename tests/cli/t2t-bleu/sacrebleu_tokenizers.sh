# BLEU by each tokenizer; the numbers are sacreBLEU 2.6.0's (bench/compare_scores.py compares).
printf '%s\n' '3.5 % of U.S. firms – so “they” say…' 'Ⅻ. and ².x a\b' '他说：“你好！”AI 2.0，' \
    'tab	and nbsp' 'x ⟶ y' >hyp
printf '%s\n' '3.5% of U.S. firms - so they say...' 'Ⅻ. or ².x a\b' '他说“你好”：AI 2.0。' \
    'tab and nbsp' 'x → y.' >ref
for tok in 13a intl zh char none; do
    t2t-bleu --translation=hyp --reference=ref --scorer=sacrebleu --width=10 --tokenize=$tok
done
