# every flag of build that changes the vocabulary
# shellcheck source=tests/cli/t2t-vocab/texts.inc
. "$T2_ROOT/tests/cli/t2t-vocab/texts.inc"
make() { # flags
    echo "== $*"
    t2t-vocab build -o v "$@" 2>log || { cat log; echo "exit $?"; return 0; }
    grep -E 'subwords, SHA-256|Trying|Binary|Using|Generated|Finding' log | cut -d: -f2-
    wc -l <v
}
make --target_size=60 text.txt
make --target_size=60 --max_subtoken_length=4 text.txt
awk '{ if (length($0) > m) m = length($0) } END { print "longest line", m }' v
make --min_count=30 text.txt
make --min_count=30 --iterations=1 text.txt
make --target_size=60 --reserved=UNK,a_b text.txt
sed -n 1,5p v
make --dialect=official --file_byte_budget=0 text.txt
make --dialect=official --file_byte_budget=0 --min_count=50 text.txt
make --dialect=official --file_byte_budget=0 --search --target_size=60 --threshold=3 text.txt
make --dialect=official --file_byte_budget=0 --reserved=a_b --min_count=20 text.txt
sed -n 1,4p v
make --target_size=60 --character_coverage=0.99 text.txt
make --target_size=60 --file_byte_budget=2000 text.txt
make --dialect=official --file_byte_budget=2000 text.txt
# U+A7AF is a letter since Unicode 10: a word before, or punctuation that cuts one
printf 'a\352\236\257b c\n' >new.txt
for u in 5.2 9 11 12.1 13 14 15 15.1; do
    t2t-vocab count --quiet --unicode=$u -o - new.txt | awk -v u=$u '{ printf "%s%s", (NR > 1 ? "|" : u ": "), $0 } END { print "" }'
done
t2t-vocab build -j1 --target_size=60 --dry_run text.txt
ls ./*.incomplete 2>/dev/null || echo "nothing half-made"
