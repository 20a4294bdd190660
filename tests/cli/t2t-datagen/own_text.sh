# Own text: files, counts, names; the same again finds it complete.
i=0
while [ $i -lt 40 ]; do
    echo "a small test $i"
    i=$((i + 1))
done >a.en
sed 's/a small test/ein kleiner Test/' a.en >a.de
head -n 5 a.en | gzip -n >b.en.gz
head -n 5 a.de | gzip -n >b.de.gz
t2t-datagen --name=mine --train=a.en,a.de --dev=b.en.gz,b.de.gz --vocab_size=100 --train_shards=3 --data_dir=d --json |
    sed 's/"seconds": [0-9.e-]*/"seconds": 0/'
ls d
t2t-datagen --name=mine --train=a.en,a.de --dev=b.en.gz,b.de.gz --vocab_size=100 --train_shards=3 --data_dir=d
t2t-datagen --name=mine --train=a.de,a.en --dev=b.en.gz,b.de.gz --vocab_size=100 --train_shards=3 --data_dir=d
