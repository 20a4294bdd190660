# Control characters in names of files, features, members and URLs reach no terminal, from any tool; a JSON line stays what it is.
esc=$(printf '\033')
bad="x${esc}[2J$(printf '\001')y"
raw() { # command: neither stdout nor stderr has a control character, and the name is there as an escape
    "$@" >out 2>err </dev/null || true
    if cat out err | LC_ALL=C tr -d '\n\t' | LC_ALL=C grep -q '[[:cntrl:]]'; then
        echo "$1 ${2-}: a raw control character" >&2
        cat -v out err >&2
        exit 1
    fi
    if cat out err | grep -qF 'x\x1b[2J\x01y' || cat out err | grep -qF 'x\u001b[2J\u0001y'; then
        echo "$1 $(printf %s "${2%%=*}" | tr -d "[:cntrl:]"): escaped"
    else
        echo "$1 $(printf %s "${2%%=*}" | tr -d "[:cntrl:]"): the name is not there"
    fi
}
printf '{"%s":[1,2]}\n{"%s":[3]}\n' 'x\u001b[2J\u0001y' 'x\u001b[2J\u0001y' | tfrec convert --quiet --to=tfrecord -o "$bad" - 2>/dev/null
for command in count verify stats schema cat head index "stats --json" "index --manifest" "report" "diff $bad" "sort --by=z"; do
    # shellcheck disable=SC2086
    raw tfrec $command "$bad"
done
mkdir s
raw tfrec split --split=a:1,b:1 -o "s/$bad" "$bad"
raw tfrec count "absent$bad"
cp "$bad" damaged
printf z >>damaged
mv damaged "cut$bad"
raw tfrec verify "cut$bad"
raw tfrec salvage -o saved "cut$bad"
raw t2t-vocab show "$bad"
printf 'a\nb\n' >"v$bad"
raw t2t-vocab show "v$bad"
raw t2t-vocab diff "v$bad" "$bad"
raw t2t-datagen --name=n --train="$bad,absent" --data_dir=d
raw t2t-datagen --problem="$bad"
raw t2t-datagen --fetch="file:///$bad"
raw t2t-datagen --check="$bad"
raw t2t-datagen --dry_run --name=n --train="v$bad,v$bad" --data_dir=d
raw t2t-trainer --problem="$bad" --data_dir=. --output_dir=r
raw t2t-decoder --output_dir="$bad" --data_dir=. --decode_from_file="$bad"
raw t2t-bleu --translation="$bad" --reference="absent$bad"
raw t2t-avg-all --model_dir="$bad" --output_dir=o
raw jpeg-to-tfrecord --train_directory="$bad" --validation_directory="$bad" --output_directory=o --labels_file="$bad"
bill() { tfrec salvage -o - "$2" >/dev/null; } # stdout has the records
raw bill salvage "cut$bad"
raw t2t-vocab lookup --vocab="v$bad" "$bad"
raw t2t-vocab lookup --vocab="v$bad" "$(printf 'x\033[2J\001y\302\2332J')"
printf '{task: {train_data: {input_path: "x\\u001b[2J\\u0001y"}}}\n' >described.yaml
raw t2t-trainer --experiment=resnet_imagenet --describe --config_file=described.yaml
t2t-vocab build --quiet -o "s$bad" --target_size=50 "v$bad" 2>/dev/null || printf "'<pad>_'\n'<EOS>_'\n'a_'\n'b_'\n" >"s$bad"
raw t2t-vocab stats --vocab="s$bad" "v$bad"
raw t2t-vocab verify --with="v$bad" "s$bad" "s$bad"
