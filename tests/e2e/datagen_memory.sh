# --max_memory of what is no vocabulary of subwords: word lists, duplicates, counts of data_download, JSON corpora.
# The same bytes as without it, and the peak is below it.
# With sanitizers by name: the tests of external sorts run the same code
[ -x /usr/bin/time ] || { echo "no /usr/bin/time" >&2; exit 77; }
command -v python3 >/dev/null || { echo "no python3" >&2; exit 77; }
python3 - <<'END'
import json, random, zipfile
r = random.Random(1)
def word():
    return "".join(r.choice("abcdefghijklmnopqrstuvwxyz") for _ in range(12))
with open("text.en", "w") as en, open("text.de", "w") as de:
    for i in range(50000):
        line = " ".join(word() for _ in range(6))
        for k in range(1 + i % 2):
            en.write(line + "\n")
            de.write("the %d\n" % (i % 1000))
with open("many", "w") as f:
    for i in range(400000):
        f.write("line %d\n" % (i * 7 % 250000))
articles = [{"paragraphs": [{"context": "c" * 300 + " %d" % i, "qas": [{"question": "q %d %d" % (i, k), "answers": [{"text": "%d" % i}]}
             for k in range(20)]} for p in range(20)]} for i in range(300)]
json.dump({"data": articles}, open("train-v1.1.json", "w"))
json.dump({"data": articles[:3]}, open("dev-v1.1.json", "w"))
captions = json.dumps({"images": [{"id": i} for i in range(100)], "annotations": [{"image_id": i % 30000, "id": i, "caption": "image %d of something" % i}
                       for i in range(60000)]})
with zipfile.ZipFile("captions_train-val2014.zip", "w", zipfile.ZIP_DEFLATED) as z:
    z.writestr("annotations/captions_train2014.json", captions)
    z.writestr("annotations/captions_val2014.json", json.dumps({"annotations": [{"image_id": 1, "caption": "a"}, {"image_id": 1, "caption": "b"}]}))
END
head -n 10 text.en >dev.en
head -n 10 text.de >dev.de
both() { # name, limit in MB, flags: a set without a limit and one with it; the second is smaller in memory
    name=$1 limit=$2
    shift 2
    for max in 0 "${limit}M"; do
        /usr/bin/time -f %M -o "kb-$name-$max" t2t-datagen --quiet --num_threads=1 --data_dir="$name-$max" --tmp_dir=. --max_memory="$max" "$@" \
            2>err || { cat err; exit 1; }
    done
    (cd "$name-0" && sha256sum -- *-of-* vocab* 2>/dev/null || true) >sums
    (cd "$name-${limit}M" && sha256sum -- *-of-* vocab* 2>/dev/null || true) >sums.limited
    [ -s sums ]
    diff sums sums.limited
    rm -rf "$name-0" "$name-${limit}M"
    echo "$name: $(tail -n 1 "kb-$name-0") kB, limited to $limit MiB: $(tail -n 1 "kb-$name-${limit}M") kB"
    case ${T2_BUILD:-} in */asan | */tsan) return ;; esac
    [ "$(tail -n 1 "kb-$name-${limit}M")" -lt $((limit * 1024)) ] || exit 1
}
own='--name=own --train=text.en,text.de --dev=dev.en,dev.de --train_shards=4'
# shellcheck disable=SC2086
both words 60 $own --vocab_type=tokens --vocab_size=1000
both duplicates 60 --name=own --kind=text2self --train=many --dev=dev.en --train_shards=4 --vocab_type=character --drop_duplicates=pairs
head -n 30000 text.en >part.en
head -n 30000 text.de >part.de
both official 100 --layout=official --name=own --train=part.en,part.de --vocab_size=1000 --file_byte_budget=100000000
both squad 60 --problem=squad_text2text --random_seed=1
both captions 60 --problem=paraphrase_generation_ms_coco_problem1d_characters

# more words than the memory holds, all wanted
rc=0
# shellcheck disable=SC2086
t2t-datagen --quiet $own --vocab_type=tokens --data_dir=d --max_memory=60M --num_threads=1 2>err || rc=$?
[ $rc = 1 ] && grep -q 'a vocabulary of [0-9]* words or more takes more than the .* that it may of --max_memory: give --vocab_size' err || { cat err; exit 1; }

# one line that is larger than the memory: refused before it is held, however it is read
{
    printf 'a b c\n'
    yes word | head -c 100000000 | tr '\n' ' '
    echo
} >long.txt
{
    printf 'a b,c\n"'
    tail -n 1 long.txt | tr -d "\n"
    echo '",x'
} >long.csv
seq 2 >short.txt
long() { # command: the peak is below 100 MiB, the message names the place
    rc=0
    /usr/bin/time -f %M -o kb "$@" 2>err || rc=$?
    [ "$rc" = 1 ] || { echo "exit code $rc: $*" >&2; cat err >&2; exit 1; }
    grep -q "'long.[a-z]*': line 2, from byte 6 on, is longer than 6.6 MB, which is what one line may have of --max_memory" err || { cat err >&2; exit 1; }
    echo "$1 $2: $(tail -n 1 kb) kB"
    case ${T2_BUILD:-} in */asan | */tsan) return ;; esac
    [ "$(tail -n 1 kb)" -lt $((100 * 1024)) ] || exit 1
}
long t2t-datagen --quiet --num_threads=1 --max_memory=100M --name=l --train=long.txt,short.txt --data_dir=l
long t2t-datagen --quiet --num_threads=1 --max_memory=100M --name=l --kind=text2self --train=long.txt --data_dir=l
long t2t-datagen --quiet --num_threads=1 --max_memory=100M --name=l --train=long.csv --csv=1,2 --data_dir=l
long t2t-vocab build --quiet --num_threads=1 --max_memory=100M -o v long.txt
long t2t-vocab count --quiet --num_threads=1 --max_memory=100M -o v long.txt
