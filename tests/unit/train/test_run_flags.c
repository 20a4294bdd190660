/*
 * Tests of train/runs/run_flags.c: the original's flags, flag files.
 */
#include "train/runs/run_flags.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/log.h"
#include "tests/support/t.h"

static struct t2_err err;
static bool row_value;
static const struct t2_flag rows[] = {
    {"use_tpu_estimator", T2_FLAG_BOOL, &row_value, NULL, "", NULL},
};
static const struct t2_tool tool = {.name = "x", .flags = rows, .n_flags = 1};

/* What is left of "t2t-trainer" and the given arguments, joined by blanks; or the message. */
static void expect(enum t2_status status, const char *expected, size_t n, const char *const *args)
{
    char *argv[16] = {t2_strdup("t2t-trainer")};
    struct t2_buf text = {0};
    char **kept;
    int n_kept;

    t2_log_set_level(T2_LOG_ERROR);
    for (size_t i = 0; i < n; i++)
        argv[i + 1] = t2_strdup(args[i]);
    assert_int_equal(tr_flags_take_foreign(&tool, (int) n + 1, argv, &kept, &n_kept, &err), status);
    if (status == T2_OK) {
        assert_null(kept[n_kept]);
        for (int i = 1; i < n_kept; i++)
            t2_buf_printf(&text, "%s%s", i > 1 ? " " : "", kept[i]);
        assert_string_equal(t2_buf_cstr(&text), expected);
    } else {
        t_assert_contains(err.message, expected);
    }
    t2_free(kept);
    t2_buf_release(&text);
    for (size_t i = 0; i <= n; i++)
        t2_free(argv[i]);
}

#define EXPECT(status, expected, ...)                                                              \
    expect(status, expected, sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *),               \
           (const char *[]){__VA_ARGS__})

static void test_flags_of_the_original(void **state)
{
    (void) state;
    EXPECT(T2_OK, "--model=x rest", "--model=x", "--xla_compile", "--tpu-num-shards=8", "rest");
    EXPECT(T2_OK, "--a 3", "--a", "--iterations_per_loop", "100", "3");
    EXPECT(T2_OK, "--a", "--noxla_compile", "--a", "--master", "x");
    EXPECT(T2_OK, "", "--worker_gpu=1", "--worker_replicas=1", "--nosync", "--warm_start_from=");
    EXPECT(T2_OK, "", "--keep_checkpoint_every_n_hours=10000", "--t2t_usr_dir=None");
    EXPECT(T2_OK, "", "--schedule=train", "--train_steps", "9", "--profile");
    EXPECT(T2_OK, "--use_tpu_estimator=x --nouse-tpu-estimator", "--use_tpu_estimator=x",
           "--nouse-tpu-estimator");            /* the tool's own */
    EXPECT(T2_OK, "-- --sync", "--", "--sync"); /* not a flag */
    EXPECT(T2_OK, "--nothing -x - --output_dir", "--nothing", "-x", "-", "--output_dir");
    EXPECT(T2_EUNSUPPORTED, "--worker_gpu=8 is not supported yet", "--worker_gpu=8");
    EXPECT(T2_EUNSUPPORTED, "--sync=true is not supported yet", "--sync");
    EXPECT(T2_EUNSUPPORTED, "--warm_start_from=x is not", "--warm_start_from", "x");
    EXPECT(T2_EUNSUPPORTED, "run t2t-datagen first", "--generate_data");
    EXPECT(T2_EUNSUPPORTED, "is a flag of t2t-decoder", "--decode_hparams=beam_size=4");
    EXPECT(T2_EUNSUPPORTED, "--job_dir=x is not", "--job-dir=x");
}

static void test_flag_files(void **state)
{
    const char *text = "with space", *none = NULL;
    int64_t n = 300;
    bool yes = true, no = false;
    const struct t2_flag flags[] = {
        {NULL, T2_FLAG_GROUP, NULL, NULL, "Heading", NULL},
        {"output_dir", T2_FLAG_STRING, &text, NULL, "", NULL},
        {"model", T2_FLAG_STRING, &none, NULL, "", NULL},
        {"train_steps", T2_FLAG_INT, &n, NULL, "", NULL},
        {"eval_use_test_set", T2_FLAG_BOOL, &no, NULL, "", NULL},
        {"resume", T2_FLAG_BOOL, &yes, NULL, "", NULL},
    };
    const char *dir = t_tmp_path("flags");
    char *all = t2_path_join(dir, "flags.txt"), *common = t2_path_join(dir, "flags_t2t.txt");
    char *content;
    size_t size;

    (void) state;
    assert_int_equal(t2_make_dirs(dir, &err), T2_OK);
    assert_int_equal(tr_flags_write(dir, flags, 6, &err), T2_OK);
    content = t_read_file(all, &size);
    assert_string_equal(content, "--output_dir=with space\n--train_steps=300\n"
                                 "--noeval_use_test_set\n--resume\n");
    free(content);
    content = t_read_file(common, &size);
    assert_string_equal(content, "--model=None\n--train_steps=300\n--eval_use_test_set=False");
    free(content);
    t2_free(all);
    t2_free(common);
}

T_MAIN(cmocka_unit_test(test_flags_of_the_original), cmocka_unit_test(test_flag_files))
