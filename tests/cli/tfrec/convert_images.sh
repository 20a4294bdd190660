# folders of images: classes in order of their names, labels.txt, and back without any way out
mkdir -p in/dog in/cat
printf '\377\330\377\340 one, long enough' >in/dog/b.jpg
printf '\211PNG\15\12\32\12 two' >in/dog/a.png
printf '\377\330\377\340 three' >in/cat/c.JPEG
tfrec convert -o a.tfrecord in
cat labels.txt
tfrec convert --quiet --to=csv --columns=image/class/label,image/class/text,image/filename,image/format -o - a.tfrecord
tfrec convert --quiet --first_label=1 --labels=names.txt -o b.tfrecord in
tfrec convert --quiet --to=csv --noheader --columns=image/class/label -o - b.tfrecord
tfrec convert --to=images -o out/ a.tfrecord && diff -r in out
tfrec convert --quiet --to=images -o out a.tfrecord || echo "exit $?"
tfrec convert --quiet --to=images --number_files -o numbered a.tfrecord && find numbered -type f | sort
image='"image/encoded":{"base64":"/9j/4AAAAAAAAAAAAAAA"}'
printf '{%s,"image/class/label":1}\n' "$image" >l.jsonl
tfrec convert --quiet --to=images --labels=labels.txt -o named l.jsonl && find named -type f
tfrec convert --quiet --to=images -o number l.jsonl && find number -type f
for bad in '"image/class/text":"../x"' '"image/class/text":"a/b"' '"image/class/text":""' '"image/class/text":".x"' \
    '"image/class/text":"c","image/filename":"/etc/x"' '"image/class/text":"c","image/filename":".."' '"x":1'; do
    printf '{%s,%s}\n' "$image" "$bad" >bad.jsonl
    tfrec convert --quiet --to=images -o bad bad.jsonl || echo "exit $?"
done
printf '{%s,"image/class/text":"c","image/filename":"x.jpg"}\n' "$image" >one && cat one one >two.jsonl
tfrec convert --quiet --to=images -o bad two.jsonl || echo "exit $?"
printf '{"image/class/text":"c"}\n' >bad.jsonl
tfrec convert --quiet --to=images -o bad bad.jsonl || echo "exit $?"
echo '<html>' >in/cat/page.jpg
tfrec convert --quiet -o c.tfrecord in || echo "exit $?"
rm in/cat/page.jpg && touch in/stray.jpg
tfrec convert --quiet -o c.tfrecord in || echo "exit $?"
ls -d bad* c.tfrecord* 2>/dev/null || true
