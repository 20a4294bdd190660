/*
 * Tests of train/input/mixed_order.c and of samples of several problems (record.h): who is drawn
 * how often, that each problem's samples come once a round, what rows hold, that a run goes on
 * where it stopped.
 */
#include "train/input/input.h"

#include <stdlib.h>

#include "tests/unit/train/id_shards.h"

enum { N_FIRST = 60, N_SECOND = 40, LONGEST = 20, FIRST_ID = IDS_VOCAB, LABELS = IDS_VOCAB + 2 };

static struct t2_err err;
static const char *dir;

static int set_up(void **state)
{
    (void) state;
    dir = t_tmp_path("mixed");
    ids_write(dir, "train", N_FIRST, 3, LONGEST);
    ids_write(dir, "dev", N_SECOND, 2, LONGEST);
    return 0;
}

static const struct in_task joined[2] = {
    {"ids", "train", NULL, "targets", IDS_VOCAB, IDS_VOCAB, FIRST_ID, 0},
    {"ids", "dev", "inputs", "targets", IDS_VOCAB, IDS_VOCAB, FIRST_ID + 1, 0},
};
static const struct in_task pairs[2] = {
    {"ids", "train", "inputs", "targets", IDS_VOCAB, IDS_VOCAB, FIRST_ID, 0},
    {"ids", "dev", "targets", "inputs", IDS_VOCAB, IDS_VOCAB, FIRST_ID + 1, 0},
};

static struct in_input *open_tasks(const struct in_task *tasks, bool training, const char *changes,
                                   uint64_t first_sample)
{
    const struct in_options o = {.data_dir = dir,
                                 .dataset = "ids",
                                 .split = "train",
                                 .inputs_feature = tasks[0].inputs_feature,
                                 .targets_feature = "targets",
                                 .inputs_vocab = IDS_VOCAB,
                                 .targets_vocab = IDS_VOCAB,
                                 .training = training,
                                 .seed = 3,
                                 .first_sample = first_sample,
                                 .n_tasks = 2,
                                 .tasks = tasks};
    struct mdl_hparams *hp = NULL;
    struct in_input *in = NULL;

    assert_int_equal(mdl_hparams_new("transformer_tiny", &hp, &err), T2_OK);
    assert_int_equal(mdl_hparams_override(hp, "batch_size=100,max_length=64", &err), T2_OK);
    assert_int_equal(mdl_hparams_override(hp, changes, &err), T2_OK);
    if (in_new(&o, hp, &in, &err) != T2_OK)
        in = NULL;
    mdl_hparams_free(hp);
    return in;
}

/* Where the id of a problem stands in a row of targets, and whose it is. */
static int32_t find_mark(const int32_t *row, int32_t n, int *task)
{
    for (int32_t i = 0; i < n; i++)
        if (row[i] >= FIRST_ID && row[i] < FIRST_ID + 2) {
            *task = row[i] - FIRST_ID;
            return i;
        }
    fail_msg("a row has no mark");
    return -1;
}

static void test_rows_of_a_language_model(void **state)
{
    struct in_input *in = open_tasks(joined, true, "", 0);
    int n[2] = {0, 0};

    (void) state;
    assert_non_null(in);
    for (int k = 0; k < 200; k++) {
        struct mdl_batch b;
        uint64_t samples;

        assert_int_equal(in_next(in, &b, &samples, &err), T2_OK);
        assert_int_equal(b.inputs_length, 0);
        for (int32_t i = 0; i < b.batch; i++) {
            const int32_t *row = b.targets + (int64_t) i * b.targets_length;
            int task = 0;
            int32_t at = find_mark(row, b.targets_length, &task);

            n[task]++;
            assert_true(task == 1 || at == 0);
            for (int32_t j = 0; j < at; j++) /* inputs, whose EOS is away */
                assert_true(row[j] == row[0] && row[j] >= 2);
            assert_true(row[at + 1] >= 1 && row[at + 1] < IDS_VOCAB);
        }
    }
    /* one half each, of some thousand draws */
    assert_true(abs(n[0] - n[1]) * 10 < n[0] + n[1]);
    in_free(in);
}

