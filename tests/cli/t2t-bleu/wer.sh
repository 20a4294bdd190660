# Error rates as jiwer 4 computes them (bench/compare_scores.py compares).
printf '%s\n' 'the quick brown fox jumps' ' one  two	three ' '' 'extra words here' 'grün' >hyp
printf '%s\n' 'the quik brown fox jumped over' 'one two three' 'all gone' '' 'grün' >ref
t2t-bleu --translation=hyp --reference=ref --scorer=wer
t2t-bleu --translation=hyp --reference=ref --scorer=wer --width=9
t2t-bleu --translation=hyp --reference=ref --scorer=wer --json
printf 'a b\n' >hyp
printf '\n' >ref
t2t-bleu --translation=hyp --reference=ref --scorer=wer
