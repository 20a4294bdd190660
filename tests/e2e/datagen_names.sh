# every name of the specification's list (t2t-datagen.md §8.12, with the bAbI names of 8.5 and the Atari names of
# 8.10) is known to t2t-datagen
spec=${T2_DATA:-$T2_ROOT/../shared/data}/../spec/t2t-datagen.md
[ -f "$spec" ] || { echo "no $spec" >&2; exit 77; }

sed -n '/^### 8.12/,/^## 9/p' "$spec" | sed -n '/^```/,/^```/p' | grep -v '^```' | tr -d '‡' | tr ' ' '\n' | grep . >wanted
for n in 1k 10k; do
    for t in all_tasks $(seq -f task%g 20); do echo "babi_qa_concat_${t}_$n"; done
done >>wanted
sed -n '/^### 8.10/,/^### 8.11/p' "$spec" | sed -n 's/.*Games: \(.*zaxxon\)\..*/\1/p' | tr ' ' '\n' >games
while read -r game; do
    for mode in _deterministic-v0 _deterministic-v4 _no_frameskip-v0 _no_frameskip-v4 -v0 -v4; do
        echo "gym_${game}${mode}_random"
    done
done <games >>wanted
t2t-datagen --only_list | sed -n 's/^ *\* //p' | sort >known
sort -u wanted >sorted
[ "$(wc -l <sorted)" -eq 733 ] || { echo "the specification lists $(wc -l <sorted) names"; exit 1; }
missing=$(comm -23 sorted known)
[ -z "$missing" ] || { echo "not known: $missing"; exit 1; }
[ -z "$(uniq -d known)" ] || { echo "twice: $(uniq -d known)"; exit 1; }
