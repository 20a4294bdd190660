# Every text of goldens/hostile under --invalid=fail, replace, drop: what becomes of it, as goldens/hostile/README.md and
# expected.json say: lines end at LF only, blank lines keep their places, what is no UTF-8 is refused by name and line,
# or replaced, or left out, and counted; pairs of unequal length are refused, rows without two columns left out.
hostile=$T2_DATA/goldens/hostile/text
[ -d "$hostile" ] || { echo "no goldens/hostile in T2_DATA" >&2; exit 77; }

# a text: lines of one side; a table: rows of two columns; two names: a pair.  Per policy: records kept, texts replaced,
# samples left out; or the words of the refusal.
cat >table <<'END'
bad-utf8.txt       | line_2:_byte         | 6 5 0        | 1 0 5
blank-lines.txt    | 4 0 0                | 4 0 0        | 4 0 0
bom-inside.txt     | 2 0 0                | 2 0 0        | 2 0 0
bom.txt            | 2 0 0                | 2 0 0        | 2 0 0
control-breaks.txt | 3 0 0                | 3 0 0        | 3 0 0
crlf.txt           | 3 0 0                | 3 0 0        | 3 0 0
empty.txt          | has_no_samples       | has_no_samples | has_no_samples
entities.sgm       | 18 0 0               | 18 0 0       | 18 0 0
latin1.txt         | line_2:_byte_0xFC    | 2 1 0        | 1 0 1
lone-cr.txt        | 3 0 0                | 3 0 0        | 3 0 0
long-line.txt      | 2 0 0                | 2 0 0        | 2 0 0
many-tabs.tsv      | 1 0 3                | 1 0 3        | 1 0 3
mixed-crlf.txt     | 3 0 0                | 3 0 0        | 3 0 0
nbsp.txt           | 3 0 0                | 3 0 0        | 3 0 0
nfc-nfd.txt        | 2 0 0                | 2 0 0        | 2 0 0
no-final-newline.txt | 3 0 0              | 3 0 0        | 3 0 0
noncharacters.txt  | 3 0 0                | 3 0 0        | 3 0 0
nul.txt            | 3 0 0                | 3 0 0        | 3 0 0
only-newline.txt   | 1 0 0                | 1 0 0        | 1 0 0
pair-cancel.en     | 5 0 0                | 5 0 0        | 5 0 0
pair-short.en      | has_3_lines_but      | has_3_lines_but | has_3_lines_but
plain.txt          | 3 0 0                | 3 0 0        | 3 0 0
u2028.txt          | 3 0 0                | 3 0 0        | 3 0 0
utf16le.txt        | line_1:_byte_0xFF    | 3 2 0        | 1 0 2
END
# every file is in the table; the second of a pair comes with the first
(cd "$hostile" && ls) | grep -v '^pair-.*[.]de$' >files
cut -d' ' -f1 table | diff files -

echo 'a line to evaluate on' >dev
number() { sed -n "/$2/,/}/ s/.*\"$3\": *\\([0-9]*\\).*/\\1/p" "$1" | head -n 1; }
outcome() { # file, policy: three numbers, or refused and the message
    case $1 in
    *.tsv) set -- "$1" "$2" --train="$hostile/$1" --dev=dev,dev ;;
    *.en) set -- "$1" "$2" --train="$hostile/$1,$hostile/${1%.en}.de" --dev=dev,dev ;;
    *) set -- "$1" "$2" --kind=text2self --train="$hostile/$1" --dev=dev ;;
    esac
    rm -rf d
    policy=$2
    shift 2
    if t2t-datagen --quiet --name=h --vocab_type=character --num_shards=1 --invalid="$policy" --data_dir=d "$@" >out 2>err; then
        replaced=$(number d/h.manifest.json '"replaced_utf8"' train)
        echo "$(tfrec count --quiet d/h-train-00000-of-00001 | sed -n '$s/[^0-9]*\([0-9][0-9]*\).*/\1/p') ${replaced:-0} $(number d/h.manifest.json '"dropped"' total)"
    else
        [ -z "$(find d -type f ! -size 0 2>/dev/null)" ] || echo 'LEFT FILES BEHIND'
        sed -n 's/.*error: //p' err | tr ' ' _
    fi
}
rc=0
while IFS='|' read -r file fail replace drop; do
    file=$(echo "$file" | tr -d ' ')
    for policy in fail replace drop; do
        case $policy in fail) want=$fail ;; replace) want=$replace ;; drop) want=$drop ;; esac
        want=$(echo "$want" | sed 's/^ *//; s/ *$//')
        got=$(outcome "$file" "$policy")
        verdict=as_stated
        case $got in *"$want"*) ;; *) verdict="WRONG, expected $want" rc=1 ;; esac
        printf '%-22s %-8s %-60.60s %s\n' "$file" "$policy" "$(echo "$got" | sed "s,$hostile/,,g")" "$verdict"
    done
done <table
exit $rc
