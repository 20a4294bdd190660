# CSV and TSV out and in: quotes, lists, types found and given, header or --columns
printf '%s\n' '{"label":3,"text":"plain","ids":[1,2,3],"f":0.1}' '{"label":-4,"text":"a,b \"q\"\nline","ids":[],"f":1e20}' \
    '{"label":5,"text":" blank","ids":[7],"f":2}' | sed 's/"f":2}/"f":2.0}/' >a.jsonl
tfrec convert --quiet -o a.tfrecord a.jsonl
tfrec convert --quiet -o a.csv a.tfrecord
cat a.csv
tfrec convert --quiet --to=jsonl -o - a.csv
tfrec convert --quiet --to=jsonl --list_separator=' ' -o - a.csv
tfrec convert --quiet --to=jsonl --types='ids:int64[],label:float,f:bytes' -o - a.csv
tfrec convert --quiet --columns=text,label --list_separator=';' -o a.tsv a.tfrecord
cat a.tsv
tfrec convert --quiet --columns=label,ids --noheader --to=csv -o - a.jsonl
printf '\357\273\277id,zip,n,name\r\n1,007,1.5,"x\r\ny"\r\n2,123,,\r\n18446744073709551615,9,nan,z' >m.csv
tfrec convert --quiet --to=jsonl -o - m.csv
printf 'say "hi"\t1\n' | tfrec convert --quiet --from=tsv --columns=a,b --types=a:bytes,b:int64 --to=jsonl -o - -
printf '"x"\t1\n' | tfrec convert --quiet --from=tsv --noquotes --columns=a,b --types=a:bytes,b:int64 --to=jsonl -o - -
printf '{"raw":{"base64":"/wA="},"k":1}\n' >r.jsonl
tfrec convert --quiet --types=raw:base64 -o r.csv r.jsonl && cat r.csv
tfrec convert --quiet --types=raw:base64 --to=jsonl -o - r.csv
printf '{"only":""}\n' >o.jsonl
tfrec convert --quiet -o o.csv o.jsonl && cat o.csv
tfrec convert --quiet --to=jsonl -o - o.csv
: >empty.csv
tfrec convert --quiet -o empty.tfrecord empty.csv && tfrec count empty.tfrecord | sed 's/  */ /g'
