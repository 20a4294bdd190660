# t2t-datagen and data_download: every fault ends in the right bytes or in a message (fault_at.subr)
. "$T2_ROOT/tests/e2e/fault_at.subr"
. "$T2_ROOT/tests/e2e/official_common.subr"
(
    cd start || exit 1
    awk 'BEGIN { for (i = 0; i < 120; i++) print "line", i, "of words" i * 7 % 31, "again and again" }' >text
    head -n 20 text >dev
    raw raw 40
    pair d/newstest2014 5
)
same_stdout=0 # the second time it says something else
sweep_commands t2t-datagen <<'END'
--quiet --problem=translate_ende_numbers --data_dir=d --tmp_dir=t --max_cases=60 --num_threads=1
--quiet --name=mine --train=text,text --dev=dev,dev --vocab_size=300 --num_shards=3 --data_dir=d --num_threads=1
--quiet --name=mine --train=text,text --dev=dev,dev --vocab_size=300 --num_shards=3 --data_dir=d --num_threads=1 --shuffle=global --max_memory=64M
END
FAULT_MOST=8 # a hundred shards
sweep_commands data_download <<'END'
--quiet --data_dir=d --raw_dir=raw --num_threads=1
END
swept
