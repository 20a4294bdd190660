/*
 * test_problem_enwik8.c - windows of bytes and of characters, and where the splits are.
 */
#include "datagen/problem_registry.h"

#include <string.h>

#include "tests/support/problem_check.h"

enum { HELD_OUT = 5000000, TRAIN_BYTES = 1100 };

/* 1100 bytes of train, then a's (dev) and b's (test). */
static void put_text(void)
{
    char *text = t2_alloc(TRAIN_BYTES + 2 * HELD_OUT, 1);

    for (int i = 0; i < TRAIN_BYTES; i++)
        text[i] = (char) ('0' + i % 10);
    memset(text + TRAIN_BYTES, 'a', HELD_OUT);
    memset(text + TRAIN_BYTES + HELD_OUT, 'b', HELD_OUT);
    pc_put("tmp", "enwik8", text, TRAIN_BYTES + 2 * HELD_OUT);
    t2_free(text);
}

static void check_windows(const char *problem, enum dg_split split, const size_t *lengths, size_t n,
                          int64_t first)
{
    const struct dg_problem *p = dg_find(problem);
    struct dg_options options = pc_options("tmp");
    struct dg_stream *s = NULL;
    struct t2_err err = T2_ERR_INIT;

    assert_int_equal(p->open(p, &options, split, &s, &err), T2_OK);
    for (size_t i = 0; i < n; i++) {
        struct dg_sample sample = {0};
        assert_int_equal(s->next(s, &sample, &err), T2_OK);
        assert_int_equal(sample.n_numbers[DG_TARGETS], lengths[i]);
        if (i == 0)
            assert_int_equal(sample.numbers[DG_TARGETS][0], first);
    }
    if (split == DG_TRAIN) {
        struct dg_sample sample = {0};
        assert_int_equal(s->next(s, &sample, &err), T2_EOF);
    }
    dg_stream_free(s);
}

/* Train begins every 128 bytes; the last windows are shorter. */
static void test_bytes(void **state)
{
    static const size_t train[] = {512, 512, 512, 512, 512, 460, 332, 204, 76};
    static const size_t others[] = {512, 512, 512};

    (void) state;
    put_text();
    check_windows("enwik8_l512", DG_TRAIN, train, 9, '0');
    check_windows("enwik8_l512", DG_DEV, others, 3, 'a');
    check_windows("enwik8_l512", DG_TEST, others, 3, 'b');
}

static void test_characters(void **state)
{
    static const size_t train[] = {TRAIN_BYTES};
    static const size_t others[] = {65536, 65536};

    (void) state;
    put_text();
    check_windows("enwik8_l65k", DG_TRAIN, train, 1, '0' + 2);
    check_windows("enwik8_l65k", DG_DEV, others, 2, 'a' + 2);
}

/* Two bytes each; the windows are those of the text in memory, whatever is read at a time. */
static void test_wide_characters(void **state)
{
    enum { N = 2 * HELD_OUT + 100000, WINDOW = 65536 };
    const struct dg_problem *p = dg_find("enwik8_l65k");
    struct dg_options options = pc_options("wide");
    char *text = t2_alloc(2 * N, 1);
    struct dg_stream *s = NULL;
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    for (int i = 0; i < N; i++)
        memcpy(text + 2 * i, (const char[]){(char) 0xc3, (char) (0x80 + i % 64)}, 2);
    pc_put("wide", "enwik8", text, 2 * N);
    assert_int_equal(p->open(p, &options, DG_TRAIN, &s, &err), T2_OK);
    for (size_t at = 0; at < 100000; at += WINDOW / 4) {
        size_t n = at + WINDOW < 100000 ? WINDOW : 100000 - at;
        struct dg_sample sample = {0};
        assert_int_equal(s->next(s, &sample, &err), T2_OK);
        assert_int_equal(sample.n_numbers[DG_TARGETS], 2 * n);
        for (size_t i = 0; i < 2 * n; i++)
            if (sample.numbers[DG_TARGETS][i] != (uint8_t) text[2 * at + i] + 2)
                fail_msg("window at %zu differs at %zu", at, i);
    }
    assert_int_equal(s->next(s, &(struct dg_sample){0}, &err), T2_EOF);
    dg_stream_free(s);
    /* not UTF-8 */
    memset(text + 500, 0x80, 5);
    pc_put("wide", "enwik8", text, 2 * N);
    pc_check_fails("enwik8_l65k", "wide", DG_DEV, "byte 502 is not UTF-8");
    t2_free(text);
}

static void test_short(void **state)
{
    (void) state;
    pc_put_text("short", "enwik8", "too short");
    pc_check_fails("enwik8_l1k", "short", DG_TRAIN, "held out");
    pc_check_fails("enwik8_l1k", "none", DG_TRAIN, "enwik8.zip");
}

T_MAIN(cmocka_unit_test(test_bytes), cmocka_unit_test(test_characters),
       cmocka_unit_test(test_wide_characters), cmocka_unit_test(test_short))
