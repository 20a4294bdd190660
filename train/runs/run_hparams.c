/*
 * train/runs/run_hparams.c - hparams of a run against those of its checkpoint, and hparams.json.
 *
 * A run continues with its own hparams; a different value is either free (no effect on what was
 * trained), allowed with --allow_hparams_change (rates, dropout, clipping), or never (shapes,
 * data).
 */
#include "train/runs/run_hparams.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/json_copy.h"
#include "base/log.h"
#include "base/str.h"
#include "train/models/layer_file.h"

/* ---- JSON values as text ---- */

/* Owned by the caller. */
static char *value_text(const struct t2_json_value *v)
{
    struct t2_err too_deep = T2_ERR_INIT;
    struct t2_buf b = {0};
    struct t2_json j;

    t2_json_init(&j, &b, 0);
    if (t2_json_copy(&j, v, &too_deep) != T2_OK) /* hparams are lists at most */
        t2_json_null(&j);
    return t2_buf_detach(&b);
}

/* The hparams as a document; owned by the caller. */
static enum t2_status as_json(const struct mdl_hparams *hp, struct t2_json_doc **doc,
                              struct t2_err *err)
{
    struct t2_buf b = {0};
    struct t2_json j;
    enum t2_status st;

    t2_json_init(&j, &b, 0);
    mdl_hparams_write_json(hp, &j);
    st = t2_json_parse(t2_buf_cstr(&b), b.len_bytes, "hparams", doc, err);
    t2_buf_release(&b);
    return st;
}

/* ---- what may change ---- */

enum change { CHANGE_FREE, CHANGE_ON_REQUEST, CHANGE_NEVER };

static enum change change_of(const char *name)
{
    static const char *const free_names[] = {"learning_rate_decay_steps",
                                             "learning_rate_cosine_cycle_steps",
                                             "eval_drop_long_sequences",
                                             "eval_run_autoregressive",
                                             "summarize_grads",
                                             "summarize_vars",
                                             "mlperf_mode",
                                             "sampling_method",
                                             "sampling_temp",
                                             "sampling_keep_top_k"};
    static const char *const request_names[] = {"clip_grad_norm", "label_smoothing", "weight_decay",
                                                "weight_noise", "grad_noise_scale"};

    for (size_t i = 0; i < sizeof free_names / sizeof *free_names; i++)
        if (strcmp(name, free_names[i]) == 0)
            return CHANGE_FREE;
    for (size_t i = 0; i < sizeof request_names / sizeof *request_names; i++)
        if (strcmp(name, request_names[i]) == 0)
            return CHANGE_ON_REQUEST;
    if (t2_starts_with(name, "learning_rate") || t2_starts_with(name, "optimizer_adam_") ||
        t2_starts_with(name, "optimizer_momentum_") || t2_ends_with(name, "dropout"))
        return CHANGE_ON_REQUEST;
    return CHANGE_NEVER;
}

struct difference {
    const char *name;
    char *old, *now;
};

/* Differences of two documents, in the order of the new one; owned by the caller. */
static size_t differences(const struct t2_json_value *old, const struct t2_json_value *now,
                          struct difference **list)
{
    size_t n = 0;

    *list = t2_alloc(t2_json_size(now) + t2_json_size(old), sizeof **list);
    for (size_t i = 0; i < t2_json_size(now); i++) {
        const struct t2_json_value *value;
        const char *name = t2_json_member(now, i, &value);
        struct difference d = {name, value_text(t2_json_get(old, name)), value_text(value)};

        if (strcmp(d.old, d.now) != 0) {
            (*list)[n++] = d;
        } else {
            t2_free(d.old);
            t2_free(d.now);
        }
    }
    /* an hparam that only this program has, given then and not now */
    for (size_t i = 0; i < t2_json_size(old); i++) {
        const struct t2_json_value *value;
        const char *name = t2_json_member(old, i, &value);

        if (!t2_json_get(now, name))
            (*list)[n++] = (struct difference){name, value_text(value), t2_strdup("not given")};
    }
    return n;
}

static void name_some(const struct difference *list, size_t n, enum change from,
                      struct t2_buf *text)
{
    size_t named = 0, more = 0;

    for (size_t i = 0; i < n; i++) {
        if (change_of(list[i].name) < from)
            continue;
        if (named == 3) {
            more++;
            continue;
        }
        t2_buf_printf(text, "%s%s is %s, in the run it is %s", named++ > 0 ? "; " : "",
                      list[i].name, list[i].now, list[i].old);
    }
    if (more > 0)
        t2_buf_printf(text, "; and %zu more", more);
}

static enum t2_status judge(const struct difference *list, size_t n, bool allow_change,
                            struct t2_err *err)
{
    enum change worst = CHANGE_FREE;
    struct t2_buf text = {0};
    enum t2_status st = T2_OK;

