# A mixture has no data of its own: its members are made, once.
lm1b=1-billion-word-language-modeling-benchmark-r13output
mkdir -p "tmp/$lm1b/training-monolingual.tokenized.shuffled" "tmp/$lm1b/heldout-monolingual.tokenized.shuffled"
for i in $(seq -f %05g 1 99); do echo "line $i" >"tmp/$lm1b/training-monolingual.tokenized.shuffled/news.en-$i-of-00100"; done
echo held out >"tmp/$lm1b/heldout-monolingual.tokenized.shuffled/news.en.heldout-00000-of-00050"
echo line >tmp/vocab-2016-09-10.txt.en
for split in train test; do
    for class in pos neg; do
        mkdir -p "tmp/aclImdb/$split/$class"
        echo "$class film" >"tmp/aclImdb/$split/$class/0_1.txt"
    done
done
for i in 1 2; do
    t2t-datagen --problem=languagemodel_lm1b_sentiment_imdb --data_dir=d --tmp_dir=tmp --offline --quiet --json |
        sed 's/.*"problem": "\([^"]*\)", "outcome": "\([^"]*\)".*/\1 \2/'
done
find d -name '*.manifest.json' | sort
