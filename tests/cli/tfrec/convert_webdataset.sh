# WebDataset tar: written for tar and read back, members of tar read as samples
printf '%s\n' '{"__key__":"a/1","cls":7,"txt":"hi","ids":[3,1],"f":0.5}' '{"__key__":"a/2","cls":8,"json":"{}","ids":[]}' >a.jsonl
tfrec convert -o a.tar a.jsonl
tar tvf a.tar
tar xOf a.tar a/1.cls a/1.txt && echo
tfrec convert --quiet --to=jsonl -o - a.tar
tfrec convert --quiet -o b.tfrecord a.tar && tfrec convert --quiet -o b.tar b.tfrecord && cmp a.tar b.tar
gzip -nc a.tar | tfrec convert --quiet --from=webdataset --to=tfrecord -o c.tfrecord - && cmp b.tfrecord c.tfrecord
mkdir d && printf 5 >d/x.y.CLS && printf t >d/x.Txt && printf n >d/none && printf z >d/.hidden
(cd d && tar cf ../d.tar ./x.y.CLS ./x.Txt none .hidden)
tfrec convert --to=jsonl -o - d.tar
long=$(printf '%0250d' 7)
printf '{"__key__":"%s/%s","txt":"x"}\n' "$long" "$long" >l.jsonl
tfrec convert --quiet -o l.tar l.jsonl && tar tf l.tar | cut -c 495-
printf '{"__key__":"a","txt":["x","y"]}\n{"__key__":"../a","txt":"x"}\n' >r.jsonl
tfrec convert --quiet -o r.tar r.jsonl || echo "exit $?"
tail -n 1 r.jsonl >s.jsonl
tfrec convert --quiet -o r.tar s.jsonl || echo "exit $?"
tfrec convert --quiet --key= -o r.tar s.jsonl && tar tf r.tar
printf '{"__key__":"a","txt":"x"}\n{"__key__":"a","txt":"y"}\n' >s.jsonl
tfrec convert --quiet -o t.tar s.jsonl || echo "exit $?"
printf '{"a/b":"x","a.b":"y"}\n' >s.jsonl
tfrec convert --quiet -o t.tar s.jsonl || echo "exit $?"
[ ! -e t.tar ]
