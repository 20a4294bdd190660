/*
 * Tests of train/input/rank.c: which rows a rank has, and in every mode of train/input that the
 * batches of all ranks, one behind the other, are the batch of one process, bit for bit.
 */
#include "train/input/rank.h"

#include "tests/unit/train/input_modes.h"

enum { MOST_RANKS = 7, N_BATCHES = 40 };

static struct t2_err err;

static void test_rows(void **state)
{
    (void) state;
    for (int32_t count = 1; count <= 9; count++)
        for (int32_t n_rows = 0; n_rows < 40; n_rows++) {
            int32_t next = 0, most = in_rank_most_rows((struct in_rank){0, count}, n_rows);

            for (int32_t r = 0; r < count; r++) {
                struct in_span s = in_rank_rows((struct in_rank){r, count}, n_rows);

                assert_int_equal(s.first, next);
                assert_int_equal(in_rank_most_rows((struct in_rank){r, count}, n_rows), most);
                assert_true(s.n >= n_rows / count && s.n <= most);
                next += s.n;
            }
            assert_int_equal(next, n_rows);
        }
    assert_int_equal(in_rank_rows((struct in_rank){6, 7}, INT32_MAX).n, INT32_MAX / 7 + 1);
    /* several together have what each has */
    assert_int_equal(in_ranks_rows((struct in_rank){1, 7}, 3, 20).first,
                     in_rank_rows((struct in_rank){1, 7}, 20).first);
    assert_int_equal(in_ranks_rows((struct in_rank){1, 7}, 3, 20).n, 9);
    assert_int_equal(in_ranks_rows((struct in_rank){0, 7}, 7, 20).n, 20);
    assert_int_equal(in_ranks_rows((struct in_rank){5, 7}, 0, 20).n, 0);
}

/* Both NULL, or `rows` of `all` from row `first` on. */
static void check_rows(const char *mode, const void *all, const void *rows, int32_t first,
                       int32_t n, size_t row_bytes)
{
    const char *from = all;

    if (!all != !rows)
        fail_msg("%s: only one has it", mode);
    if (all && memcmp(from + (size_t) first * row_bytes, rows, (size_t) n * row_bytes) != 0)
        fail_msg("%s: rows %d to %d are others", mode, (int) first, (int) (first + n - 1));
}

/* b is rows first_row ... of `all`, in every member. */
static void check_part(const char *mode, const struct mdl_batch *all, const struct mdl_batch *b)
{
    size_t inputs = (size_t) all->inputs_length * 4, targets = (size_t) all->targets_length * 4;
    size_t pixels = (size_t) all->height * (size_t) all->width * (size_t) all->channels * 4;
    int32_t first = b->first_row, n = b->batch;

    assert_int_equal(b->all_rows, all->batch);
    assert_int_equal(b->inputs_length, all->inputs_length);
    assert_int_equal(b->targets_length, all->targets_length);
    assert_true(b->height == all->height && b->width == all->width && b->channels == all->channels);
    check_rows(mode, all->inputs, b->inputs, first, n, inputs);
    check_rows(mode, all->targets, b->targets, first, n, targets);
    check_rows(mode, all->inputs_segmentation, b->inputs_segmentation, first, n, inputs);
    check_rows(mode, all->inputs_position, b->inputs_position, first, n, inputs);
    check_rows(mode, all->targets_segmentation, b->targets_segmentation, first, n, targets);
    check_rows(mode, all->targets_position, b->targets_position, first, n, targets);
    check_rows(mode, all->images, b->images, first, n, pixels);
    check_rows(mode, all->other_labels, b->other_labels, first, n, 4);
    check_rows(mode, all->label_weights, b->label_weights, first, n, 4);
}

/* The shape of some bucket has room for the batch. */
static void check_planned(const struct in_input *in, const struct mdl_hparams *hp,
                          const struct mdl_batch *b)
{
    struct mdl_shape *shapes;
    bool fits = false;
    size_t n;

    assert_int_equal(in_shapes(in, hp, &shapes, &n, &err), T2_OK);
    for (size_t i = 0; i < n; i++)
        fits =
            fits || (b->batch <= shapes[i].batch && b->inputs_length <= shapes[i].inputs_length &&
                     b->targets_length <= shapes[i].targets_length);
    assert_true(fits);
    t2_free(shapes);
}

/* Batches of one process against those of `count`, from a position on. */
static uint64_t check_mode(const struct modes_mode *m, struct modes_setup *s, int32_t count,
                           uint64_t from)
{
    struct in_input *whole, *ranks[MOST_RANKS];
    struct mdl_batch all, b;
    uint64_t samples = from, rank_samples;

    s->options.first_sample = from;
    s->options.rank = s->options.n_ranks = 0;
    whole = modes_open(m, s);
    s->options.n_ranks = count;
    for (int32_t r = 0; r < count; r++) {
        s->options.rank = r;
        s->options.num_threads = 1 + r % 3;
        s->options.prefetch_batches = 1 + r % 4;
        ranks[r] = modes_open(m, s);
    }
    for (int k = 0; k < N_BATCHES; k++) {
        enum t2_status st = in_next(whole, &all, &samples, &err);
        int32_t next = 0;

        for (int32_t r = 0; r < count; r++) {
            assert_int_equal(in_next(ranks[r], &b, &rank_samples, &err), st);
            if (st != T2_OK)
                continue;
            assert_int_equal(rank_samples, samples);
            assert_int_equal(b.first_row, next);
            check_part(m->name, &all, &b);
            check_planned(ranks[r], s->hp, &b);
            next += b.batch;
        }
        if (st != T2_OK)
            break;
        assert_true(all.first_row == 0 && all.all_rows == all.batch);
        assert_int_equal(next, all.batch);
    }
    in_free(whole);
    for (int32_t r = 0; r < count; r++)
        in_free(ranks[r]);
    return samples;
}

static void test_every_mode(void **state)
{
    const char *dir = modes_write();

    (void) state;
    for (int i = 0; i < N_MODES; i++) {
        struct modes_setup s = {0};
        uint64_t samples;

        modes_set_up(&modes[i], dir, &s);
        samples = check_mode(&modes[i], &s, 2, 0);
        (void) check_mode(&modes[i], &s, 3, 0);
        /* goes on with another number of ranks; some have no row of a batch */
        (void) check_mode(&modes[i], &s, MOST_RANKS, modes[i].training ? samples : 0);
        modes_release(&s);
    }
}

T_MAIN(cmocka_unit_test(test_rows), cmocka_unit_test(test_every_mode))
