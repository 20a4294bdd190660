# Every symbol visible outside its file starts with its folder's prefix; a *_main.c shows only main.
# What libtfrecord.so exports (tfrecord/tfrecord_api*.c) starts with tfrecord_, what libt2t_translate.so does
# (train/trained/translate_api.c) with t2t_.
prefixes='base t2_|tfrecord tfr_|tfrec rec_|vocab voc_|tokenizer tok_|augment aug_|audio aud_|datagen dg_|train tr_|train/device dev_|train/ops nn_
train/graph gr_|train/models mdl_|train/optim opt_|train/input in_|train/dist dist_|train/ckpt ckpt_
train/decode dec_|train/eval ev_|train/experiment exp_|train/tune tune_|train/exchange xch_|train/serve srv_'
found=$(find "$BUILD/obj" -name '*.o' ! -path '*/obj/tests/*' ! -path '*/obj/bench/*' -print0 | while IFS= read -r -d '' o; do
    # an object whose source is gone is an old one
    src=${o#"$BUILD/obj/"} && src=${src%.o}
    case $src in *.generic | *.neon | *.avx2 | *.avx512) src=${src%.*} ;; esac
    [ -f "$src.c" ] && nm -g --defined-only "$o" | awk -v src="$src.c" '{ print src, $3 }'
done | sort -u | awk -v prefixes="$prefixes" '
    BEGIN { n = split(prefixes, line, /[|\n]/); for (i = 1; i <= n; i++) { split(line[i], w, " "); want[w[1]] = w[2] } }
    {
        k = split($1, p, "/")
        f = p[1] == "train" && k > 2 ? p[1] "/" p[2] : p[1]
        if ($1 ~ /_main\.c$/) { if ($2 != "main") print $1 ": " $2 " is visible outside; make it static" }
        else if ($1 ~ /^tfrecord\/tfrecord_api/ && index($2, "tfrecord_") == 1) ;
        else if ($1 == "train/trained/translate_api.c" && index($2, "t2t_translat") == 1) ;
        else if (index($2, want[f]) != 1) print $1 ": " $2 " does not start with " want[f]
    }')
[ -z "$found" ] || { printf '%s\n' "$found"; exit 1; }
