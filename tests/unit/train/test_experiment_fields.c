/*
 * test_experiment_fields.c - every field that a table says is read (EXP_HPARAM, EXP_READ) is read
 * by somebody: another value of it is not named as one without meaning for the run.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "tests/support/t.h"
#include "train/experiment/experiments.h"
#include "train/experiment/fields.h"
#include "train/experiment/params_override.h"
#include "train/runs/run_experiment.h"

static struct t2_err err;

/* One experiment with overrides; *said gets what went to stderr, owned by the caller. */
static enum t2_status convert(const char *name, const char *overrides, char **said)
{
    const char *path = t_tmp_path("stderr");
    int file = open(path, O_CREAT | O_TRUNC | O_RDWR, 0600), before = dup(STDERR_FILENO);
    struct t2_strs files = {0};
    struct tr_experiment_flags f = {.experiment = name,
                                    .config_files = &files,
                                    .params_override = overrides[0] ? overrides : NULL};
    struct tr_options o = {.data_dir = "d", .problem = "p", .random_seed = 1};
    struct tr_experiment *x = NULL;
    enum t2_status st;
    size_t n;

    assert_true(file >= 0 && before >= 0);
    assert_true(dup2(file, STDERR_FILENO) >= 0);
    st = tr_experiment_new(&f, &x, &err);
    if (st == T2_OK)
        st = tr_experiment_options(x, false, &o, &err);
    tr_experiment_free(x);
    assert_true(dup2(before, STDERR_FILENO) >= 0);
    close(before);
    close(file);
    *said = t_read_file(path, &n);
    return st;
}

/* A value of the field's type that is not the one it has. */
static char *another(const struct exp_field *field, const struct exp_value *now)
{
    switch (field->type & EXP_T_MASK) {
    case EXP_T_BOOL:
        return t2_strdup(now->b ? "false" : "true");
    case EXP_T_INT:
        return t2_asprintf("%lld", now->kind == EXP_INT ? (long long) now->i * 2 + 2 : 2LL);
    case EXP_T_NUMBER:
    case EXP_T_SCALE:
        return t2_strdup("0.4375");
    case EXP_T_INTS:
        return t2_strdup("[3,5]");
    case EXP_T_NUMBERS:
        return t2_strdup("[0.25,0.125]");
    case EXP_T_STRINGS:
        return t2_strdup("[another]");
    default:
        return t2_strdup("another");
    }
}

/* Choices and groups are what the runs below go through; a list of one group is tried by
 * test_experiment_hparams.c. */
static bool is_tried(const struct exp_field *field)
{
    unsigned type = field->type & EXP_T_MASK;

    return (field->use == EXP_HPARAM || field->use == EXP_READ) && type != EXP_T_GROUP &&
           type != EXP_T_CHOICE && type != EXP_T_ONE && !strstr(field->path, "cls_heads.");
}

struct walk {
    const char *experiment;
    const char *chosen; /* alternatives, as overrides: "" or ending with a comma */
    struct t2_strs *read, *unread;
    int n;
};

static void try_field(void *context, int depth, const char *name, const char *path,
                      const struct exp_field *field, const struct exp_value *value, bool changed)
{
    struct walk *w = context;
    char *to, *overrides, *said, *at;

    (void) depth, (void) name, (void) changed;
    if (!field || !is_tried(field))
        return;
    to = another(field, value);
    overrides = t2_asprintf("%s%s=%s", w->chosen, path, to);
    (void) convert(w->experiment, overrides, &said); /* who refuses it has read it */
    at = strstr(said, "no meaning for this run: ");
    t2_strs_push(at && strstr(at, path) ? w->unread : w->read, path);
    w->n++;
    free(said);
    t2_free(overrides);
    t2_free(to);
}

/* All fields of an experiment with these alternatives, which must make a run by themselves. */
static int walk(const char *experiment, const char *chosen, struct t2_strs *read,
                struct t2_strs *unread)
{
    const struct exp_experiment *e = NULL;
    struct walk w = {experiment, chosen, read, unread, 0};
    struct exp_config *c = NULL;
    char *said;

    if (convert(experiment, chosen, &said) != T2_OK)
        fail_msg("%s with %s: %s", experiment, chosen, err.message);
    free(said);
    assert_int_equal(exp_find(experiment, &e, &err), T2_OK);
    assert_int_equal(exp_new(e, &c, &err), T2_OK);
    assert_int_equal(exp_override(c, chosen, &err), T2_OK);
    exp_config_visit(c, try_field, &w);
    exp_config_free(c);
    return w.n;
}

