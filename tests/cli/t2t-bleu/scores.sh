# Both scorers, cased and not; the same from stdin and from gzip.
printf 'The cat sat on the mat .\nHe said: "1,000.50 is a-b!"\n' >ref
printf 'the cat sat on a mat .\nHe said "1,000.50 is a-b!"' >hyp
t2t-bleu --translation=hyp --reference=ref
t2t-bleu --translation=hyp --reference=ref --bleu_variant=cased
t2t-bleu --translation=hyp --reference=ref --bleu_variant=uncased
t2t-bleu --translation=hyp --reference=ref --scorer=sacrebleu
t2t-bleu --translation=hyp --reference=ref --scorer=sacrebleu -lc --width=4
t2t-bleu --translation=ref --reference=ref --scorer=sacrebleu --lowercase
gzip -c ref >ref.gz
t2t-bleu --translation=- --reference=ref.gz --source=whatever <hyp
