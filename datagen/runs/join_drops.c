/*
 * datagen/runs/join_drops.c - what each task left out by itself, in one report.
 */
#include "datagen/runs/join_drops.h"

#include <string.h>

#include "base/json_copy.h"
#include "datagen/sets/manifest_write.h"
#include "datagen/source/drop_report.h"

static bool is_of_task(const struct t2_json_value *root)
{
    return t2_json_as_bool(t2_json_get(t2_json_get(root, "dropped"), "of_task"), false);
}

static enum t2_status add_part(const struct tfr_manifest *part, struct dg_scan *sum,
                               struct t2_err *err)
{
    const struct t2_json_value *root = t2_json_root(part->doc);
    const struct t2_json_value *reasons = t2_json_get(t2_json_get(root, "dropped"), "reasons");
    const struct t2_json_value *replaced = t2_json_get(root, "replaced_utf8");

    for (size_t split = 0; split < DG_N_SPLITS; split++) {
        const char *name = dg_split_name((enum dg_split) split);
        struct dg_drops drops = {.n = 0};
        for (size_t i = 0; i < t2_json_size(reasons); i++) {
            const struct t2_json_value *one = t2_json_item(reasons, i);
            if (strcmp(t2_json_as_string(t2_json_get(one, "split"), ""), name) == 0)
                T2_TRY(dg_drops_take(one, part->path, &drops, err));
        }
        dg_drops_join(&sum->drops[split], &drops);
        sum->n_replaced[split] += (uint64_t) t2_json_as_i64(t2_json_get(replaced, name), 0);
    }
    return T2_OK;
}

static enum t2_status write(const struct t2_json_value *root, const struct dg_scan *sum,
                            struct t2_buf *text, struct t2_err *err)
{
    const struct t2_json_value *value;
    struct t2_json j;

    t2_json_init(&j, text, 1);
    t2_json_object(&j);
    for (size_t i = 0; i < t2_json_size(root); i++) {
        const char *key = t2_json_member(root, i, &value);
        if (strcmp(key, "replaced_utf8") == 0)
            continue;
        if (strcmp(key, "dropped") == 0) {
            dg_manifest_put_drops(sum, false, &j);
            continue;
        }
        t2_json_key(&j, key);
        T2_TRY(t2_json_copy(&j, value, err));
    }
    t2_json_end_object(&j);
    t2_buf_push(text, '\n');
    return T2_OK;
}

enum t2_status dg_join_drops(struct tfr_manifest *const *parts, size_t n, struct t2_buf *text,
                             struct t2_err *err)
{
    struct dg_scan sum = {.n_samples = {0}};
    struct t2_json_doc *doc = NULL;
    struct t2_buf joined = {0};
    enum t2_status st;

    T2_TRY(t2_json_parse(t2_buf_cstr(text), text->len_bytes, "the joined manifest", &doc, err));
    st = T2_OK;
    if (is_of_task(t2_json_root(doc))) {
        for (size_t i = 0; i < n && st == T2_OK; i++)
            st = add_part(parts[i], &sum, err);
        if (st == T2_OK)
            st = write(t2_json_root(doc), &sum, &joined, err);
        t2_buf_clear(text);
        t2_buf_append(text, joined.data, joined.len_bytes);
    }
    dg_scan_release(&sum);
    t2_buf_release(&joined);
    t2_json_free(doc);
    return st;
}
