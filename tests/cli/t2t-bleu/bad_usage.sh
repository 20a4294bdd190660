try() {
    rc=0
    t2t-bleu "$@" || rc=$?
    echo "exit code $rc"
}
printf 'a\n' >a
try
try --translation=a
try --translation=a --reference=a b
try --translation=a --referense=a
try --translation=a --reference=a --scorer=moses
try --translation=a --reference=a --lowercase
try --translation=a --reference=a --bleu_variant=both_of_them
try --translation=a --reference=a --scorer=sacrebleu --bleu_variant=cased
try --translation=a --reference=a --scorer=sacrebleu --width=99
try --translation=- --reference=-
try --translations_dir=a --event_dir=b --reference=a
