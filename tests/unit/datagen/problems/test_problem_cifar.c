/* test_problem_cifar.c - the binary edition, unpacked in tmp_dir, as samples. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "datagen/images/cifar_batch.h"
#include "datagen/stream.h"
#include "tests/support/t.h"

static void test_rows(void **state)
{
    struct t2_err err = T2_ERR_INIT;
    char *tmp = t2_strdup(t_tmp_path("cifar")), *dir = t2_path_join(tmp, "cifar-10-batches-bin");
    const struct dg_options options = {.data_dir = tmp, .tmp_dir = tmp};
    const struct dg_problem *p = dg_find("image_cifar10");
    static uint8_t row[1 + DG_CIFAR_BYTES];
    struct dg_stream *s = NULL;
    struct dg_sample sample;

    (void) state;
    assert_non_null(p);
    assert_int_equal(t2_make_dirs(dir, &err), T2_OK);
    for (int i = 1; i <= 2; i++) {
        char name[32], *path;
        snprintf(name, sizeof name, "data_batch_%d.bin", i);
        path = t2_path_join(dir, name);
        row[0] = (uint8_t) i;
        t_write_file(path, row, sizeof row);
        t2_free(path);
    }
    assert_int_equal(p->open(p, &options, DG_TRAIN, &s, &err), T2_OK);
    for (int i = 1; i <= 2; i++) {
        memset(&sample, 0, sizeof sample);
        assert_int_equal(s->next(s, &sample, &err), T2_OK);
        assert_int_equal(sample.numbers[DG_TARGETS][0], i);
        assert_int_equal(sample.inputs.len_bytes, DG_CIFAR_BYTES);
    }
    assert_int_equal(s->next(s, &sample, &err), T2_EOF);
    dg_stream_free(s);
    p = dg_find("image_cifar10_tune"); /* 48,000 are for train: nothing is left */
    assert_int_equal(p->open(p, &options, DG_DEV, &s, &err), T2_OK);
    assert_int_equal(s->next(s, &sample, &err), T2_EOF);
    dg_stream_free(s);
    t2_free(dir);
    t2_free(tmp);
}

T_MAIN(cmocka_unit_test(test_rows))
