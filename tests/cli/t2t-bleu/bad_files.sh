# Every bad file is named, with the line.
printf 'a\nb\nc\n' >three
printf 'a\nb\n' >two
printf 'a\nx\377\n' >latin1
: >empty
mkdir folder
try() {
    rc=0
    t2t-bleu "$@" || rc=$?
    echo "exit code $rc"
}
try --translation=three --reference=two
try --translation=two --reference=three
try --translation=two --reference=latin1
try --translation=latin1 --reference=two --scorer=sacrebleu
try --translation=empty --reference=empty
try --translation=empty --reference=two
try --translation=none --reference=two
try --translation=folder --reference=two
