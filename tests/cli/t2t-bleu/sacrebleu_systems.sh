# Confidence, paired tests and tables; the random numbers are NumPy's, the numbers sacreBLEU 2.6.0's
# (bench/compare_scores.py compares).
awk 'BEGIN {
    split("a the cat dog sat ran on under mat tree quickly , . and then", w, " ")
    for (i = 1; i <= 40; i++) {
        r = h = g = ""
        for (k = 0; k < 6 + i % 7; k++) {
            word = w[1 + (i * 7 + k * k * 3) % 15]
            r = r " " word
            h = h " " ((i + k) % 5 ? word : w[1 + (i + k) % 15])
            if ((i * k) % 4) g = g " " word
        }
        print substr(r, 2) >"ref"; print substr(h, 2) >"one"; print substr(g, 2) >"t_wo"
    }
}'
score() {
    t2t-bleu --reference=ref --scorer=sacrebleu --width=6 "$@"
}
score --translation=one --metrics=bleu,chrf,ter --confidence
score --translation=one --metrics=bleu,chrf --confidence --confidence_n=77 --format=json --width=3
SACREBLEU_SEED=7 score --translation=one --metrics=ter --confidence --json
score --translation=one --translation=t_wo --metrics=bleu,chrf,ter
score --translation=one --translation=t_wo --translation=ref --metrics=bleu,chrf,ter --paired_bs
score --translation=one --translation=t_wo --metrics=ter,bleu --paired_ar --paired_ar_n=500
score --translation=one --translation=t_wo --metrics=bleu --paired_bs --paired_bs_n=300 \
    --format=latex --width=2
score --translation=one --translation=t_wo --metrics=bleu,ter --format=json
score --translation=one --translation=t_wo --metrics=bleu --paired_bs --format=json
for threads in 1 2 5; do
    score --translation=one --translation=t_wo --metrics=bleu,chrf,ter --paired_ar \
        --paired_ar_n=200 --num_threads=$threads | cksum
done
