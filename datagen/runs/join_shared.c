/*
 * datagen/runs/join_shared.c - counting what splits share when all shards are there.
 */
#include "datagen/runs/join_shared.h"

#include <string.h>

#include "base/json.h"
#include "base/json_copy.h"
#include "base/json_writer.h"
#include "datagen/passes/split_overlap.h"

static enum t2_status read_splits(const struct tfr_manifest *m, const char *data_dir,
                                  struct dg_hashes of_split[DG_N_SPLITS], struct t2_err *err)
{
    for (int split = 0; split < DG_N_SPLITS; split++) {
        const struct tfr_manifest_split *s = NULL;

        for (size_t i = 0; i < m->n_splits; i++) {
            if (strcmp(m->splits[i].name, dg_split_name((enum dg_split) split)) == 0)
                s = &m->splits[i];
        }
        if (s)
            T2_TRY(dg_hash_shards(s, data_dir, &of_split[split], err));
    }
    return T2_OK;
}

static enum t2_status write(const struct t2_json_value *root,
                            const struct dg_shared shared[DG_N_SHARED], struct t2_buf *text,
                            struct t2_err *err)
{
    const struct t2_json_value *value;
    struct t2_json j;

    t2_json_init(&j, text, 1);
    t2_json_object(&j);
    for (size_t i = 0; i < t2_json_size(root); i++) {
        const char *key = t2_json_member(root, i, &value);

        if (strcmp(key, "shared_samples") == 0) {
            if (dg_any_shared(shared))
                dg_shared_json(shared, &j);
            continue;
        }
        t2_json_key(&j, key);
        T2_TRY(t2_json_copy(&j, value, err));
    }
    t2_json_end_object(&j);
    t2_buf_push(text, '\n');
    return T2_OK;
}

enum t2_status dg_join_shared(const struct tfr_manifest *m, const char *data_dir,
                              struct t2_buf *text, struct t2_err *err)
{
    struct dg_hashes of_split[DG_N_SPLITS] = {{0}};
    struct dg_shared shared[DG_N_SHARED];
    struct t2_json_doc *doc = NULL;
    struct t2_buf joined = {0};
    enum t2_status st;

    T2_TRY(t2_json_parse(t2_buf_cstr(text), text->len_bytes, "the joined manifest", &doc, err));
    if (!t2_json_get(t2_json_root(doc), "shared_samples")) {
        t2_json_free(doc);
        return T2_OK;
    }
    st = read_splits(m, data_dir, of_split, err);
    dg_count_shared(of_split, shared);
    if (st == T2_OK)
        dg_report_shared(shared);
    if (st == T2_OK)
        st = write(t2_json_root(doc), shared, &joined, err);
    if (st == T2_OK) {
        t2_buf_clear(text);
        t2_buf_append(text, joined.data, joined.len_bytes);
    }
    for (int i = 0; i < DG_N_SPLITS; i++)
        dg_hashes_release(&of_split[i]);
    t2_buf_release(&joined);
    t2_json_free(doc);
    return st;
}
