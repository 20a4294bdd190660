. "$T2_ROOT/tests/e2e/fault_at.subr"
awk 'BEGIN { for (i = 0; i < 24; i++) {
    k = i % 6 == 5 ? i - 5 : i
    printf "{\"id\":[%d],\"label\":[%d],\"inputs\":[%d,%d,7],\"text\":[\"a text of record %d\"]}\n", k, k * 7 % 5, k, k * 31 % 97, k }
}' >start/rows.jsonl
(cd start && tfrec convert --quiet --from=jsonl --to=tfrecord -o a.tfrecord rows.jsonl && head -n 9 rows.jsonl |
    tfrec convert --quiet --from=jsonl --to=tfrecord -o b.tfrecord - && gzip -k a.tfrecord && tfrec index --quiet b.tfrecord)

job_output=stdout
commands='cat a.tfrecord
cat a.tfrecord.gz
count a.tfrecord b.tfrecord a.tfrecord.gz
head -n 3 a.tfrecord
'
while read -r command; do
    # shellcheck disable=SC2086,SC2317
    job() { $run tfrec $command >"$job_output"; }
    sweep "tfrec $command"
    full_stdout "tfrec $command"
done <<EOT
$commands
EOT
swept