static void test_rows_of_pairs(void **state)
{
    struct in_input *in = open_tasks(pairs, true, "multiproblem_per_task_threshold=1+3", 0);
    int n[2] = {0, 0};

    (void) state;
    assert_non_null(in);
    for (int k = 0; k < 200; k++) {
        struct mdl_batch b;
        uint64_t samples;

        assert_int_equal(in_next(in, &b, &samples, &err), T2_OK);
        for (int32_t i = 0; i < b.batch; i++) {
            const int32_t *row = b.inputs + (int64_t) i * b.inputs_length;
            int task = 0;
            int32_t at = find_mark(row, b.inputs_length, &task);

            n[task]++;
            assert_true(at + 1 == b.inputs_length || row[at + 1] == 0);
        }
    }
    assert_true(n[1] > 2 * n[0] && n[1] < 4 * n[0]);
    in_free(in);
}

/* With the primary problem alone each of its samples comes once a round. */
static void test_rounds(void **state)
{
    struct in_input *in = open_tasks(joined, true,
                                     "multiproblem_schedule_threshold=0.0,batch_size=6,"
                                     "use_fixed_batch_size=true",
                                     0);
    int n[IDS_VOCAB] = {0}, wanted[IDS_VOCAB] = {0};
    struct ids_record *r = t2_alloc(1, sizeof *r);

    (void) state;
    assert_non_null(in);
    assert_int_equal(in_stats_of(in).n_records, N_FIRST + N_SECOND);
    assert_int_equal(in_n_tasks(in), 2);
    assert_int_equal(in_task_stats(in, 0).n_records, N_FIRST);
    assert_int_equal(in_task_stats(in, 1).n_records, N_SECOND);
    assert_int_equal(in_task_stats(in, 1).n_shards, 2);
    for (uint64_t i = 0; i < N_FIRST; i++) {
        ids_make(i, LONGEST, r);
        wanted[r->targets[0]]++;
    }
    for (int k = 0; k < N_FIRST / 6; k++) {
        struct mdl_batch b;
        uint64_t samples;

        assert_int_equal(in_next(in, &b, &samples, &err), T2_OK);
        assert_int_equal(b.batch, 6);
        for (int32_t i = 0; i < b.batch; i++)
            n[b.targets[(int64_t) i * b.targets_length + 1]]++;
    }
    assert_memory_equal(n, wanted, sizeof n);
    t2_free(r);
    in_free(in);
}

static uint64_t digest(const struct mdl_batch *b)
{
    uint64_t h = (uint64_t) b->batch;

    for (int64_t i = 0; i < (int64_t) b->batch * b->targets_length; i++)
        h = t_hash64(h ^ (uint64_t) (uint32_t) b->targets[i]);
    return h;
}

static void test_goes_on(void **state)
{
    enum { N = 60 };
    const char *how = "multiproblem_mixing_schedule=exponential,"
                      "multiproblem_schedule_max_examples=200";
    struct in_input *in = open_tasks(joined, true, how, 0), *other;
    uint64_t digests[N], positions[N], samples;
    struct mdl_batch b;

    (void) state;
    assert_non_null(in);
    for (int k = 0; k < N; k++) {
        assert_int_equal(in_next(in, &b, &positions[k], &err), T2_OK);
        digests[k] = digest(&b);
    }
    for (int from = 1; from < N; from += 13) {
        assert_int_equal(in_rewind(in, positions[from - 1], &err), T2_OK);
        assert_int_equal(in_next(in, &b, &samples, &err), T2_OK);
        assert_true(digest(&b) == digests[from] && samples == positions[from]);
        other = open_tasks(joined, true, how, positions[from - 1]);
        assert_non_null(other);
        assert_int_equal(in_next(other, &b, &samples, &err), T2_OK);
        assert_true(digest(&b) == digests[from] && samples == positions[from]);
        in_free(other);
    }
    assert_int_equal(in_rewind(in, positions[3] + 1, &err), T2_EFORMAT);
    in_free(in);
}

