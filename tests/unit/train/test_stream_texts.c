/*
 * tests/unit/train/test_stream_texts.c - texts that come while others are translated: each gets the
 * answer that it gets alone, what does not suit the others has its turn, and a failure is
 * everybody's who is in the model.
 */
#include "train/serve/row_batches.h"

#include <math.h>

#include "tests/unit/train/small_server.h"
#include "train/graph/params.h"

enum { COMING = 30 };

/* Jobs that come, `each` before every step, and from when on no others shall begin. */
struct coming {
    struct small_server *x;
    struct asked *jobs;
    const size_t *lengths;
    size_t n, next, each, n_calls;
    size_t from;      /* the first call that they come in */
    size_t closes_at; /* 0: never */
    size_t most_seen;
};

static bool come(void *context, struct srv_batches *b)
{
    struct coming *c = context;

    c->n_calls++;
    for (size_t i = 0; c->n_calls > c->from && i < c->each && c->next < c->n; i++, c->next++)
        ask(b->queue, &c->jobs[c->next], 1 + c->next % 2, (char) ('a' + c->next % 7),
            c->lengths[c->next]);
    take_all(c->x);
    c->most_seen = b->n > c->most_seen ? b->n : c->most_seen;
    return c->closes_at == 0 || c->n_calls < c->closes_at;
}

static void begin(struct small_server *x, struct coming *c, const char *decode_hparams)
{
    open_server(x, decode_hparams);
    x->b.between = come;
    x->b.context = c;
    c->x = x;
    ask(x->b.queue, &c->jobs[0], 1, 'a', c->lengths[0]);
    c->next = 1;
}

/* What comes, and the same alone, in batches of one. */
static void check_same(const char *decode_hparams, size_t each)
{
    struct asked jobs[COMING], alone;
    size_t lengths[COMING];
    struct small_server x;
    struct coming c = {.jobs = jobs, .lengths = lengths, .n = COMING, .each = each};
    bool same = true;

    for (size_t i = 0; i < COMING; i++)
        lengths[i] = 1 + i * 5 % 31;
    begin(&x, &c, decode_hparams);
    run_all(&x);
    assert_int_equal(c.next, COMING);
    x.b.between = NULL;
    x.s.hp.batch_size = 1;
    for (size_t i = 0; i < COMING; i++) {
        assert_int_equal(jobs[i].n_done, 1);
        assert_int_equal(jobs[i].job.status, 200);
        ask(x.b.queue, &alone, i == 0 ? 1 : 1 + i % 2, (char) ('a' + i % 7), lengths[i]);
        run_all(&x);
        same = same && strcmp(t2_buf_cstr(&alone.job.body), t2_buf_cstr(&jobs[i].job.body)) == 0;
        forget(&alone);
        forget(&jobs[i]);
    }
    assert_true(same);
    close_server(&x);
}

static void test_same(void **state)
{
    (void) state;
    check_same("beam_size=1,extra_length=4,batch_size=16,identity_output=true", 1);
    check_same("beam_size=3,extra_length=4,batch_size=16,identity_output=true", 2);
    check_same("beam_size=2,extra_length=4,batch_size=8,return_beams=true,identity_output=true", 9);
}

/* A long one among short ones has its turn before those that came behind it. */
static void test_long(void **state)
{
    struct asked jobs[COMING];
    size_t lengths[COMING];
    struct small_server x;
    struct coming c = {.jobs = jobs, .lengths = lengths, .n = COMING, .each = 1};
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    for (size_t i = 0; i < COMING; i++)
        lengths[i] = i == 5 ? 90 : 3;
    begin(&x, &c, "beam_size=1,extra_length=2,batch_size=8");
    take_all(&x);
    assert_int_equal(srv_batches_run(&x.b, &err), T2_OK);
    assert_true(x.b.n > 0); /* the stream ended for it */
    assert_ptr_equal(x.b.rows[0].job, &jobs[5].job);
    for (size_t i = 0; i < COMING; i++) /* who is behind it has not begun */
        assert_int_equal(i < c.next && jobs[i].n_done, i < 5);
    run_all(&x);
    for (size_t i = 0; i < COMING; i++) {
        assert_int_equal(jobs[i].job.status, 200);
        forget(&jobs[i]);
    }
    close_server(&x);
}

/* Where others shall not begin, those that wait do not, and those in the model end. */
static void test_closing(void **state)
{
    struct asked jobs[COMING];
    size_t lengths[COMING], n_done = 0;
    struct small_server x;
    struct coming c = {.jobs = jobs, .lengths = lengths, .n = 12, .each = 3, .closes_at = 3};
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    for (size_t i = 0; i < COMING; i++)
        lengths[i] = 20;
    begin(&x, &c, "beam_size=1,extra_length=2,batch_size=16");
    take_all(&x);
    assert_int_equal(srv_batches_run(&x.b, &err), T2_OK);
    assert_true(x.b.n > 0);
    for (size_t i = 0; i < c.next; i++)
        n_done += (size_t) jobs[i].n_done;
    assert_in_range(n_done, 1, 7);
    srv_batches_expire(&x.b, 1e9);
    assert_int_equal(x.b.n, 0);
    for (size_t i = 0; i < c.next; i++) {
        assert_int_equal(jobs[i].n_done, 1);
        forget(&jobs[i]);
    }
    close_server(&x);
}

/* Fewer places than ask: the next stream has more. */
static void test_places(void **state)
{
    struct asked jobs[COMING];
    size_t lengths[COMING];
    struct small_server x;
    struct coming c = {.jobs = jobs, .lengths = lengths, .n = COMING, .each = COMING, .from = 1};
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    for (size_t i = 0; i < COMING; i++)
        lengths[i] = 12;
    begin(&x, &c, "beam_size=1,extra_length=2,batch_size=64");
    take_all(&x);
    assert_int_equal(srv_batches_run(&x.b, &err), T2_OK);
    assert_int_equal(jobs[0].n_done, 1); /* of 8 places, alone */
    assert_int_equal(x.b.n, c.most_seen);
    assert_int_equal(srv_batches_run(&x.b, &err), T2_OK);
    for (size_t i = 0; i < COMING; i++) {
        assert_int_equal(jobs[i].n_done, 1);
        forget(&jobs[i]);
    }
    close_server(&x);
}

/* Logits that are no numbers: those in the model are told, once, and the next are answered. */
static void test_failure(void **state)
{
    struct asked jobs[2];
    struct small_server x;
    struct t2_err err = T2_ERR_INIT;
    struct gr_params *values;

    (void) state;
    open_server(&x, "beam_size=2,extra_length=2,batch_size=8");
    values = mdl_params(x.s.m);
    for (size_t i = 0; i < 2; i++)
        ask(x.b.queue, &jobs[i], 2, 'a', 4);
    for (int64_t i = 0; i < values->n_floats; i++)
        values->values[i] = NAN;
    take_all(&x);
    assert_int_equal(srv_batches_run(&x.b, &err), T2_OK);
    assert_int_equal(x.b.n, 0);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(jobs[i].n_done, 1);
        assert_int_equal(jobs[i].job.status, 500);
        t_assert_contains(t2_buf_cstr(&jobs[i].job.body), "not finite");
        forget(&jobs[i]);
    }
    assert_int_equal(srv_queue_waiting(x.b.queue), 0);
    close_server(&x);
}

T_MAIN(cmocka_unit_test(test_same), cmocka_unit_test(test_long), cmocka_unit_test(test_closing),
       cmocka_unit_test(test_places), cmocka_unit_test(test_failure))
