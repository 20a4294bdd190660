/*
 * Tests of train/runs/summaries.c: the original's tags in the original's folders, with the numbers
 * of metrics.jsonl.
 */
#include "train/runs/summaries.h"

#include <stdio.h>
#include <string.h>

#include "tests/unit/train/small_run.h"
#include "tfrecord/event.h"
#include "tfrecord/reader.h"
#include "train/runs/loop.h"

static struct t2_err err;

#define OK(expression)                                                                             \
    do {                                                                                           \
        if ((expression) != T2_OK)                                                                 \
            fail_msg("%s", err.message);                                                           \
    } while (0)

/* The tags of the only event file in a folder, each once, as lines; *loss of step 4. */
static void read_tags(const char *dir, struct t2_strs *tags, float *loss)
{
    struct t2_strs names = {0};
    struct tfr_reader *r = NULL;
    struct t2_slice record;
    char *path = NULL;

    OK(t2_list_dir(dir, &names, &err));
    for (size_t i = 0; i < names.n; i++)
        if (strncmp(names.items[i], "events.out", 10) == 0) {
            assert_null(path);
            path = t2_path_join(dir, names.items[i]);
        }
    assert_non_null(path);
    OK(tfr_reader_new(path, &r, &err));
    while (tfr_reader_next(r, &record, &err) == T2_OK) {
        struct tfr_event e;
        struct tfr_summary_value v;

        OK(tfr_event_parse(record, &e, &err));
        while (e.kind == TFR_EVENT_SUMMARY && tfr_summary_next(&e.body, &v, &err) == T2_OK) {
            char *tag = t2_strndup((const char *) v.tag.data, v.tag.len_bytes);

            if (!t2_strs_contains(tags, tag))
                t2_strs_push(tags, tag);
            if (strcmp(tag, "loss") == 0 && e.step == 4)
                *loss = v.simple;
            t2_free(tag);
        }
    }
    tfr_reader_free(r);
    t2_strs_release(&names);
    t2_free(path);
}

static void check_tags(const char *dir, const char *const *wanted, size_t n, float *loss)
{
    struct t2_strs tags = {0};

    read_tags(dir, &tags, loss);
    for (size_t i = 0; i < n; i++)
        if (!t2_strs_contains(&tags, wanted[i]))
            fail_msg("%s has no '%s'", dir, wanted[i]);
    t2_strs_release(&tags);
}

/* A run of four steps with a line every two. */
static void train(const char *data, const char *dir, const char *hparams, enum tr_tags tags,
                  bool histograms)
{
    struct tr_run *r = small_run(data, dir, hparams, 4, 1);

    r->options.tags = tags;
    r->options.summary_histograms = histograms;
    OK(tr_summaries_open(r, &r->summaries, &err));
    OK(tr_train(r, &err));
    tr_run_free(r);
}

static void test_tensor2tensor(void **state)
{
    static const char *const training[] = {
        "loss",
        "training/loss",
        "losses/training",
        "losses/extra",
        "losses/weight_decay",
        "learning_rate",
        "global_step/sec",
        "transformer/input_stats/inputs_batch",
        "transformer/input_stats/targets_nonpadding_fraction",
        "transformer_hparams",
        "_hparams_/experiment",
        "_hparams_/session_start_info",
        "training_variables/transformer/body/encoder/layer_0/ffn/conv1/kernel_0",
        "training/gradients/transformer/body/encoder/layer_0/ffn/conv1/kernel_0"};
    static const char *const evaluation[] = {"loss",
                                             "metrics-ids/targets/accuracy",
                                             "metrics-ids/targets/accuracy_top5",
                                             "metrics-ids/targets/accuracy_per_sequence",
                                             "metrics-ids/targets/neg_log_perplexity",
                                             "checkpoint_path"};
    const char *data = t_tmp_path("data"), *dir = t_tmp_path("t2t");
    char *eval = t2_path_join(dir, "eval"), *metrics = t2_path_join(dir, "metrics.jsonl");
    struct t2_buf text = {0};
    float loss = -1, eval_loss = -1;
    char wanted[64];

    (void) state;
    small_data(data);
    train(data, dir, "weight_decay=0.01", TR_TAGS_T2T, true);
    check_tags(dir, training, sizeof training / sizeof *training, &loss);
    check_tags(eval, evaluation, sizeof evaluation / sizeof *evaluation, &eval_loss);
    OK(t2_read_file(metrics, 0, &text, &err));
    snprintf(wanted, sizeof wanted, "\"step\": 4, \"loss\": %.5g", (double) loss);
    assert_non_null(strstr(t2_buf_cstr(&text), wanted));
    snprintf(wanted, sizeof wanted, "\"split\": \"dev\", \"loss\": %.5g", (double) eval_loss);
    assert_non_null(strstr(t2_buf_cstr(&text), wanted));
    t2_buf_release(&text);
    t2_free(eval);
    t2_free(metrics);
}

static void test_others(void **state)
{
    static const struct {
        enum tr_tags tags;
        const char *train_dir, *eval_dir;
        const char *training[3], *evaluation[5];
        size_t n_evaluation;
    } cases[] = {{TR_TAGS_GARDEN,
                  "train",
                  "validation",
                  {"training_loss", "learning_rate", "steps_per_second"},
                  {"validation_loss", "accuracy", "top_5_accuracy"},
                  3},
                 {TR_TAGS_OFFICIAL,
                  "summary",
                  "eval",
                  {"training_loss", "learning_rate", "_hparams_/session_start_info"},
                  {"loss", "accuracy", "accuracy_top5", "accuracy_per_sequence",
                   "neg_log_perplexity"},
                  5},
                 {TR_TAGS_TPU_RESNET,
                  ".",
                  "eval",
                  {"loss", "learning_rate", "current_epoch"},
                  {"loss", "top_1_accuracy", "top_5_accuracy"},
                  3}};
    const char *data = t_tmp_path("data2");

    (void) state;
    small_data(data);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *dir = t2_asprintf("%s%zu", t_tmp_path("others"), i);
        char *train_dir = t2_path_join(dir, cases[i].train_dir);
        char *eval = t2_path_join(dir, cases[i].eval_dir);
        float unused;

        train(data, dir, "", cases[i].tags, false);
        check_tags(train_dir, cases[i].training, 3, &unused);
        check_tags(eval, cases[i].evaluation, cases[i].n_evaluation, &unused);
        t2_free(train_dir);
        t2_free(eval);
        t2_free(dir);
    }
}

T_MAIN(cmocka_unit_test(test_tensor2tensor), cmocka_unit_test(test_others))
