# the page of a small set: the same for any number of threads, self-contained, its sections
printf '%s\n' '{"ids":[3,1],"label":[7],"score":[0.5],"text":["a<b"]}' \
    '{"ids":[4,5,1],"label":[7],"score":[1.5],"text":["é"]}' \
    '{"ids":[4,5,1],"label":[7],"score":[1.5],"text":["é"]}' \
    '{"ids":[9],"label":[-2],"text":["a<b"]}' | tfrec convert --to=tfrecord -o a.tfrecord --quiet -
printf '<pad>\n<EOS>\nthe\ncat\n<UNK>\nsat\n' >vocab
tfrec report --quiet -j 1 -o 1.html --vocab=vocab a.tfrecord
tfrec report --quiet -j 2 -o 2.html --vocab=vocab a.tfrecord
cmp 1.html 2.html
grep -cE '<script|https?:|src="[^d]|url\(|@import' 1.html || true
grep -o '<h[123]>.*</h[123]>' 1.html
sed -n '/<article/,/<\/article>/p' 1.html
tfrec report --quiet -o - --title='<i>' --rows=0 a.tfrecord | grep -o '<h1>.*</h1>'
ls
