/*
 * train/runs/run_flags.c - the original's flags that have no row here: some are accepted without
 * effect, the others refused; and flag files.
 */
#include "train/runs/run_flags.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/log.h"
#include "base/str.h"

/* ---- flags without a row ---- */

enum { IS_BOOL = 1, ANY_VALUE = 2 };

/* `off` is the value that changes nothing; others are refused.  ANY_VALUE: none changes
 * anything. */
struct foreign {
    const char *name;
    int kind;
    const char *off;
};

static const struct foreign foreign_flags[] = {
    /* no meaning without TensorFlow, a TPU or its cluster */
    {"enable_graph_rewriter", IS_BOOL | ANY_VALUE, NULL},
    {"log_device_placement", IS_BOOL | ANY_VALUE, NULL},
    {"worker_gpu_memory_fraction", ANY_VALUE, NULL},
    {"gpu_order", ANY_VALUE, NULL},
    {"worker_job", ANY_VALUE, NULL},
    {"ps_job", ANY_VALUE, NULL},
    {"eval_throttle_seconds", ANY_VALUE, NULL},
    {"iterations_per_loop", ANY_VALUE, NULL},
    {"tpu_num_shards", ANY_VALUE, NULL},
    {"tpu_job_name", ANY_VALUE, NULL},
    {"tpu_infeed_sleep_secs", ANY_VALUE, NULL},
    {"cloud_tpu_name", ANY_VALUE, NULL},
    {"export_saved_model_api_version", ANY_VALUE, NULL},
    {"use_guarantee_const_getter", IS_BOOL | ANY_VALUE, NULL},
    {"use_tpu_estimator", IS_BOOL | ANY_VALUE, NULL},
    {"xla_compile", IS_BOOL | ANY_VALUE, NULL},
    {"xla_jit_level", ANY_VALUE, NULL},
    {"optionally_use_dist_strat", IS_BOOL | ANY_VALUE, NULL},
    {"inter_op_parallelism_threads", ANY_VALUE, NULL},
    {"intra_op_parallelism_threads", ANY_VALUE, NULL},
    {"master", ANY_VALUE, NULL},
    {"std_server_protocol", ANY_VALUE, NULL},
    {"tpu", ANY_VALUE, NULL},
    {"tf_data_service", ANY_VALUE, NULL},
    {"tmp_dir", ANY_VALUE, NULL}, /* only --generate_data reads it */
    /* Python modules of problems; what is trained on is told by manifests, or by shards */
    {"t2t_usr_dir", ANY_VALUE, NULL},
    /* rows of t2t-trainer; the original's decoder takes them, too, and reads none */
    {"schedule", ANY_VALUE, NULL},
    {"train_steps", ANY_VALUE, NULL},
    {"eval_steps", ANY_VALUE, NULL},
    {"eval_timeout_mins", ANY_VALUE, NULL},
    {"local_eval_frequency", ANY_VALUE, NULL},
    {"keep_checkpoint_max", ANY_VALUE, NULL},
    {"save_checkpoints_secs", ANY_VALUE, NULL},
    {"log_step_count_steps", ANY_VALUE, NULL},
    {"profile", IS_BOOL | ANY_VALUE, NULL},
    {"registry_help", IS_BOOL, "false"},
    /* these would change what happens */
    {"eval_run_autoregressive", IS_BOOL, "false"},
    {"hparams_range", 0, ""},
    {"eval_early_stopping_metric", 0, "loss"},
    {"eval_early_stopping_metric_delta", 0, "0.1"},
    {"eval_early_stopping_steps", 0, ""},
    {"eval_early_stopping_metric_minimize", IS_BOOL, "true"},
    {"keep_checkpoint_every_n_hours", 0, "10000"},
    {"warm_start_from", 0, ""},
    {"sync", IS_BOOL, "false"},
    {"worker_gpu", 0, "0"},
    {"worker_replicas", 0, "1"},
    {"worker_id", 0, "0"},
    {"ps_gpu", 0, "0"},
    {"ps_replicas", 0, "0"},
    {"decode_hparams", 0, ""},
    {"decode_from_file", 0, ""},
    {"decode_to_file", 0, ""},
    {"decode_reference", 0, ""},
    {"tfdbg", IS_BOOL, "false"},
    {"dbgprofile", IS_BOOL, "false"},
    {"export_saved_model", IS_BOOL, "false"},
    {"generate_data", IS_BOOL, "false"},
    {"use_tpu", IS_BOOL, "false"},
    {"gpu_automatic_mixed_precision", IS_BOOL, "false"},
    {"cloud_mlengine", IS_BOOL, "false"},
    {"cloud_mlengine_master_type", 0, ""},
    {"autotune_objective", 0, ""},
    {"autotune_maximize", IS_BOOL, "true"},
    {"autotune_max_trials", 0, "10"},
    {"autotune_parallel_trials", 0, "1"},
    {"job_dir", 0, ""},
    {"gin_file", 0, ""},
    {"gin_params", 0, ""},
};

