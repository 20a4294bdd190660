/*
 * test_held_out_stream.c - one text, three splits: each sample in one of them.
 */
#include "datagen/source/held_out_stream.h"

#include "tests/unit/datagen/source/sample_list.h"

enum { N = 2000 };

static const char *texts[2 * N + 1];

static void fill(void)
{
    static char lines[N][24];

    for (int i = 0; i < N; i++) {
        snprintf(lines[i], sizeof lines[i], "line %d", i / 2); /* each is there twice */
        texts[2 * i] = "";
        texts[2 * i + 1] = lines[i];
    }
}

static int count(const struct t2_buf *text, const char *part)
{
    int n = 0;

    for (const char *at = t2_buf_cstr(text); (at = strstr(at, part)); at += strlen(part))
        n++;
    return n;
}

static void read_split(const struct dg_held_out *h, enum dg_split split, struct t2_buf *text)
{
    struct t2_err err = T2_ERR_INIT;

    assert_int_equal(read_stream(dg_held_out_stream_new(sample_list_new(texts), h, split), text,
                                 &err),
                     T2_OK);
}

static void test_splits(void **state)
{
    const struct dg_held_out h = {.dev_percent = 10, .test_percent = 5};
    struct t2_buf of[DG_N_SPLITS] = {{0}};

    (void) state;
    fill();
    for (int split = 0; split < DG_N_SPLITS; split++)
        read_split(&h, (enum dg_split) split, &of[split]);
    assert_in_range(count(&of[DG_DEV], ">line"), 140, 260);
    assert_in_range(count(&of[DG_TEST], ">line"), 60, 150);
    assert_int_equal(count(&of[DG_TRAIN], ">line") + count(&of[DG_DEV], ">line") +
                         count(&of[DG_TEST], ">line"),
                     N);
    for (int i = 0; i < N / 2; i++) {
        int seen = 0;
        for (int split = 0; split < DG_N_SPLITS; split++) {
            char line[32];
            int n;

            t2_buf_push(&of[split], ' ');
            snprintf(line, sizeof line, ">line %d ", i);
            n = count(&of[split], line);
            of[split].len_bytes--;
            assert_true(n == 0 || n == 2);
            seen += n;
        }
        assert_int_equal(seen, 2);
    }
    for (int split = 0; split < DG_N_SPLITS; split++)
        t2_buf_release(&of[split]);
}

/* Which samples are held out does not depend on the other split's share. */
static void test_dev_stays(void **state)
{
    const struct dg_held_out dev = {.dev_percent = 10}, both = {10, 30};
    struct t2_buf a = {0}, b = {0};

    (void) state;
    fill();
    read_split(&dev, DG_DEV, &a);
    read_split(&both, DG_DEV, &b);
    assert_string_equal(t2_buf_cstr(&a), t2_buf_cstr(&b));
    t2_buf_release(&a);
    t2_buf_release(&b);
}

static void test_refused(void **state)
{
    static const struct dg_held_out wrong[] = {{-1, 0}, {100, 0}, {60, 40}, {0, -0.5}};
    const struct dg_held_out fine = {99, 0.5};
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    assert_int_equal(dg_held_out_check(&fine, &err), T2_OK);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(dg_held_out_check(&wrong[i], &err), T2_EUSAGE);
    t_assert_contains(err.message, "must be 0 to below 100 together");
}

T_MAIN(cmocka_unit_test(test_splits), cmocka_unit_test(test_dev_stays),
       cmocka_unit_test(test_refused))
