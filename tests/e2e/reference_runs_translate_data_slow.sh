# All recorded runs of translation problems.
rc=0
. "$T2_ROOT/tests/e2e/reference_runs_translate.subr"
run_all <<'END'
t2t-enro enro translate_enro_wmt8k
t2t-enzh enzh translate_enzh_wmt8k
t2t-encs encs translate_encs_wmt32k
t2t-ende-wmt32k ende translate_ende_wmt32k
t2t-ende-family-small ende_small,paracrawl translate_ende_wmt8k,translate_ende_wmt32k,translate_ende_wmt32k_packed,translate_ende_wmt8k_packed,translate_ende_wmt_characters,translate_ende_pc32k
END
exit $rc
