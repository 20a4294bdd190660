# Everything once from archives of the right names, then again: only the text is looked for.
lines() { # word, count
    i=0
    while [ $i -lt "$2" ]; do
        echo "  $1 $i "
        i=$((i + 1))
    done
}
archive() { # name, folder in it, stem, lines
    mkdir -p "pack/$2"
    lines 'a small test' "$4" >"pack/$2/$3.en"
    lines 'ein kleiner Test' "$4" >"pack/$2/$3.de"
    echo 'not wanted' >"pack/$2/README"
    tar -czf "archives/$1" -C pack "$2"
    rm -r pack
}
mkdir archives
archive training-parallel-nc-v12.tgz training news-commentary-v12.de-en 120
archive training-parallel-commoncrawl.tgz . commoncrawl.de-en 80
archive training-parallel-europarl-v7.tgz training europarl-v7.de-en 50
archive dev.tgz dev newstest2013 5
archive newstest2014.tgz newstest2014 newstest2014 3
data_download -dd data -rd raw --archive_dir=archives --noverify_downloads --json | sed 's/"seconds": [0-9.e-]*/"seconds": 0/'
find raw data -type f | LC_ALL=C sort | grep -v 'train-0'
head -n 2 raw/wmt32k-train.lang1
head -n 4 data/vocab.ende.32768
tfrec count data/wmt32k-train-00001-of-00100 data/wmt32k-train-00051-of-00100
tfrec head -n 2 data/wmt32k-dev-00001-of-00001
data_download --data_dir=data --raw_dir=raw
t2t-datagen --layout=official --data_dir=data --raw_dir=raw
# a vocabulary that is there is used as it is
mkdir other && cp data/vocab.ende.32768 other
data_download --data_dir=other --raw_dir=raw --archive_dir=archives 2>&1 | grep -i vocab