    for (size_t i = 0; i < n; i++)
        if (change_of(list[i].name) > worst)
            worst = change_of(list[i].name);
    if (worst == CHANGE_NEVER) {
        name_some(list, n, CHANGE_NEVER, &text);
        st = t2_fail(err, T2_EUSAGE,
                     "a run continues with its own hparams, but %s: leave --hparams_set and "
                     "--hparams out, or give another --output_dir",
                     t2_buf_cstr(&text));
    } else if (worst == CHANGE_ON_REQUEST && !allow_change) {
        name_some(list, n, CHANGE_ON_REQUEST, &text);
        st = t2_fail(err, T2_EUSAGE,
                     "a run continues with its own hparams, but %s: leave --hparams_set and "
                     "--hparams out, or say --allow_hparams_change",
                     t2_buf_cstr(&text));
    } else {
        for (size_t i = 0; i < n; i++)
            t2_info("the run continues with %s=%s instead of %s", list[i].name, list[i].now,
                    list[i].old);
    }
    t2_buf_release(&text);
    return st;
}

static enum t2_status compare(const struct mdl_hparams *old, const struct mdl_hparams *now,
                              bool allow_change, struct t2_err *err)
{
    struct t2_json_doc *a = NULL, *b = NULL;
    struct difference *list;
    enum t2_status st;
    size_t n;

    T2_GOTO(st, out, as_json(old, &a, err));
    T2_GOTO(st, out, as_json(now, &b, err));
    n = differences(t2_json_root(a), t2_json_root(b), &list);
    st = judge(list, n, allow_change, err);
    for (size_t i = 0; i < n; i++) {
        t2_free(list[i].old);
        t2_free(list[i].now);
    }
    t2_free(list);
out:
    t2_json_free(a);
    t2_json_free(b);
    return st;
}

/* A set with the parameters of a layer file. */
static enum t2_status new_set(const char *set, const char *layers, const struct mdl_hparams *old,
                              struct mdl_hparams **hp, struct t2_err *err)
{
    const char *text = !layers && old ? mdl_hp_string(old, "layer_file") : layers;

    T2_TRY(mdl_hparams_new(set, hp, err));
    if (!text || text[0] == '\0')
        return T2_OK;
    return mdl_layer_file_declare(text, "layer file", *hp, err);
}

enum t2_status tr_hparams_choose(const char *set, const char *layers, const char *overrides,
                                 const struct mdl_hparams *old, bool allow_change,
                                 struct mdl_hparams **hp, struct t2_err *err)
{
    struct mdl_hparams *chosen = NULL;
    enum t2_status st = T2_OK;

    *hp = NULL;
    if (!set && !old)
        return t2_fail(err, T2_EUSAGE,
                       "--hparams_set is missing; for example --hparams_set=transformer_base");
    if (set)
        T2_GOTO(st, out, new_set(set, layers, old, &chosen, err));
    else
        chosen = mdl_hparams_copy(old);
    if (overrides)
        T2_GOTO(st, out, mdl_hparams_override(chosen, overrides, err));
    if (old)
        T2_GOTO(st, out, compare(old, chosen, allow_change, err));
    *hp = chosen;
    return T2_OK;
out:
    mdl_hparams_free(chosen);
    return st;
}

/* ---- hparams.json ---- */

struct entry {
    const char *key;
    char *json;
};

static int by_key(const void *a, const void *b)
{
    return strcmp(((const struct entry *) a)->key, ((const struct entry *) b)->key);
}

/* A float has a point or an exponent, as Python writes it. */
static char *with_point(char *json)
{
    char *longer;

    if (strpbrk(json, ".enI")) /* 1e-9, null, NaN, Infinity */
        return json;
    longer = t2_asprintf("%s.0", json);
    t2_free(json);
    return longer;
}

/* As Python's json.dumps(..., sort_keys=True, indent=0). */
static void write_entries(const struct entry *entries, size_t n, struct t2_buf *out)
{
    t2_buf_puts(out, "{");
    for (size_t i = 0; i < n; i++)
        t2_buf_printf(out, "%s\n\"%s\": %s", i > 0 ? "," : "", entries[i].key, entries[i].json);
    t2_buf_puts(out, "\n}");
}

enum t2_status tr_hparams_write(const char *output_dir, const struct mdl_hparams *hp,
                                const struct tr_runtime_entry *extra, size_t n_extra,
                                struct t2_err *err)
{
    char *path = t2_path_join(output_dir, "hparams.json");
    struct t2_json_doc *doc = NULL;
    struct entry *entries = NULL;
    struct t2_buf text = {0};
    enum t2_status st;
    size_t n = 0, n_hparams;

    T2_GOTO(st, out, as_json(hp, &doc, err));
    n_hparams = t2_json_size(t2_json_root(doc));
    entries = t2_alloc(n_hparams + n_extra, sizeof *entries);
    for (; n < n_hparams; n++) {
        const struct t2_json_value *value;

        entries[n].key = t2_json_member(t2_json_root(doc), n, &value);
        entries[n].json = value_text(value);
        if (mdl_hp_type_of(hp, entries[n].key) == MDL_HP_FLOAT)
            entries[n].json = with_point(entries[n].json);
    }
    for (size_t i = 0; i < n_extra; i++)
        entries[n++] = (struct entry){extra[i].key, t2_strdup(extra[i].json)};
    qsort(entries, n, sizeof *entries, by_key);
    write_entries(entries, n, &text);
    st = t2_write_file(path, text.data, text.len_bytes, err);
out:
    for (size_t i = 0; i < n; i++)
        t2_free(entries[i].json);
    t2_free(entries);
    t2_buf_release(&text);
    t2_json_free(doc);
    t2_free(path);
    return st;
}
