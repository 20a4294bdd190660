# The same bytes for any number of threads and any memory, with one and with two vocabularies.
t2t-datagen --quiet --problem=translate_ende_numbers --max_cases=20000 --data_dir=n1 --num_threads=1
t2t-datagen --quiet --problem=translate_ende_numbers --max_cases=20000 --data_dir=n2 --num_threads=2
t2t-datagen --quiet --problem=translate_ende_numbers --max_cases=20000 --data_dir=n3 --num_threads=7 --shuffle_memory=100000
diff -r n1 n2
diff -r n1 n3
for n in 1 2 5; do
    t2t-datagen --quiet --name=mine --train=n1/translate_ende_numbers.dev.en,n1/translate_ende_numbers.dev.de \
        --dev=n1/translate_ende_numbers.test.en,n1/translate_ende_numbers.test.de --num_threads=$n \
        --source_vocab_size=300 --target_vocab_size=400 --data_dir=m$n
done
diff -r m1 m2
diff -r m1 m5
