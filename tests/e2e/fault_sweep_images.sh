# jpeg-to-tfrecord, and images in t2t-datagen: every fault ends in the right bytes or in a message (fault_at.subr)
. "$T2_ROOT/tests/e2e/fault_at.subr"
. "$T2_ROOT/tests/e2e/train_common.subr"
draw_greys start/greys
same_stdout=0
(
    cd start || exit 1
    rm greys/*/[123]?.bmp greys/*/[6-9].bmp
    mkdir -p mixed/one mixed/two
    tar -C greys -cf greys.tar dark light
    cp "$T2_ROOT"/fixtures/images/png/1.png mixed/one/
    printf 'GIF89a\1\0\1\0\200\0\0\1\2\3\4\5\6,\0\0\0\0\1\0\1\0\0\2\2D\1\0;' | tee mixed/one/a.gif >mixed/two/b.gif
)
sweep_commands jpeg-to-tfrecord <<'END'
--quiet --image_dir=greys --output_dir=d --train_shards=2 --num_threads=1
--quiet --image_dir=mixed --output_dir=d --train_shards=2 --num_threads=1
END
swept
