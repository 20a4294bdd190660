# t2t-vocab and t2t-bleu: every fault ends in the right bytes or in a message (fault_at.subr)
. "$T2_ROOT/tests/e2e/fault_at.subr"
(
    cd start || exit 1
    awk 'BEGIN { for (i = 0; i < 120; i++) print "line", i, "of words" i * 7 % 31, "again and again" }' >text
    awk 'BEGIN { for (i = 0; i < 120; i++) print "line", i, "of words" i * 7 % 29, "again and again" }' >other
    gzip -nk text
    t2t-vocab build --quiet --target_size=300 -o v.subwords text
    t2t-vocab build --quiet --target_size=290 -o w.subwords other
    t2t-vocab encode --quiet --vocab=v.subwords text >ids
    t2t-vocab count --quiet -o text.counts text
    printf '[UNK]\nline\nof\n##s\nagain\nand\nword\n1\n2\n3\n##1\n##2\n' >words.txt
    t2t-vocab convert --quiet --from=wordpiece --to=tokenizer.json -o t.json words.txt
)
sweep_commands t2t-vocab <<'END'
build --quiet --target_size=300 -o x.subwords text.gz
build --quiet --counts --target_size=300 -o x.subwords text.counts
count --quiet --max_memory=1M -o x.counts text other
encode --quiet --vocab=v.subwords text
encode --quiet --vocab=t.json text.gz
decode --quiet --vocab=v.subwords ids
show --quiet --entries -n 20 v.subwords
lookup --quiet --vocab=v.subwords line_ 17
diff --quiet v.subwords v.subwords
verify --quiet --with=text v.subwords v.subwords
stats --quiet --vocab=v.subwords text
convert --quiet --from=wordpiece --to=tokenizer.json -o y.json words.txt
END
sweep_commands t2t-bleu <<'END'
--translation=text --reference=other
END
swept
