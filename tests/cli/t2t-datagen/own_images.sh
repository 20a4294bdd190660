# images of one's own: folders, lists, splits, drops, tasks, once more; labels from 0
# shellcheck source=tests/cli/jpeg-to-tfrecord/images.inc
. "$T2_ROOT/tests/cli/jpeg-to-tfrecord/images.inc"
try() {
    echo "== $*"
    t2t-datagen --quiet "$@" 2>&1 || echo "exit $?"
}
facts() { # of a manifest: classes, drops
    tr -d '\n' <"$1" | grep -o '"labels": \[[^]]*\]\|"reason": "[^"]*"\|"path": "[^"]*"' | tr -s ' '
}
small="--train_shards=2"
# a broken file among them: nothing is written; then it is left out
try --name=mine --image_dir=photos --data_dir=folder $small
ls folder
try --name=mine --image_dir=photos --data_dir=folder $small --on_error=skip
ls folder
facts folder/mine.manifest.json
tfrec cat folder/mine-train-00000-of-00002 | head -n 1
try --name=mine --image_dir=photos --data_dir=folder $small --on_error=skip 2>&1 | tail -n 1
# aside: the same records, and copies of what was left out; of a registered problem, too
try --name=mine --image_dir=photos --data_dir=aside $small --on_error=quarantine --quarantine_dir=bad
(cd bad && find . -type f | sort)
for f in folder/mine-*; do cmp "$f" "aside/${f##*/}"; done && cmp photos/a/cut.png bad/a/cut.png && echo "quarantine: same bytes"
mkdir -p tmp/flower_photos/tulips
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19; do cp photos/a/one.gif tmp/flower_photos/tulips/$i.jpg; done
cp photos/a/cut.png tmp/flower_photos/tulips/3.jpg
try --problem=image_flowers --tmp_dir=tmp --data_dir=flowers $small
try --problem=image_flowers --tmp_dir=tmp --data_dir=flowers $small --on_error=quarantine --quarantine_dir=bad2
(cd bad2 && find . -type f | sort)
facts flowers/image_flowers.manifest.json | tail -n 2
# many tasks: the same bytes
for i in 2 0 1; do t2t-datagen --quiet --name=mine --image_dir=photos --data_dir=tasks $small --on_error=skip --task=$i/3 2>/dev/null; done
t2t-datagen --quiet --name=mine --image_dir=photos --data_dir=tasks --join 2>/dev/null
for f in folder/mine-*; do cmp "$f" "tasks/${f##*/}"; done && echo "tasks: same bytes"
# a list with quotes, CR LF, a label that is not known, a file that is not there
printf 'photos/a/one.gif,one\r\n"photos/with space/new\nline.gif",two\n"photos/with space/""\303\251"".gif",two\nphotos/a/two.bmp,three\nphotos/no.jpg,one\n' >list.csv
try --name=listed --csv=list.csv --classes=two,one --data_dir=csv $small
try --name=listed --csv=list.csv --classes=two,one --data_dir=csv $small --on_error=skip
facts csv/listed.manifest.json
# a list for each split, paths below a folder
printf 'a/one.gif,one\na/two.bmp,two\n' >train.csv
printf 'with space/"é".gif,two\n' >dev.csv
sed -i 's/with space\/"é".gif/"with space\/""é"".gif"/' dev.csv
try --kind=image2class --name=split --train=train.csv --dev=dev.csv --image_dir=photos --data_dir=split $small
ls split
# a part is held out by content: equal files stay together
mkdir -p many/x many/y
for i in 1 2 3 4 5 6 7 11 12 13 14; do
    { printf 'GIF89a\1\0\1\0\200\0\0'; printf "\\0$i\\2\\3\\4\\5\\6,\\0\\0\\0\\0\\1\\0\\1\\0\\0\\2\\2D\\1\\0;"; } >many/x/$i.gif
    cp many/x/$i.gif many/y/copy$i.gif
done
try --name=held --image_dir=many --dev_percent=30 --test_percent=20 --data_dir=held $small
tfrec count held/held.manifest.json
facts held/held.manifest.json
try --name=held --image_dir=many --dev_percent=30 --test_percent=20 --data_dir=held --dry_run $small | head -n 7
try --name=held --data_dir=held --preview=page.png
head -c 4 page.png | tail -c 3
t2t-datagen --quiet --check=held | tail -n 1
