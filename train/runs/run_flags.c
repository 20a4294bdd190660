/*
 * train/runs/run_flags.c - flag files.
 */
#include "train/runs/run_flags.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/str.h"

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

static void put_list(const struct t2_flag *f, struct t2_strs *lines)
{
    const struct t2_strs *values = f->value;

    for (size_t i = 0; i < values->n; i++)
        t2_strs_printf(lines, "--%s=%s", f->name, values->items[i]);
}

void tr_flags_put(const struct t2_flag *f, struct t2_strs *lines)
{
    struct t2_buf value = {0};

    if (f->type == T2_FLAG_GROUP || not_given(f))
        return;
    if (f->type == T2_FLAG_BOOL) {
        t2_strs_printf(lines, "--%s%s", *(const bool *) f->value ? "" : "no", f->name);
    } else if (f->type == T2_FLAG_LIST) {
        put_list(f, lines);
    } else {
        put_value(f, &value);
        t2_strs_printf(lines, "--%s=%s", f->name, t2_buf_cstr(&value));
    }
    t2_buf_release(&value);
}

static void put_all(const struct t2_flag *flags, size_t n, struct t2_buf *b)
{
    struct t2_strs lines = {0};

    for (size_t i = 0; i < n; i++)
        tr_flags_put(&flags[i], &lines);
    for (size_t i = 0; i < lines.n; i++)
        t2_buf_printf(b, "%s\n", lines.items[i]);
    t2_strs_release(&lines);
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