/* Every sample once, a problem after the other in turn; or the second alone. */
static void test_evaluation(void **state)
{
    (void) state;
    for (int second = 0; second < 2; second++) {
        struct in_input *in =
            open_tasks(joined, false, second ? "multiproblem_target_eval_only=true" : "", 0);
        int n[2] = {0, 0}, n_early[2] = {0, 0}, n_batches = 0;
        struct mdl_batch b;
        uint64_t samples;

        assert_non_null(in);
        for (; in_next(in, &b, &samples, &err) == T2_OK; n_batches++)
            for (int32_t i = 0; i < b.batch; i++) {
                int task = 0;

                (void) find_mark(b.targets + (int64_t) i * b.targets_length, b.targets_length,
                                 &task);
                n[task]++;
                n_early[task] += n_batches < 5;
            }
        assert_int_equal(n[0], second ? 0 : N_FIRST);
        assert_int_equal(n[1], N_SECOND);
        assert_true(second || (n_early[0] > 0 && n_early[1] > 0));
        in_free(in);
    }
}

static void test_labels_and_limits(void **state)
{
    struct in_task tasks[2] = {joined[0], joined[1]};
    struct mdl_batch b;
    struct in_input *in;
    uint64_t samples;

    (void) state;
    tasks[1].label_offset = LABELS; /* not cut */
    in = open_tasks(tasks, true,
                    "multiproblem_per_task_threshold=0+1,multiproblem_max_input_length=2,"
                    "multiproblem_max_target_length=1",
                    0);
    assert_non_null(in);
    assert_int_equal(in_next(in, &b, &samples, &err), T2_OK);
    for (int32_t i = 0; i < b.batch; i++) {
        const int32_t *row = b.targets + (int64_t) i * b.targets_length;
        int task;
        int32_t at = find_mark(row, b.targets_length, &task);

        for (int32_t j = at + 1; j < b.targets_length && row[j] != 0; j++)
            assert_true(row[j] > LABELS && row[j] < LABELS + IDS_VOCAB);
    }
    in_free(in);

    in = open_tasks(joined, true,
                    "multiproblem_per_task_threshold=0+1,multiproblem_max_input_length=2,"
                    "multiproblem_max_target_length=3,multiproblem_fixed_train_length=8",
                    0);
    assert_non_null(in);
    assert_int_equal(in_next(in, &b, &samples, &err), T2_OK);
    assert_int_equal(b.targets_length, 8);
    for (int32_t i = 0; i < b.batch; i++) {
        const int32_t *row = b.targets + (int64_t) i * b.targets_length;
        int task;
        int32_t at = find_mark(row, b.targets_length, &task);

        assert_true(at <= 2);
        for (int32_t j = at + 4; j < 8; j++)
            assert_int_equal(row[j], 0);
    }
    in_free(in);
}

static void test_refused(void **state)
{
    static const char *const wrong[] = {"sample_order=reference", "split_to_length=4",
                                        "multiproblem_mixing_schedule=other",
                                        "multiproblem_max_input_length=-2"};
    struct in_task tasks[2] = {joined[0], joined[1]};

    (void) state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_null(open_tasks(joined, true, wrong[i], 0));
        assert_int_equal(err.status, T2_EUSAGE);
    }
    assert_null(open_tasks(joined, true, "max_length=2,min_length=2", 0));
    assert_int_equal(err.status, T2_EFORMAT);
    tasks[1].dataset = "none";
    assert_null(open_tasks(tasks, true, "", 0));
    assert_int_equal(err.status, T2_ENOTFOUND);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows_of_a_language_model),
                                       cmocka_unit_test(test_rows_of_pairs),
                                       cmocka_unit_test(test_rounds),
                                       cmocka_unit_test(test_goes_on),
                                       cmocka_unit_test(test_evaluation),
                                       cmocka_unit_test(test_labels_and_limits),
                                       cmocka_unit_test(test_refused)};

    return cmocka_run_group_tests(tests, set_up, NULL);
}