/* The flag's name with underscores, and the text behind '='; false when arg is no flag. */
static bool split_flag(const char *arg, char *name, size_t n, const char **value)
{
    const char *at = arg, *equals;
    size_t length;

    if (!t2_starts_with(arg, "-") || strcmp(arg, "-") == 0 || strcmp(arg, "--") == 0)
        return false;
    at += t2_starts_with(arg, "--") ? 2 : 1;
    equals = strchr(at, '=');
    length = equals ? (size_t) (equals - at) : strlen(at);
    if (length >= n)
        return false;
    for (size_t i = 0; i < length; i++)
        name[i] = at[i] == '-' ? '_' : at[i];
    name[length] = '\0';
    *value = equals ? equals + 1 : NULL;
    return true;
}

/* *negated: the argument was "--no<name>". */
static const struct foreign *find_foreign(const char *name, bool *negated)
{
    *negated = false;
    for (size_t i = 0; i < sizeof foreign_flags / sizeof *foreign_flags; i++)
        if (strcmp(name, foreign_flags[i].name) == 0)
            return &foreign_flags[i];
    *negated = true;
    for (size_t i = 0;
         t2_starts_with(name, "no") && i < sizeof foreign_flags / sizeof *foreign_flags; i++)
        if ((foreign_flags[i].kind & IS_BOOL) && strcmp(name + 2, foreign_flags[i].name) == 0)
            return &foreign_flags[i];
    return NULL;
}

static bool has_row(const struct t2_tool *tool, const char *name)
{
    for (size_t i = 0; i < tool->n_flags; i++)
        if (tool->flags[i].type != T2_FLAG_GROUP && strcmp(tool->flags[i].name, name) == 0)
            return true;
    return false;
}

/* True for the value that changes nothing. */
static bool is_off(const struct foreign *f, const char *value)
{
    bool wanted = false, given = false;
    double a, b;

    if (value[0] == '\0' || strcmp(value, "None") == 0)
        return true;
    if (f->kind & IS_BOOL)
        return t2_parse_bool(f->off, &wanted) && t2_parse_bool(value, &given) && wanted == given;
    if (t2_parse_double(f->off, &a) && t2_parse_double(value, &b))
        return a == b || (strcmp(f->name, "worker_gpu") == 0 && b == 1);
    return strcmp(f->off, value) == 0;
}

/* One foreign flag: passed over with a warning, silently accepted with the value that changes
 * nothing, or refused. */
static enum t2_status judge(const struct foreign *f, const char *value, struct t2_err *err)
{
    if (f->kind & ANY_VALUE) {
        t2_warn("--%s means nothing here and is passed over", f->name);
        return T2_OK;
    }
    if (is_off(f, value))
        return T2_OK;
    if (strcmp(f->name, "generate_data") == 0)
        return t2_fail(err, T2_EUNSUPPORTED,
                       "--generate_data is not supported: run t2t-datagen first");
    if (strcmp(f->name, "registry_help") == 0)
        return t2_fail(err, T2_EUNSUPPORTED, "--registry_help is a flag of t2t-trainer");
    if (t2_starts_with(f->name, "decode_"))
        return t2_fail(err, T2_EUNSUPPORTED, "--%s is a flag of t2t-decoder", f->name);
    return t2_fail(err, T2_EUNSUPPORTED, "--%s=%s is not supported yet", f->name, value);
}

