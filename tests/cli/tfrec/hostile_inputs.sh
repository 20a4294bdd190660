# every command on what is no record file: a message, exit code 1, nothing written
. "$T2_ROOT/tests/cli/tfrec/every_command.inc"
mkdir set folder
printf '{"inputs":[3,1],"label":1}\n{"inputs":[4,1],"label":2}\n' | tfrec convert --quiet --to=tfrecord -o two -
tfrec split --quiet --shards=1 -o set/x-train two
tfrec index --manifest --quiet set
printf 'This is text.\n' >text
printf 'version https://git-lfs.github.com/spec/v1\noid sha256:4665a5ea423c2713d436b5ee50593a9640e0018c1550b5a0002f74190d6caea8\nsize 1234\n' >pointer
printf '\377\330\377\340\000\020JFIF and so on, and so on\377\331' >image
for what in text pointer image folder folder/absent; do
    echo "== $what"
    every_command $what
done
ls
