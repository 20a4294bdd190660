# An archive that was made to fill disks is refused by its name, before anything of it appears.
try() {
    rc=0
    t2t-datagen --quiet --problem=translate_envi_iwslt32k --data_dir=d --tmp_dir=tmp --offline "$@" 2>err || rc=$?
    sed 's/of its [0-9]* bytes/of its N bytes/' err >&2 # how far gzip gets
    echo "exit code $rc"
}
mkdir -p pack tmp
printf 'one\ntwo\n' >pack/train.en
head -c 100000000 /dev/zero >pack/train.vi
tar -C pack -czf tmp/train-en-vi.tgz train.en train.vi
printf 'one\n' >pack/tst2012.en
printf 'eins\n' >pack/tst2012.vi
tar -C pack -czf tmp/dev-2012-en-vi.tgz tst2012.en tst2012.vi
try
ls tmp
try --max_unpacked=1000
try --max_unpack_ratio=0
