# TensorBoard's event files of three writers: table, JSON Lines, tags, images.
data=${T2_DATA:-$T2_ROOT/../shared/data}/goldens/formats/events
[ -d "$data" ] || { echo "no goldens/formats/events in T2_DATA" >&2; exit 77; }
mkdir runs runs/one runs/two runs/empty
cp "$data/tf1-scalars.tfevents" "$data/tf1-histogram-image-text.tfevents" runs/one
cp "$data/tf2-histogram-image-text.tfevents" "$data/tf2-hparams.tfevents" runs/two
cp "$data/torch-all-0.tfevents" "$data/torch-all-1.tfevents" runs/two
echo no > runs/two/notes.txt
tfrec events runs
tfrec events --scalars runs/one
tfrec events --tag='pic*' --images_out=images runs > /dev/null
ls images
tfrec events --json --tag=three runs/two
tfrec events --json runs/two/torch-all-1.tfevents
tfrec events -j 1 --json runs > one
tfrec events -j 2 --json runs | cmp - one
tfrec events runs/empty || echo "exit $?"
echo '{"a":1}' | tfrec convert --quiet --to=tfrecord -o a.tfrecord -
tfrec events a.tfrecord || echo "exit $?"
head -c 100 runs/one/tf1-scalars.tfevents | tfrec events - || echo "exit $?"
bad=$(printf 'x\033[2Jy')
mkdir -p "two/$bad" two/b
cp "$T2_DATA"/tensorboard-events/events.out.tfevents.test "two/$bad/"
cp "$T2_DATA"/tensorboard-events/events.out.tfevents.test two/b/
tfrec events two | cut -f1 | sort -u # a run's name reaches no terminal as it is
