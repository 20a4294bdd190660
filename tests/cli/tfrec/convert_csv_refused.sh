# what is no CSV, or does not fit its columns: file, line and column are named, nothing appears
try() { tfrec convert --quiet -o out.tfrecord "$@" || echo "exit $?"; [ ! -e out.tfrecord ] && [ ! -e out.tfrecord.incomplete ]; }
printf 'a,b\n1,2\n\n3,4\n' >empty_line.csv && try empty_line.csv
printf 'a,b\n1,2,3\n' >three.csv && try three.csv
printf 'a,b\n"x" y,1\n' >behind.csv && try behind.csv
printf 'a\n1\n"open\n2\n' >open.csv && try open.csv
printf 'a,b\r1,2\r' >mac.csv && try mac.csv
printf '\377\376a\0' >utf16.csv && try utf16.csv
printf 'a,a\n1,2\n' >twice.csv && try twice.csv
printf 'a,\n1,2\n' >noname.csv && try noname.csv
printf 'a,b\n1,x\n' >type.csv && try --types=b:int64 type.csv
try --types=c:int64 type.csv
try --types=b:int32 type.csv
try --list_separator=ab type.csv
try --columns=a,a type.csv
printf 'b,a\n1,x\n' >other.csv && try type.csv other.csv
try --from=csv - <type.csv
printf '{"t":["a b","c"]}\n' >l.jsonl
tfrec convert --quiet -o l.csv l.jsonl || echo "exit $?"
printf '{"t":{"base64":"/w=="}}\n' >l.jsonl
tfrec convert --quiet -o l.csv l.jsonl || echo "exit $?"
ls l.csv* 2>/dev/null || echo none
