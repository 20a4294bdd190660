/*
 * test_launch.c - threads of a rank, what is one process's alone, checksums of values, flags that
 * ranks must have alike.
 */
#include "train/runs/launch.h"

#include <stdlib.h>
#include <string.h>

#include "base/crc32c.h"
#include "base/pool.h"
#include "tests/support/t.h"

static void test_threads(void **state)
{
    struct dist alone = {.comm = {.size = 1}, .n_here = 1};
    struct dist many = {.comm = {.size = 8}, .n_here = 1000};

    (void) state;
    assert_int_equal(tr_launch_threads(&alone, 0), 0); /* the device decides */
    assert_int_equal(tr_launch_threads(&alone, 3), 3);
    assert_int_equal(tr_launch_threads(&many, 3), 3);
    assert_int_equal(tr_launch_threads(&many, 0), 1);
    many.n_here = 1;
    assert_int_equal(tr_launch_threads(&many, 0), t2_cpu_count());
}

static void test_alone(void **state)
{
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    assert_int_equal(unsetenv("OMPI_COMM_WORLD_SIZE") | unsetenv("PMI_SIZE") |
                         unsetenv("SLURM_STEP_NUM_TASKS"),
                     0);
    assert_int_equal(tr_launch_check_alone("a search", "do not", &err), T2_OK);
    assert_int_equal(setenv("PMI_SIZE", "4", 1), 0);
    assert_int_equal(tr_launch_check_alone("a search", "do not", &err), T2_EUNSUPPORTED);
    assert_string_equal(err.message, "a search is for one process, not for 4: do not");
    assert_int_equal(unsetenv("PMI_SIZE"), 0);
}

static void test_checksum(void **state)
{
    enum { N = (1 << 18) + 5 }; /* more than is read at once */
    struct t2_err err = T2_ERR_INIT;
    float *x = test_calloc(N, sizeof *x);
    struct dev *dev;
    uint32_t whole;

    (void) state;
    assert_int_equal(dev_open("cpu", 1, &dev, &err), T2_OK);
    for (int i = 0; i < N; i++)
        x[i] = (float) i;
    whole = tr_launch_checksum_more(dev, x, N, 0);
    assert_int_equal(whole, t2_crc32c(0, x, N * sizeof *x));
    assert_int_equal(tr_launch_checksum_more(dev, x + 7, N - 7,
                                             tr_launch_checksum_more(dev, x, 7, 0)),
                     whole);
    x[N - 1] += 1;
    assert_int_not_equal(tr_launch_checksum_more(dev, x, N, 0), whole);
    test_free(x);
    dev_close(dev);
}

/* What belongs to a machine may differ. */
static void test_flags(void **state)
{
    static const char *text = "a", *device = "cpu";
    static int64_t number = 3;
    static const struct t2_flag table[] = {
        {NULL, T2_FLAG_GROUP, NULL, NULL, "All", NULL},
        {"text", T2_FLAG_STRING, &text, "NAME", "Text.", NULL},
        {"device", T2_FLAG_STRING, &device, "NAME", "Device.", NULL},
        {"number", T2_FLAG_INT, &number, "N", "Number.", NULL},
    };
    static const struct t2_tool tool = {.name = "x", .flags = table, .n_flags = 4};
    struct t2_buf b = {NULL, 0, 0};

    (void) state;
    tr_launch_put_flags(&tool, &b);
    assert_string_equal(t2_buf_cstr(&b), "--text=a\n--number=3\n");
    t2_buf_release(&b);
}

T_MAIN(cmocka_unit_test(test_threads), cmocka_unit_test(test_alone),
       cmocka_unit_test(test_checksum), cmocka_unit_test(test_flags))
