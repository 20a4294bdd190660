# no place to write, wrong flags; damage is shown in the page and by the exit code
printf '{"a":[1]}\n{"a":[2]}\n' | tfrec convert --to=tfrecord -o a.tfrecord --quiet -
tfrec report --quiet a.tfrecord || echo "exit $?"
tfrec report --quiet -o x.html --rows=-1 a.tfrecord || echo "exit $?"
tfrec report --quiet -o x.html --pictures=1000 a.tfrecord || echo "exit $?"
tfrec report --quiet -o /dev/null/x.html a.tfrecord || echo "exit $?"
ls
head -c -1 a.tfrecord >b.tfrecord
tfrec report --quiet -j 1 -o 1.html b.tfrecord || echo "exit $?"
tfrec report --quiet -j 2 -o 2.html b.tfrecord || echo "exit $?"
cmp 1.html 2.html
grep -o '<p class="damage">.*' 1.html
grep -o '<dt>Records</dt><dd>1</dd>' 1.html
# the standard input cannot be read again: no page
tfrec report --quiet -o 3.html - <b.tfrecord || echo "exit $?"
[ ! -e 3.html ]
