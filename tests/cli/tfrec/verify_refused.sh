# wrong flags, inputs that are no record files, what cannot be read
printf 'This is text.\n' >text
printf '\377\330\377\340 and so on, and so on' >image.jpg
printf 'version https://git-lfs.github.com/spec/v1\noid sha256:12\n' >pointer
mkdir folder
for try in "" "no-such-file" "--payload=yes text" "--max_errors=-1 text" "--vocab_size=-1 text" \
    "--schema=text text" "folder" "text image.jpg pointer"; do
    # shellcheck disable=SC2086 # several arguments
    tfrec verify $try || echo "exit $?"
done
tfrec verify text >/dev/full || echo "exit $?"
