# A folder of translations, as t2t_bleu.py scores it: events at the files' times, by ascending steps.
mkdir translations
printf 'the cat sat on the mat\nit is here\n' >ref
printf 'the cat sat on a mat\nit is here\n' >translations/out-200
printf 'The cat sat on the mat\nit is there\n' >translations/out-1000
printf 'a cat\nit\n' >translations/out-1-30
touch -d '2001-02-03 04:05:06.5 UTC' translations/out-200
touch -d '2002-02-03 04:05:06 UTC' translations/out-1000
touch -d '2000-02-03 04:05:06 UTC' translations/out-1-30
: >translations/flags.txt
touch -d '1999-12-31 00:00:00 UTC' translations/flags.txt
: >translations/out-x
: >translations/out-5.incomplete
mkdir translations/out-7
score() {
    t2t-bleu --reference=ref --translations_dir=translations --event_dir=events/bleu "$@" 2>&1
}
score
cat events/bleu/last_evaluated_step.txt
tfrec events --json events/bleu | grep -v file_version | sed 's/"file":"[^"]*"/"file":"F"/'
ls events/bleu | sed 's/tfevents\.[0-9]*\..*/tfevents.N.H/'
# Again: from the last step on, as the original.
printf 'the cat sat on the mat\nit is here\n' >translations/out-2000
touch -d '2003-02-03 04:05:06 UTC' translations/out-2000
rm -r translations/out-7 translations/out-5.incomplete
rm events/bleu/events*
score --bleu_variant=cased --tag_suffix=_x
tfrec events --json events/bleu | grep -v file_version | sed 's/"file":"[^"]*"/"file":"F"/'
rm events/bleu/events*
score --min_steps=1001 --noreport_zero --bleu_variant=uncased
score --min_steps=2000 --report_zero --bleu_variant=uncased
tfrec events --json events/bleu | grep -v file_version | sed 's/"file":"[^"]*"/"file":"F"/'
rc=0
printf 'one line\n' >translations/out-3000
score || rc=$?
echo "exit code $rc"
printf 'x\n' >events/bleu/last_evaluated_step.txt
score || echo "exit code $?"
