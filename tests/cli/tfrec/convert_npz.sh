# NumPy: fixed and different lengths, short and long bytes; there and back gives the same records
for i in 1 2 3; do
    printf '{"x":%d,"pair":[%d,7],"t":"n%d","r":%s,"raw":{"base64":"YQA="},"f":%d.25}\n' "$i" "$i" "$i" \
        "$([ "$i" = 2 ] && echo '{"int64":[]}' || echo "[$i]")" "$i"
done >a.jsonl
tfrec convert -o a.tfrecord a.jsonl
tfrec convert --quiet -o a.npz a.tfrecord
for name in f pair r/values r/row_splits raw/bytes raw/byte_splits t x; do
    grep -ao "$name.npy" a.npz | head -n 1
done
grep -ao "{'descr[^}]*}" a.npz
tfrec convert --quiet -o b.tfrecord a.npz && cmp a.tfrecord b.tfrecord
tfrec convert --quiet -o c.npz a.jsonl && cmp a.npz c.npz
: >none.tfrecord
tfrec convert --quiet -o none.npz none.tfrecord && od -An -tx1 none.npz
tfrec convert --quiet -o n.tfrecord none.npz && tfrec count n.tfrecord | sed 's/  */ /g'
printf '{"x":1}\n{"x":"a"}\n' >k.jsonl
tfrec convert --quiet -o k.npz k.jsonl || echo "exit $?"
printf "\223NUMPY\1\0\75\0{'descr': '<i4', 'fortran_order': False, 'shape': (2,), }   \n\1\0\0\0\377\377\377\377" >i4.npy
tfrec convert --quiet --to=jsonl -o - i4.npy
printf "\223NUMPY\1\0\75\0{'descr': '<c8', 'fortran_order': False, 'shape': (1,), }   \n\1\0\0\0\377\377\377\377" >c8.npy
tfrec convert --quiet --to=jsonl -o - c8.npy || echo "exit $?"
printf "\223NUMPY\1\0\75\0{'descr': '<i4', 'fortran_order': False, 'shape': (), }     \n\1\0\0\0" >scalar.npy
tfrec convert --quiet --to=jsonl -o - scalar.npy || echo "exit $?"
head -c 700 a.npz >cut.npz
tfrec convert --quiet -o x.tfrecord cut.npz || echo "exit $?"
tr '\7' '\10' <a.npz >flip.npz
tfrec convert --quiet -o x.tfrecord flip.npz || echo "exit $?"
tfrec convert --quiet --from=npz -o x.tfrecord - <a.npz || echo "exit $?"
[ ! -e x.tfrecord ] && [ ! -e k.npz ]