#define DATA                                                                                       \
    "task.sentencepiece_model_path=v,task.train_data.tfds_name='',"                                \
    "task.train_data.input_path='d/x-train-0',task.validation_data.tfds_name='',"                  \
    "task.validation_data.input_path='d/x-test-0',"
#define OPTIMIZER "trainer.optimizer_config.optimizer.type="
#define RATE "trainer.optimizer_config.learning_rate."
#define WARMUP "trainer.optimizer_config.warmup."

#define BERT                                                                                       \
    "trainer.train_steps=9," RATE "polynomial.decay_steps=5," WARMUP "polynomial.warmup_steps=1,"

/* Every alternative of every choice is in one of these. */
static const struct {
    const char *experiment, *chosen;
} runs[] = {
    {"resnet_imagenet", ""},
    {"resnet_imagenet", "runtime.mixed_precision_dtype=float16,"},
    {"resnet_imagenet", OPTIMIZER "sgd_experimental,"},
    {"resnet_imagenet", OPTIMIZER "adam,"},
    {"resnet_imagenet", OPTIMIZER "adam_experimental,"},
    {"resnet_imagenet", OPTIMIZER "adamw,"},
    {"resnet_imagenet", OPTIMIZER "adamw_experimental,"},
    {"resnet_imagenet", OPTIMIZER "rmsprop,"},
    {"resnet_imagenet", OPTIMIZER "lars,task.losses.l2_weight_decay=0,"},
    {"resnet_imagenet", OPTIMIZER "adagrad,"},
    {"resnet_imagenet", "trainer.optimizer_config.ema.average_decay=0.9,"},
    {"resnet_imagenet", RATE "type=constant,"},
    {"resnet_imagenet", RATE "type=exponential," RATE "exponential.initial_learning_rate=0.5," RATE
                             "exponential.decay_steps=5," RATE "exponential.decay_rate=0.5,"},
    {"resnet_imagenet", RATE "type=polynomial," RATE "polynomial.initial_learning_rate=0.5," RATE
                             "polynomial.decay_steps=5,"},
    {"resnet_imagenet",
     RATE "type=cosine," RATE "cosine.initial_learning_rate=0.5," RATE "cosine.decay_steps=5,"},
    {"resnet_imagenet", RATE "type=power," RATE "power.initial_learning_rate=0.5,"},
    {"resnet_imagenet",
     RATE "type=power_linear," RATE "power_linear.initial_learning_rate=0.5," RATE
          "power_linear.total_decay_steps=5,"},
    {"resnet_imagenet",
     RATE "type=power_with_offset," RATE "power_with_offset.initial_learning_rate=0.5,"},
    {"resnet_imagenet", WARMUP "type=polynomial," WARMUP "polynomial.warmup_steps=5,"},
    {"resnet_imagenet", "task.train_data.aug_type.type=autoaug,"},
    {"resnet_imagenet", "task.train_data.aug_type.type=randaug,"},
    {"resnet_imagenet", "task.train_data.mixup_and_cutmix.prob=0.5,task.losses.soft_labels=true,"
                        "task.losses.one_hot=false,"},
    {"mobilenet_imagenet", ""},
    {"resnet_rs_imagenet", ""},
    {"vit_imagenet_finetune", ""},
    {"vit_imagenet_pretrain", ""},
    {"bert/sentence_prediction", BERT "task.model.num_classes=3,"},
    {"bert/pretraining", BERT},
    {"bert/squad", BERT},
    {"tpu_resnet", ""},
    {"tpu_resnet", "augment_name=randaugment,"},
    {"wmt_transformer/large", DATA},
};

/* One table is for the data of training and of validation.  These are read of training's; given for
 * validation they get the warning, as evaluation makes its batches like training and draws nothing.
 */
static bool is_of_training(const char *path)
{
    static const char *const fields[] = {
        "global_batch_size",      "seed",       "max_seq_length",
        "static_batch",           "seq_length", "max_predictions_per_seq",
        "use_next_sentence_label"};
    static const char where[] = "task.validation_data.";

    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (t2_starts_with(path, where) && strcmp(path + strlen(where), fields[i]) == 0)
            return true;
    return false;
}

