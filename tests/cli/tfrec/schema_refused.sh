# unknown format, nothing to read, a payload that is no Example, kinds that disagree
printf '{"a":[1]}\n{"a":["x"]}\n' | tfrec convert --to=tfrecord -o a.tfrecord --quiet -
tfrec schema --quiet --format=yaml a.tfrecord || echo "exit $?"
tfrec schema --quiet absent.tfrecord || echo "exit $?"
tfrec schema --quiet || echo "exit $?"
tfrec schema --quiet a.tfrecord
tfrec schema --quiet --format=parsing_spec a.tfrecord
printf '\1\0\0\0\0\0\0\0\1\165\336\101x\120\075\252\141' >b.tfrecord
tfrec schema --quiet b.tfrecord || echo "exit $?"
