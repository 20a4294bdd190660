/*
 * tests/unit/train/test_row_batches.c - which rows share a batch, and that what they share it with
 * changes nothing.
 */
#include "train/serve/row_batches.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "tests/unit/train/small_server.h"
#include "train/serve/row_work.h"

/* ---- which rows ---- */

static void assert_picks(const size_t *lengths, size_t n, size_t most, const size_t *expected,
                         size_t n_expected)
{
    struct srv_row rows[16] = {{.at = 0}};
    size_t picked[16];

    for (size_t i = 0; i < n; i++)
        rows[i] = (struct srv_row){.ids.n = lengths[i]};
    assert_int_equal(srv_pick_rows(rows, n, most, picked), n_expected);
    assert_memory_equal(picked, expected, n_expected * sizeof *picked);
}

static void test_pick(void **state)
{
    static const size_t lengths[] = {10, 53, 52, 300, 1, 10};

    (void) state;
    assert_picks(lengths, 6, 16, (size_t[]){0, 2, 4, 5}, 4); /* 53 > 2 * 10 + 32 */
    assert_picks(lengths, 6, 2, (size_t[]){0, 2}, 2);
    assert_picks(lengths, 1, 2, (size_t[]){0}, 1);
    assert_picks(lengths + 3, 3, 2, (size_t[]){0}, 1);
}

enum { JOBS = 24 };

/* The same but for the last digits of scores: a row with more padding has other roundings. */
static void assert_same_answer(const char *a, const char *b)
{
    static const char scores[] = "\"scores\": ", text[] = "\"text\": ";
    const char *x = strstr(a, scores), *y = strstr(b, scores);

    if (!x || !y) {
        assert_string_equal(a, b);
        return;
    }
    assert_int_equal(x - a, y - b);
    assert_memory_equal(a, b, (size_t) (x - a));
    while (strncmp(x, text, sizeof text - 1) != 0) {
        char *x_end, *y_end;
        double of_x = strtod(x, &x_end), of_y = strtod(y, &y_end);

        assert_int_equal(x_end > x, y_end > y);
        assert_true(fabs(of_x - of_y) <= 1e-5 * fabs(of_x));
        x = x_end > x ? x_end : x + 1;
        y = y_end > y ? y_end : y + 1;
        assert_int_equal(x[0], y[0]);
    }
    assert_same_answer(x, y);
}

/* All at once, and one after the other. */
static void check_independent(const char *decode_hparams)
{
    struct asked together[JOBS], alone;
    struct small_server x;

    open_server(&x, decode_hparams);
    for (size_t i = 0; i < JOBS; i++)
        ask(x.b.queue, &together[i], 1 + i % 3, (char) ('a' + i % 7), 1 + i * i % 40);
    run_all(&x);
    for (size_t i = 0; i < JOBS; i++) {
        assert_int_equal(together[i].n_done, 1);
        assert_int_equal(together[i].job.status, 200);
        /* each of its instances for itself would be more than a test can wait for */
        ask(x.b.queue, &alone, 1 + i % 3, (char) ('a' + i % 7), 1 + i * i % 40);
        x.s.hp.batch_size = 1;
        run_all(&x);
        x.s.hp.batch_size = 8;
        assert_same_answer(t2_buf_cstr(&alone.job.body), t2_buf_cstr(&together[i].job.body));
        forget(&alone);
        forget(&together[i]);
    }
    close_server(&x);
}

static void test_independent(void **state)
{
    (void) state;
    check_independent("beam_size=1,extra_length=3,batch_size=8,identity_output=true");
    check_independent("beam_size=3,extra_length=3,batch_size=8,identity_output=true");
    check_independent("beam_size=2,extra_length=2,batch_size=8,return_beams=true");
    check_independent("beam_size=2,extra_length=2,batch_size=8,skip_eos_postprocess=true");
}

static void assert_refused(struct asked *a, int status, const char *why)
{
    assert_int_equal(a->n_done, 1);
    assert_int_equal(a->job.status, status);
    t_assert_contains(t2_buf_cstr(&a->job.body), why);
    assert_null(a->job.outputs);
    forget(a);
}

/* The bad ones are told so, and take nobody with them. */
static void test_refusals(void **state)
{
    struct asked good, empty, longer, ids, late;
    struct small_server x;

    (void) state;
    open_server(&x, "beam_size=1,extra_length=2");
    ask(x.b.queue, &good, 2, 'a', 5);
    ask(x.b.queue, &empty, 2, 'a', 0);
    t2_buf_clear(&empty.job.request.instances[1].text);
    ask(x.b.queue, &longer, 3, 'a', 97); /* with EOS 98, 99, 100 */
    t2_buf_puts(&longer.job.request.instances[2].text, "b");
    ask(x.b.queue, &ids, 2, 'a', 5);
    ids.job.request.instances[1].is_ids = true;
    tok_ids_push(&ids.job.request.instances[1].ids, 258);
    ask(x.b.queue, &late, 1, 'a', 5);
    late.job.deadline_s = 1;
    take_all(&x);
    assert_refused(&longer, 400, "instance 2: 101 ids are more than the 100 of a source");
    assert_refused(&ids, 400, "instance 1: id 258 is not one of the 258 of the vocabulary");
    assert_int_equal(empty.job.status, 200);
    forget(&empty);
    srv_batches_expire(&x.b, 5);
    assert_int_equal(late.job.retry_after_s, 1);
    assert_refused(&late, 503, "waited too long");
    assert_int_equal(x.b.n, 2);
    run_all(&x);
    assert_int_equal(good.n_done, 1);
    assert_int_equal(good.job.status, 200);
    forget(&good);
    ask(x.b.queue, &good, 2, 'a', 5);
    take_all(&x);
    srv_batches_refuse(&x.b, 500, "lost");
    assert_refused(&good, 500, "lost");
    assert_int_equal(srv_queue_waiting(x.b.queue), 0);
    close_server(&x);
}

/* A text and its ids are the same. */
static void test_ids(void **state)
{
    struct asked text, ids;
    struct small_server x;

    (void) state;
    open_server(&x, "beam_size=2,extra_length=2");
    ask(x.b.queue, &text, 1, 'a', 2);
    ask(x.b.queue, &ids, 1, 'z', 9);
    ids.job.request.instances[0].is_ids = true;
    for (size_t i = 0; i < 3; i++)
        tok_ids_push(&ids.job.request.instances[0].ids,
                     (const int32_t[]){'a' + 2, 'b' + 2, TOK_EOS}[i]);
    run_all(&x);
    assert_int_equal(text.job.status, 200);
    assert_string_equal(t2_buf_cstr(&text.job.body), t2_buf_cstr(&ids.job.body));
    forget(&text);
    forget(&ids);
    close_server(&x);
}

T_MAIN(cmocka_unit_test(test_pick), cmocka_unit_test(test_independent),
       cmocka_unit_test(test_refusals), cmocka_unit_test(test_ids))
