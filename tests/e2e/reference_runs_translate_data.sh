# Some recorded runs of translation problems; all of them are in reference_runs_translate_data_slow.sh.
rc=0
. "$T2_ROOT/tests/e2e/reference_runs_translate.subr"
run_all <<'END'
t2t-enro enro translate_enro_wmt8k
t2t-enzh enzh translate_enzh_wmt8k
END

# Once more without the archives, by other threads, out of what was unpacked and compiled.
rm -r t2t-enro/tmp/*.tgz t2t-enro/tmp/*.zip t2t-enro/data
t2t-datagen --quiet --problem=translate_enro_wmt8k --data_dir=t2t-enro/data --tmp_dir=t2t-enro/tmp --offline --num_threads=5
compare t2t-enro
exit $rc
