# wrong usage and inputs that cannot be read: said, and no file appears
# shellcheck source=tests/cli/t2t-vocab/texts.inc
. "$T2_ROOT/tests/cli/t2t-vocab/texts.inc"
no() { t2t-vocab build -j1 "$@" </dev/null || echo "exit $?"; }
no
no text.txt
no -o v
no -o v --counts
no -o v --dialect=spm text.txt
no -o v --target_size=0 text.txt
no -o v --target_size=many text.txt
no -o v --min_count=-1 text.txt
no -o v --iterations=0 text.txt
no -o v --max_subtoken_length=-1 text.txt
no -o v --file_byte_budget=-2 text.txt
no -o v --search --min_count=3 text.txt
no -o v --threshold=3 text.txt
no -o v --nosearch text.txt
no -o v --unicode=3 text.txt
no -o v --character_coverage=1.5 text.txt
no -o v --dialect=official --max_subtoken_length=5 text.txt
no -o v --reserved=a,,b text.txt
no -o v --column=-1 text.txt
no -o v --column=1 --field=a text.txt
no -o v --targetsize=3 text.txt
no -o v nothing.txt
no -o v .
no -o /dev/null/v text.txt
no -o v --file_byte_budget=100 -
: >empty.txt
no -o v empty.txt
printf ' \n\t\r\n' >blank.txt
no -o v blank.txt
printf 'good\nb\377d\n' >bad.txt
no -o v bad.txt
printf 'a\tb\nc\n' >short.tsv
no -o v --column=2 short.tsv
printf '{"a":"x"}\n{"b":"y"}\n' >other.jsonl
no -o v --field=a other.jsonl
printf '{"a":"x"}\n{"a":7}\n' >number.jsonl
no -o v --field=a number.jsonl
printf '{"a":"x"}\n{"a":\n' >cut.jsonl
no -o v --field=a cut.jsonl
no -o v --feature=a text.txt
printf '{"a":[1]}\n' | tfrec convert --quiet --to=tfrecord -o int.tfrecord -
no -o v --feature=a int.tfrecord
no -o v --feature=b int.tfrecord
gzip -c text.txt | head -c 200 >cut.gz
no -o v cut.gz
no -o v --counts text.txt
printf 't2t.c word counts 1\n3 a\nx b\n' >bad.counts
no -o v --counts bad.counts
ls v* 2>/dev/null || echo none
