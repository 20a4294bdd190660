/* test_problem_mnist.c - the order is that of Python's random.shuffle, dev's behind that of
 * train. */
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "datagen/stream.h"
#include "tests/support/problem_check.h"

enum { N = 10, PIXELS = 28 * 28 };

/* Written as <name>.gz. */
static void write_gz(const char *tmp, const char *name, const void *data, size_t n)
{
    char *path = t2_asprintf("%s/%s.gz", tmp, name);
    struct t2_buf gz = {NULL, 0, 0};

    pc_gzip(&gz, data, n);
    t_write_file(path, gz.data, gz.len_bytes);
    t2_buf_release(&gz);
    t2_free(path);
}

static void write_set(const char *tmp, const char *images, const char *labels)
{
    static uint8_t file[16 + N * PIXELS];
    static const uint8_t head[16] = {0, 0, 8, 3, 0, 0, 0, N, 0, 0, 0, 28, 0, 0, 0, 28};
    uint8_t numbers[8 + N] = {0, 0, 8, 1, 0, 0, 0, N};

    memcpy(file, head, sizeof head);
    for (int i = 0; i < N; i++) {
        file[16 + i * PIXELS] = (uint8_t) i;
        numbers[8 + i] = (uint8_t) i;
    }
    write_gz(tmp, images, file, sizeof file);
    write_gz(tmp, labels, numbers, sizeof numbers);
}

static void test_order(void **state)
{
    /* seed 429459, random.shuffle(list(range(10))) twice (spec t2t-datagen.md §11) */
    static const int orders[2][N] = {{8, 0, 7, 1, 4, 9, 5, 6, 2, 3},
                                     {1, 7, 2, 6, 5, 8, 3, 4, 9, 0}};
    struct t2_err err = T2_ERR_INIT;
    char *tmp = t2_strdup(t_tmp_path("mnist"));
    const struct dg_options options = {.data_dir = tmp, .tmp_dir = tmp, .random_seed = 429459};
    const struct dg_problem *p = dg_find("image_mnist");
    struct dg_sample sample;

    (void) state;
    assert_int_equal(t2_make_dirs(tmp, &err), T2_OK);
    write_set(tmp, "train-images-idx3-ubyte", "train-labels-idx1-ubyte");
    write_set(tmp, "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte");
    for (int split = DG_TRAIN; split <= DG_DEV; split++) {
        struct dg_stream *s = NULL;
        assert_int_equal(p->open(p, &options, (enum dg_split) split, &s, &err), T2_OK);
        for (int i = 0; i < N; i++) {
            memset(&sample, 0, sizeof sample);
            assert_int_equal(s->next(s, &sample, &err), T2_OK);
            assert_int_equal(sample.numbers[DG_TARGETS][0], orders[split][i]);
            assert_int_equal(sample.inputs.data[0], orders[split][i]);
        }
        assert_int_equal(s->next(s, &sample, &err), T2_EOF);
        dg_stream_free(s);
    }
    t2_free(tmp);
}

T_MAIN(cmocka_unit_test(test_order))