enum t2_status tr_flags_take_foreign(const struct t2_tool *tool, int argc, char **argv,
                                     char ***kept, int *n_kept, struct t2_err *err)
{
    char **out = t2_alloc((size_t) argc + 1, sizeof(char *));
    enum t2_status st = T2_OK;
    int n = 0, i = 0;

    while (i < argc && st == T2_OK) {
        const struct foreign *f = NULL;
        const char *value = NULL;
        bool negated = false;
        char name[80];

        if (strcmp(argv[i], "--") == 0) /* ends flags */
            break;
        if (i > 0 && split_flag(argv[i], name, sizeof name, &value))
            f = find_foreign(name, &negated);
        if (!f || has_row(tool, f->name)) {
            out[n++] = argv[i++];
            continue;
        }
        i++;
        if (!value && (f->kind & IS_BOOL))
            value = negated ? "false" : "true";
        else if (!value)
            value = i < argc ? argv[i++] : "";
        st = judge(f, value, err);
    }
    while (i < argc && st == T2_OK)
        out[n++] = argv[i++];
    if (st != T2_OK) {
        t2_free(out);
        out = NULL;
    }
    *kept = out;
    *n_kept = n;
    return st;
}

/* ---- flag files ---- */

/* "" for a string that was not given. */
static void put_value(const struct t2_flag *f, struct t2_buf *b)
{
    switch (f->type) {
    case T2_FLAG_STRING:
    case T2_FLAG_OPTION:
        t2_buf_puts(b, *(const char **) f->value ? *(const char **) f->value : "");
        break;
    case T2_FLAG_INT:
        t2_buf_printf(b, "%" PRId64, *(const int64_t *) f->value);
        break;
    case T2_FLAG_DOUBLE:
        t2_buf_printf(b, "%.9g", *(const double *) f->value);
        break;
    case T2_FLAG_SIZE:
        t2_buf_printf(b, "%" PRIu64, *(const uint64_t *) f->value);
        break;
    case T2_FLAG_BOOL:
        t2_buf_puts(b, *(const bool *) f->value ? "True" : "False");
        break;
    case T2_FLAG_LIST:
    case T2_FLAG_GROUP:
        break;
    }
}

static bool not_given(const struct t2_flag *f)
{
    return (f->type == T2_FLAG_STRING || f->type == T2_FLAG_OPTION) && !*(const char **) f->value;
}

static void put_list(const struct t2_flag *f, struct t2_buf *b)
{
    const struct t2_strs *values = f->value;

    for (size_t i = 0; i < values->n; i++)
        t2_buf_printf(b, "--%s=%s\n", f->name, values->items[i]);
}

static void put_all(const struct t2_flag *flags, size_t n, struct t2_buf *b)
{
    for (size_t i = 0; i < n; i++) {
        const struct t2_flag *f = &flags[i];

        if (f->type == T2_FLAG_GROUP || not_given(f))
            continue;
        if (f->type == T2_FLAG_BOOL) {
            t2_buf_printf(b, "--%s%s\n", *(const bool *) f->value ? "" : "no", f->name);
            continue;
        }
        if (f->type == T2_FLAG_LIST) {
            put_list(f, b);
            continue;
        }
        t2_buf_printf(b, "--%s=", f->name);
        put_value(f, b);
        t2_buf_push(b, '\n');
    }
}

/* Rows that are in utils/flags.py, in its order. */
static void put_common(const struct t2_flag *flags, size_t n, struct t2_buf *b)
{
    static const char *const names[] = {"model",
                                        "hparams_set",
                                        "hparams",
                                        "problem",
                                        "data_dir",
                                        "train_steps",
                                        "eval_use_test_set",
                                        "keep_checkpoint_max",
                                        "save_checkpoints_secs",
                                        "local_eval_frequency"};

    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        for (size_t i = 0; i < n; i++) {
            if (flags[i].type == T2_FLAG_GROUP || strcmp(flags[i].name, names[k]) != 0)
                continue;
            t2_buf_printf(b, "%s--%s=", b->len_bytes > 0 ? "\n" : "", names[k]);
            if (not_given(&flags[i]))
                t2_buf_puts(b, "None");
            else
                put_value(&flags[i], b);
        }
}

static enum t2_status write_in(const char *dir, const char *name, const struct t2_buf *b,
                               struct t2_err *err)
{
    char *path = t2_path_join(dir, name);
    enum t2_status st = t2_write_file(path, b->data, b->len_bytes, err);

    t2_free(path);
    return st;
}

enum t2_status tr_flags_write(const char *output_dir, const struct t2_flag *flags, size_t n_flags,
                              struct t2_err *err)
{
    struct t2_buf all = {0}, common = {0};
    enum t2_status st;

    put_all(flags, n_flags, &all);
    put_common(flags, n_flags, &common);
    st = write_in(output_dir, "flags.txt", &all, err);
    if (st == T2_OK)
        st = write_in(output_dir, "flags_t2t.txt", &common, err);
    t2_buf_release(&all);
    t2_buf_release(&common);
    return st;
}
