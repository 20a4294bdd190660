# every command on an empty file, one that is cut, one with a flipped bit: said by all that read so far
. "$T2_ROOT/tests/cli/tfrec/every_command.inc"
mkdir set
printf '{"inputs":[3,1],"label":1}\n{"inputs":[4,1],"label":2}\n' | tfrec convert --quiet --to=tfrecord -o two -
tfrec split --quiet --shards=1 -o set/x-train two
tfrec index --manifest --quiet set
: >empty
head -c "$(($(wc -c <two) - 1))" two >./cut
cp two flipped
printf '\377' | dd of=flipped bs=1 seek=20 conv=notrunc status=none
for what in empty cut flipped; do
    echo "== $what"
    every_command $what
done
ls
