# Missing, empty, a directory, not UTF-8: which file, which line, which byte.
printf 'one\ntwo\n' >good
printf 'eins\nzw\374i\n' >latin1
: >empty
mkdir folder
try() {
    rc=0
    t2t-datagen --quiet --name=mine --dev=good,good --data_dir=d "$@" || rc=$?
    echo "exit code $rc:" d/*
}
try --train=good,absent
try --train=good,folder
try --train=good,latin1
try --train=empty,empty
try --train=good,empty
try --train=good,good --dev=empty,empty
printf 'one two\n' >no_vocabulary
try --train=good,good --vocab=no_vocabulary
printf 'one\n' >list
try --train=good,good --vocab=list
if [ "$(id -u)" != 0 ]; then
    chmod a-r good
    try --train=good,good
fi