/* No row of a table was passed over by the runs. */
static void check_all_tried(const char *prefix, const struct exp_fields *t,
                            const struct t2_strs *read, const struct t2_strs *unread)
{
    for (size_t i = 0; i < t->n; i++) {
        char *path = t2_asprintf("%s%s", prefix, t->fields[i].path);

        if (is_tried(&t->fields[i]) && !t2_strs_contains(read, path) &&
            !t2_strs_contains(unread, path))
            fail_msg("no run has %s: add one that chooses it", path);
        t2_free(path);
    }
}

static void test_every_field(void **state)
{
    struct t2_strs read = {0}, unread = {0};
    int n_unread = 0;

    (void) state;
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++)
        assert_true(walk(runs[i].experiment, runs[i].chosen, &read, &unread) > 5);
    check_all_tried("runtime.", &exp_runtime_fields, &read, &unread);
    check_all_tried("trainer.", &exp_trainer_fields, &read, &unread);
    check_all_tried("trainer.optimizer_config.", &exp_optimizer_fields, &read, &unread);
    check_all_tried("task.", &exp_task_fields, &read, &unread);
    check_all_tried("task.", &exp_image_fields, &read, &unread);
    check_all_tried("task.", &exp_translation_fields, &read, &unread);
    check_all_tried("task.", &exp_sentence_fields, &read, &unread);
    check_all_tried("task.", &exp_masked_fields, &read, &unread);
    check_all_tried("task.model.encoder.", &exp_bert_fields, &read, &unread);
    check_all_tried("task.train_data.", &exp_data_fields, &read, &unread);
    check_all_tried("task.train_data.", &exp_sentence_data_fields, &read, &unread);
    check_all_tried("task.train_data.", &exp_masked_data_fields, &read, &unread);
    check_all_tried("task.", &exp_answer_fields, &read, &unread);
    check_all_tried("task.train_data.", &exp_answer_data_fields, &read, &unread);
    check_all_tried("task.train_data.", &exp_image_data_fields, &read, &unread);
    check_all_tried("task.train_data.", &exp_translation_data_fields, &read, &unread);
    check_all_tried("", &exp_tpu_resnet_fields, &read, &unread);
    for (size_t i = 0; i < unread.n; i++) {
        if (t2_strs_contains(&read, unread.items[i]) || is_of_training(unread.items[i]))
            continue;
        print_message("nobody reads %s\n", unread.items[i]);
        n_unread++;
    }
    assert_int_equal(n_unread, 0);
    t2_strs_release(&read);
    t2_strs_release(&unread);
}

/* Those that are not read: "only this" is refused by its name, "passed over" is silent. */
static void try_other(void *context, int depth, const char *name, const char *path,
                      const struct exp_field *field, const struct exp_value *value, bool changed)
{
    struct walk *w = context;
    char *to, *overrides, *said;
    enum t2_status st;

    (void) depth, (void) name, (void) changed;
    if (!field || (field->use != EXP_FIXED && field->use != EXP_PASSED) ||
        (field->type & EXP_T_MASK) == EXP_T_GROUP || (field->type & EXP_T_MASK) == EXP_T_CHOICE ||
        (field->type & EXP_T_MASK) == EXP_T_NULL)
        return;
    to = another(field, value);
    overrides = t2_asprintf("%s%s=%s", w->chosen, path, to);
    st = convert(w->experiment, overrides, &said);
    if (field->use == EXP_FIXED && (st == T2_OK || !strstr(err.message, path)))
        fail_msg("%s is not refused by its name", overrides);
    /* what has a range says it by its name */
    if (field->use == EXP_PASSED && st != T2_OK && !strstr(err.message, path))
        fail_msg("%s: %s", overrides, err.message);
    if (strstr(said, "no meaning for this run: ") && strstr(said, path))
        fail_msg("%s is named as without meaning, and passed over", overrides);
    w->n++;
    free(said);
    t2_free(overrides);
    t2_free(to);
}

static void test_other_fields(void **state)
{
    int n = 0;

    (void) state;
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        const struct exp_experiment *e = NULL;
        struct exp_config *c = NULL;
        struct walk w = {runs[i].experiment, runs[i].chosen, NULL, NULL, 0};

        assert_int_equal(exp_find(runs[i].experiment, &e, &err), T2_OK);
        assert_int_equal(exp_new(e, &c, &err), T2_OK);
        assert_int_equal(exp_override(c, runs[i].chosen, &err), T2_OK);
        exp_config_visit(c, try_other, &w);
        exp_config_free(c);
        n += w.n;
    }
    assert_true(n > 500);
}

T_MAIN(cmocka_unit_test(test_every_field), cmocka_unit_test(test_other_fields))
