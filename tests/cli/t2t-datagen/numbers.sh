# The grammar: text files of dev and test, the vocabulary, the shards.
t2t-datagen --quiet --problem=translate_ende_numbers --data_dir=d --max_cases=20000
ls d
for f in d/*.en d/*.de; do echo "$f $(grep -c . "$f")"; done
head -n 12 d/translate_ende_numbers.test.en
head -n 12 d/translate_ende_numbers.test.de
