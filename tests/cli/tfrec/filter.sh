# Conditions, rows and records out; select is the same command.
{
    echo '{"inputs":[1,2,3],"label":[3],"name":["anna"],"score":[0.5]}'
    echo '{"inputs":[],"label":[9223372036854775807],"name":["bert"],"score":[1.5]}'
    echo '{"inputs":[7],"name":["carl\u0000"]}'
    echo '{"label":[3],"score":[2.0,-1.0],"odd name":[1]}'
} | tfrec convert --quiet --to=tfrecord -o a.tfrecord -
ask() { echo "$1 -> $(tfrec filter --where="$1" --number --fields=label a.tfrecord | tr '\n' ' ')"; }
ask 'label == 3'
ask 'label != 3'
ask '!(label == 3)'
ask 'label == 9223372036854775807'
ask 'label == 9223372036854775806'
ask 'len(inputs) < 2'
ask 'has(inputs) && len(inputs) < 2'
ask 'score[-1] < 0 || sum(inputs) == 6'
ask 'min(score) >= 0.5'
ask 'name =~ "^[ab]" && name != "bert"'
ask 'name == "carl\0"'
ask 'name in ("anna", "bert")'
ask '`odd name` + 1 == 2'
ask 'record() % 2'
ask 'bytes() < 40'
tfrec filter --where='label == 3' --count a.tfrecord
tfrec select --where='label == 3' --invert --count --json a.tfrecord a.tfrecord
tfrec filter --where='label == 3' -o out@2 --compress=gzip a.tfrecord
tfrec cat out@2
tfrec filter --where='label == 3' -o - --quiet a.tfrecord | tfrec count -
tfrec filter --where='0' -o none.tfrecord --quiet a.tfrecord
tfrec count none.tfrecord
# a name that no record has is said
tfrec filter --where='Label == 3 || has(label)' --count a.tfrecord
tfrec filter --where='Label == 3' --count -j 1 a.tfrecord
