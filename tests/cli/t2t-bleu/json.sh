printf 'the cat sat on a mat .\n' >hyp
printf 'The cat sat on the mat .\n' >ref
t2t-bleu --translation=hyp --reference=ref --json
t2t-bleu --translation=hyp --reference=ref --json --scorer=sacrebleu --lc
