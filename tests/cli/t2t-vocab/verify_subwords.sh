# verify: T2T's subwords and the tokenizer.json that convert makes of them, over hostile lines; what is
# changed in the file is found, or refused by name
. "$T2_ROOT/tests/cli/t2t-vocab/small_subwords.inc"
printf "'%s'\n" '<' '>' p d E O S >>a.subwords # as <pad>_ and <EOS>_ have them
# not a single unassigned code point, which alone get other ids
printf '%s\n' '' ' ' '   ' '_' '__a__ _' '\' '\\u \u \_ \10; \' 'the  cat ' ' sat' "don't s_t." 'xyz <pad>_ <EOS>' >>lines.txt
printf '\303\251 \303\251\303\251 a\302\275a \342\200\246 \342\202\254\n\t t \001\177 \302\240t \r\n' >>lines.txt
{
    printf 'e\314\201 \314\201 \346\227\245\346\234\254 \352\260\200 \360\237\230\200\342\200\215 \343\200\200t\357\273\277\n'
    printf '\331\244\331\245 \342\205\253 a\314\201\342\200\215b\nbroken \377 \303 t\n'
} >numbers.txt # characters whose numbers stay spelled
t2t-vocab convert --lossy --to=tokenizer.json -o t.json a.subwords 2>said
grep -c "verify --decode --with=CORPUS 'a.subwords' 't.json'" said
t2t-vocab verify --decode --with=lines.txt a.subwords t.json
t2t-vocab verify --with=numbers.txt a.subwords t.json
echo "-- what convert says is not the same: a number that stays spelled, a code point that is no character"
printf 'the \346\227\245 cat\n' | t2t-vocab verify --decode --with=- a.subwords t.json || echo "exit $?"
printf 'the \363\260\200\200 cat\n' | t2t-vocab verify --json --decode --with=- a.subwords t.json || echo "exit $?"
echo "-- changed files"
changed() {
    sed "$1" t.json >changed.json
    ! cmp -s t.json changed.json || echo "not changed"
    t2t-vocab verify --quiet --decode -n "${2:-0}" --with=lines.txt a.subwords changed.json 2>&1 || echo "exit $?"
}
changed 's/"the_": 2/"the_": 3/; s/"at_": 3/"at_": 2/' 1   # two ids
changed 's/"content": "\\\\u"/"content": "\\\\w"/'          # an escape
changed 's/(?: (?=/(?:  (?=/'                                # blanks between words
changed 's/x{61}-/x{62}-/'                                   # a is no letter
changed 's/"Regex": "\[/&\\\\x{74}/'                         # t becomes U+FFFD
changed 's/"String": "\\\\233;"/"String": "\\\\234;"/' 1     # decoding alone
changed 's/"continuing_subword_prefix": ""/"continuing_subword_prefix": "##"/'
changed 's/MergedWithPrevious/Removed/'
changed 's/"\\\\x00"/"\\\\x00+"/'
