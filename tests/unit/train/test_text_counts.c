/* Tests of train/eval/text_counts.c: words and bytes of rows, packed or not. */
#include "train/eval/text_counts.h"

#include "tests/support/t.h"

enum { A = 'a' + 2, B = 'b' + 2, BLANK = ' ' + 2, TAB = '\t' + 2 }; /* of tok_bytes_new */

static void check(const struct mdl_batch *batch, uint64_t words, uint64_t bytes)
{
    struct tok_encoder *e = tok_bytes_new();
    struct ev_text_counter counter = {.e = e};
    struct ev_text_counts counts;

    ev_text_counter_add(&counter, batch);
    counts = ev_text_counter_take(&counter);
    assert_int_equal(counts.words, words);
    assert_int_equal(counts.bytes, bytes);
    ev_text_counter_add(&counter, batch); /* adds */
    ev_text_counter_add(&counter, batch);
    counts = ev_text_counter_take(&counter);
    assert_int_equal(counts.words, 2 * words);
    assert_int_equal(counts.bytes, 2 * bytes);
    tok_free(e);
}

static void test_rows(void **state)
{
    static const int32_t targets[] = {
        A,     B, BLANK, A,     1, 0,     0, 0, /* "ab a" and its end */
        BLANK, A, TAB,   BLANK, B, BLANK, 1, 0, /* blanks around words are bytes */
        A,     A, A,     A,     A, A,     A, A, /* a row that was cut: no end */
        1,     0, 0,     0,     0, 0,     0, 0, /* an empty line */
        0,     0, 0,     0,     0, 0,     0, 0,
    };

    (void) state;
    check(&(struct mdl_batch){.batch = 5, .targets_length = 8, .targets = targets},
          (2 + 1) + (2 + 1) + 1 + 1, 5 + 7 + 8 + 1);
    check(&(struct mdl_batch){.batch = 0, .targets_length = 8, .targets = targets}, 0, 0);
}

/* Two texts side by side are no word together, with or without an end between them. */
static void test_packed(void **state)
{
    static const int32_t targets[] = {A, B, 1, B, 1, A, B, 0},
                         segments[] = {1, 1, 1, 2, 2, 3, 4, 0};

    (void) state;
    check(&(struct mdl_batch){.batch = 1,
                              .targets_length = 8,
                              .targets = targets,
                              .targets_segmentation = segments},
          2 + 2 + 1 + 1, 3 + 2 + 1 + 1);
}

/* A word that a chunk ends in is one word; fewer rows begin other texts. */
static void test_chunks(void **state)
{
    static const int32_t first[] = {A, BLANK, B, B, A, A}, second[] = {B, 1, 0, A, BLANK, A},
                         third[] = {B, 1, 0};
    struct tok_encoder *e = tok_bytes_new();
    struct ev_text_counter counter = {.e = e};
    struct mdl_batch batch = {.batch = 2, .targets_length = 3, .targets = first};
    struct ev_text_counts counts;

    (void) state;
    ev_text_counter_add(&counter, &batch);
    batch.chunk = 1;
    batch.targets = second;
    ev_text_counter_add(&counter, &batch);
    batch = (struct mdl_batch){.batch = 1, .targets_length = 3, .targets = third};
    ev_text_counter_add(&counter, &batch);
    counts = ev_text_counter_take(&counter);
    assert_int_equal(counts.words, (2 + 1) + 2 + (1 + 1)); /* "a bb", "baaa a", "b" */
    assert_int_equal(counts.bytes, (4 + 1) + 6 + (1 + 1));
    tok_free(e);
}

T_MAIN(cmocka_unit_test(test_chunks), cmocka_unit_test(test_rows), cmocka_unit_test(test_packed))
