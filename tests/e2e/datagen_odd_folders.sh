# Folders that cannot be written, clocks that are wrong: said, or of no meaning; never a half set.
printf 'one\ntwo\n' >a
make_set() { t2t-datagen --quiet --name=mine --vocab_type=character --train=a,a --dev=a,a --num_shards=2 "$@"; }
make_set --data_dir=whole
# files of the future and of 1970
touch -d '2099-01-01' a
make_set --data_dir=d
diff -r whole d
touch -d '2099-01-01' d/*
make_set --data_dir=d
touch -d '1970-01-02' d/* a
make_set --data_dir=d
diff -r whole d
rm d/mine-train-00001-of-00002
make_set --data_dir=d 2>err
diff -r whole d
# a file where the folder should be, and one in its path
make_set --data_dir=a 2>err && exit 1
grep -q "^t2t-datagen: error: .*'a'" err
make_set --data_dir=a/b 2>err && exit 1
grep -q "^t2t-datagen: error: .*'a" err
# no rights: needs another user than root, who has all
if [ "$(id -u)" = 0 ]; then
    command -v setpriv >/dev/null || exit 0
    as_nobody() { setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; }
    chmod 755 . && mkdir -p closed
    as_nobody test -x "$(command -v t2t-datagen)" || { echo 'another user cannot reach the tools here' >&2 && exit 77; }
    as_nobody t2t-datagen --version >/dev/null 2>&1 || { echo 'another user cannot run the tools here' >&2 && exit 77; }
else
    as_nobody() { "$@"; }
    mkdir closed && chmod 555 closed
fi
as_nobody t2t-datagen --quiet --name=mine --vocab_type=character --train=a,a --dev=a,a --data_dir=closed 2>err && exit 1
cat err
grep -q "^t2t-datagen: error: 'closed/mine.lock': cannot write here: Permission denied" err
[ -z "$(ls closed)" ]
chmod 600 a
[ "$(id -u)" != 0 ] || { as_nobody t2t-datagen --quiet --name=mine --vocab_type=character --train=a,a --dev=a,a --data_dir=/tmp 2>err && exit 1; grep -q "'a'.*Permission denied" err; }
