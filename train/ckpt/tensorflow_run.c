/*
 * train/ckpt/tensorflow_run.c - folders of Tensor2Tensor's trainer and of the official models.
 */
#include "train/ckpt/tensorflow_run.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/json.h"
#include "base/str.h"

enum { MAX_FLAGS_BYTES = 1 << 20 };

/* ---- names ---- */

/* Digits behind `before` in name, and what follows them; NULL when it is no such name. */
static const char *digits_behind(const char *name, const char *before, int64_t *step)
{
    const char *digits = name + strlen(before);
    size_t n;
    char *number;
    bool ok;

    if (!t2_starts_with(name, before) || (n = strspn(digits, "0123456789")) == 0)
        return NULL;
    number = t2_strndup(digits, n);
    ok = t2_parse_i64(number, step) && (digits[0] != '0' || n == 1);
    t2_free(number);
    return ok ? digits + n : NULL;
}

int64_t ckpt_tf_step_of_name(const char *name)
{
    const char *rest;
    int64_t step, count;

    if ((rest = digits_behind(name, "model.ckpt-", &step)) && strcmp(rest, ".index") == 0)
        return step;
    if ((rest = digits_behind(name, "ckpt-", &step)) && strcmp(rest, ".index") == 0)
        return step;
    if ((rest = digits_behind(name, "ctl_step_", &step)) &&
        (rest = digits_behind(rest, ".ckpt-", &count)) && strcmp(rest, ".index") == 0)
        return step;
    return -1;
}

char *ckpt_tf_prefix(const char *output_dir, int64_t step)
{
    struct t2_err ignored = T2_ERR_INIT;
    struct t2_strs names = {0};
    char *prefix = NULL;

    if (t2_list_dir(output_dir, &names, &ignored) == T2_OK)
        for (size_t i = 0; i < names.n && !prefix; i++)
            if (ckpt_tf_step_of_name(names.items[i]) == step) {
                prefix = t2_path_join(output_dir, names.items[i]);
                prefix[strlen(prefix) - strlen(".index")] = '\0';
            }
    t2_strs_release(&names);
    return prefix;
}

/* ---- flags ---- */

/* A line "--name=value" gives its value, unless `to` has one, the value does not fit or is None. */
static void take_flag(const char *line, const char *name, char *to, size_t to_bytes)
{
    char *start = t2_asprintf("--%s=", name);
    const char *value = line + strlen(start);

    if (t2_starts_with(line, start) && to[0] == '\0' && strlen(value) < to_bytes &&
        strcmp(value, "None") != 0)
        memcpy(to, value, strlen(value) + 1);
    t2_free(start);
}

/* The file may be absent. */
static enum t2_status read_flags(const char *output_dir, const char *name, struct ckpt_state *s,
                                 struct t2_err *err)
{
    char *path = t2_path_join(output_dir, name), seed[32] = "";
    struct t2_strs lines = {0};
    struct t2_buf text = {0};
    enum t2_status st = T2_OK;

    if (t2_exists(path))
        st = t2_read_file(path, MAX_FLAGS_BYTES, &text, err);
    if (st == T2_OK)
        t2_strs_split(&lines, t2_buf_cstr(&text), '\n');
    for (size_t i = 0; i < lines.n; i++) {
        take_flag(lines.items[i], "model", s->model, sizeof s->model);
        take_flag(lines.items[i], "hparams_set", s->hparams_set, sizeof s->hparams_set);
        take_flag(lines.items[i], "problem", s->problem, sizeof s->problem);
        take_flag(lines.items[i], "random_seed", seed, sizeof seed);
    }
    if (seed[0] != '\0' && !t2_parse_u64(seed, &s->seed))
        s->seed = 0;
    t2_strs_release(&lines);
    t2_buf_release(&text);
    t2_free(path);
    return st;
}

/* ---- hparams ---- */

enum t2_status ckpt_tf_hparams(const char *output_dir, const char *set, struct mdl_hparams **hp,
                               struct t2_err *err)
{
    char *path = t2_path_join(output_dir, "hparams.json");
    struct mdl_hparams *made = NULL;
    struct t2_json_doc *doc = NULL;
    enum t2_status st = T2_OK;

    *hp = NULL;
    if (!t2_exists(path))
        goto out;
    T2_GOTO(st, out, t2_json_load(path, &doc, err));
    T2_GOTO(st, out, mdl_hparams_new(set, &made, err));
    st = mdl_hparams_read_json(made, t2_json_root(doc), err);
    if (st != T2_OK)
        t2_wrap(err, "'%s'", path);
out:
    if (st == T2_OK)
        *hp = made;
    else
        mdl_hparams_free(made);
    t2_json_free(doc);
    t2_free(path);
    return st;
}

enum t2_status ckpt_tf_record_read(const char *output_dir, int64_t step, struct ckpt_record *record,
                                   struct mdl_hparams **hp, struct t2_err *err)
{
    struct ckpt_state *s = &record->state;

    memset(record, 0, sizeof *record);
    if (hp)
        *hp = NULL;
    s->step = step;
    s->of_tensorflow = true;
    T2_TRY(read_flags(output_dir, "flags_t2t.txt", s, err));
    T2_TRY(read_flags(output_dir, "flags.txt", s, err));
    if (hp && s->hparams_set[0] != '\0')
        return ckpt_tf_hparams(output_dir, s->hparams_set, hp, err);
    return T2_OK;
}
