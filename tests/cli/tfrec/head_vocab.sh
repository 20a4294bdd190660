# Ids as text: lists named inputs or targets and lists that end with <EOS>; never labels or positions.
printf "'<pad>_'\n'<EOS>_'\n'the_'\n'cat_'\n'sat_'\n'._'\n" > vocab
tfrec convert --quiet --to=tfrecord -o a.tfrecord - <<'X'
{"inputs":[2,3,4,5,1],"targets":[3,0,0],"label":[3],"position":[0,1,2,3],"other":[2,3,1,0,0,0],"big":[2,900,1]}
{"inputs":[2,3,1,4,1,0],"segment":[1,1,2,2,0],"targets":[]}
X
tfrec head --vocab=vocab a.tfrecord
tfrec cat --vocab=vocab --json=proto a.tfrecord || echo "exit $?"
