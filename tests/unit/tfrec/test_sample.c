/*
 * tests/unit/tfrec/test_sample.c - as many as asked for, fair, by seed; long payloads.
 */
#include "tfrec/sample.h"

#include <string.h>

#include "base/alloc.h"
#include "tests/support/t.h"

static void draw(struct rec_sample *s, size_t wanted, uint64_t seed, uint64_t n)
{
    rec_sample_init(s, wanted, seed);
    for (uint64_t i = 0; i < n; i++)
        rec_sample_see(s, (struct rec_drawn){.number = i, .in_file = i},
                       (struct t2_slice){(const uint8_t *) &i, sizeof i});
}

static void test_draw(void **state)
{
    struct rec_sample a, b;
    uint64_t number;
    int lower = 0;

    (void) state;
    draw(&a, 100, 1, 1000);
    draw(&b, 100, 2, 1000);
    assert_int_equal(a.n, 100);
    rec_sample_finish(&a, 10);
    assert_true(memcmp(&a.items[0], &b.items[0], sizeof a.items[0]) != 0);
    for (size_t i = 0; i < a.n; i++) {
        memcpy(&number, a.items[i].payload, sizeof number);
        assert_int_equal(number, a.items[i].number);
        lower += number < 500;
        if (i > 0 && i != 10)
            assert_true(a.items[i - 1].number < a.items[i].number);
    }
    assert_true(lower > 30 && lower < 70);
    rec_sample_release(&a);
    rec_sample_release(&b);
    draw(&a, 5, 0, 3);
    assert_int_equal(a.n, 3);
    rec_sample_release(&a);
    draw(&a, 0, 0, 3);
    assert_int_equal(a.n, 0);
    rec_sample_release(&a);
}

static void test_long(void **state)
{
    struct rec_sample s;
    uint8_t *big = t2_alloc(REC_SAMPLE_RECORD_BYTES + 1, 1);

    (void) state;
    rec_sample_init(&s, 1, 0);
    rec_sample_see(&s, (struct rec_drawn){.number = 0},
                   (struct t2_slice){big, REC_SAMPLE_RECORD_BYTES + 1});
    assert_null(s.items[0].payload);
    assert_int_equal(s.items[0].bytes, REC_SAMPLE_RECORD_BYTES + 1);
    rec_sample_release(&s);
    t2_free(big);
}

T_MAIN(cmocka_unit_test(test_draw), cmocka_unit_test(test_long))
