# what the records do not have of an input is said once, also where it is read twice: for the columns of a table
squad=$T2_ROOT/fixtures/recordings/garden_squad
cp "$squad/train.json" .
for to in csv tfrecord; do
    tfrec convert --from=squad --vocab_file="$squad/vocab.txt" --max_seq_length=24 --doc_stride=7 --max_query_length=6 \
        -o "rows.$to" train.json
done
mkdir d && printf 5 >d/x.cls && printf n >d/none
(cd d && tar cf ../d.tar x.cls none)
tfrec convert -o d.csv d.tar
printf "\223NUMPY\1\0\75\0{'descr': '<f8', 'fortran_order': False, 'shape': (1,), }   \n\0\0\0\0\0\0\360\77" >f8.npy
tfrec convert -o f8.csv f8.npy
cat d.csv f8.csv
