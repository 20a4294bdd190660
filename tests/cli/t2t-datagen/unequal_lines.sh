# Both names, both counts, the first line without a partner; nothing is left in the folder.
printf 'one\ntwo\nthree\nfour\n' >a.en
printf 'eins\nzwei\n' >a.de
rc=0
t2t-datagen --name=mine --train=a.en,a.de --data_dir=d || rc=$?
echo "exit code $rc"
ls d
