/*
 * datagen/sets/manifest_write.c - writing a manifest.
 *
 * Nothing in it depends on time, machine or number of threads: the same work gives the same bytes.
 */
#include "datagen/sets/manifest_write.h"

#include "base/file.h"
#include "base/hash.h"
#include "base/json_writer.h"

void dg_manifest_hash_data(struct dg_manifest *m)
{
    struct t2_sha256 *h = t2_sha256_new();

    for (size_t split = 0; split < DG_N_SPLITS; split++)
        tfr_manifest_hash_split(h, &m->splits[split]);
    if (m->has_inputs && m->inputs_vocab.file)
        tfr_manifest_hash_file(h, m->inputs_vocab.sha256, m->inputs_vocab.file);
    if (m->targets_vocab.file)
        tfr_manifest_hash_file(h, m->targets_vocab.sha256, m->targets_vocab.file);
    t2_sha256_peek(h, m->data_sha256);
    t2_sha256_free(h);
}

static void write_inputs(struct t2_json *j, const struct dg_scan *scan)
{
    t2_json_key(j, "inputs");
    t2_json_array(j);
    for (size_t split = 0; split < DG_N_SPLITS; split++) {
        for (size_t i = 0; i < scan->files[split].n; i++) {
            const struct dg_input_file *f = &scan->files[split].items[i];
            t2_json_object(j);
            t2_json_kv_string(j, "split", dg_split_name((enum dg_split) split));
            t2_json_kv_string(j, "role", f->role);
            t2_json_kv_string(j, "path", f->path);
            t2_json_kv_u64(j, "bytes", f->bytes);
            t2_json_kv_u64(j, "lines", f->lines);
            t2_json_kv_string(j, "sha256", f->sha256);
            t2_json_end_object(j);
        }
    }
    t2_json_end_array(j);
}

static void write_labels(struct t2_json *j, const struct t2_strs *labels)
{
    t2_json_key(j, "labels");
    t2_json_array(j);
    for (size_t i = 0; i < labels->n; i++)
        t2_json_string(j, labels->items[i]);
    t2_json_end_array(j);
}

static void write_vocab(struct t2_json *j, const char *side, const struct dg_vocab_info *v)
{
    t2_json_key(j, side);
    t2_json_object(j);
    t2_json_kv_string(j, "kind", dg_vocab_kind_name(v->kind));
    t2_json_key(j, "file");
    if (v->file)
        t2_json_string(j, v->file);
    else
        t2_json_null(j);
    t2_json_kv_i64(j, "size", v->size);
    t2_json_kv_string(j, "sha256", v->sha256);
    if (v->kind == DG_VOCAB_MODEL) {
        t2_json_kv_string(j, "model", v->model);
        t2_json_kv_i64(j, "id_offset", v->id_offset);
    }
    if (v->kind == DG_VOCAB_NUMBERS)
        t2_json_kv_i64(j, "id_offset", v->id_offset);
    if (v->oov_token)
        t2_json_kv_string(j, "oov_token", v->oov_token);
    if (v->is_label && v->kind != DG_VOCAB_CLASSES)
        t2_json_kv_bool(j, "is_label", true);
    if (v->labels.n > 0)
        write_labels(j, &v->labels);
    t2_json_end_object(j);
}

static void write_splits(struct t2_json *j, const struct dg_manifest *m)
{
    t2_json_key(j, "splits");
    t2_json_object(j);
    for (size_t split = 0; split < DG_N_SPLITS; split++) {
        if (m->splits[split].n_shards > 0)
            tfr_manifest_put_split(j, dg_split_name((enum dg_split) split), &m->splits[split]);
    }
    t2_json_end_object(j);
}

static void write_text_files(struct t2_json *j, const struct dg_manifest_notes *notes)
{
    t2_json_key(j, "text_files");
    t2_json_array(j);
    for (size_t i = 0; i < notes->n_text_files; i++) {
        const struct dg_text_file *f = &notes->text_files[i];
        t2_json_object(j);
        t2_json_kv_string(j, "split", dg_split_name(f->split));
        t2_json_kv_string(j, "side", f->side == DG_INPUTS ? "inputs" : "targets");
        t2_json_kv_string(j, "file", f->file);
        t2_json_kv_u64(j, "bytes", f->bytes);
        t2_json_kv_string(j, "sha256", f->sha256);
        t2_json_end_object(j);
    }
    t2_json_end_array(j);
}

/* Texts with bytes that are not UTF-8, where they were replaced. */
static void write_replaced(struct t2_json *j, const struct dg_scan *scan)
{
    if (scan->n_replaced[DG_TRAIN] + scan->n_replaced[DG_DEV] + scan->n_replaced[DG_TEST] == 0)
        return;
    t2_json_key(j, "replaced_utf8");
    t2_json_object(j);
    for (size_t split = 0; split < DG_N_SPLITS; split++)
        t2_json_kv_u64(j, dg_split_name((enum dg_split) split), scan->n_replaced[split]);
    t2_json_end_object(j);
}

void dg_manifest_put_drops(const struct dg_scan *scan, bool of_task, struct t2_json *j)
{
    uint64_t total = 0;

    for (size_t split = 0; split < DG_N_SPLITS; split++)
        total += scan->drops[split].total;
    t2_json_key(j, "dropped");
    t2_json_object(j);
    t2_json_kv_u64(j, "total", total);
    if (of_task)
        t2_json_kv_bool(j, "of_task", true);
    t2_json_key(j, "reasons");
    t2_json_array(j);
    for (size_t split = 0; split < DG_N_SPLITS; split++)
        dg_drops_json(&scan->drops[split], dg_split_name((enum dg_split) split), j);
    t2_json_end_array(j);
    t2_json_end_object(j);
    write_replaced(j, scan);
}

enum t2_status dg_manifest_write(const char *path, const struct dg_manifest *m,
                                 const struct dg_manifest_notes *notes, struct t2_err *err)
{
    struct t2_buf text = {0};
    struct t2_json j;
    enum t2_status st;

    t2_json_init(&j, &text, 1);
    t2_json_object(&j);
    t2_json_kv_string(&j, "format", "t2t.c data set");
    t2_json_kv_i64(&j, "format_version", 1);
    t2_json_kv_string(&j, "problem", m->problem);
    t2_json_kv_string(&j, "dataset_filename", m->dataset_filename);
    t2_json_kv_string(&j, "version", m->version);
    t2_json_kv_string(&j, "command", m->command);
    t2_json_kv_u64(&j, "random_seed", m->random_seed);
    t2_json_kv_bool(&j, "has_inputs", m->has_inputs);
    t2_json_kv_i64(&j, "input_space_id", m->input_space_id);
    t2_json_kv_i64(&j, "target_space_id", m->target_space_id);
    if (m->context_separator)
        t2_json_kv_i64(&j, "context_separator", m->context_separator);
    dg_made_from_write(notes->made_from, "made_from", &j);
    write_inputs(&j, notes->scan);
    t2_json_key(&j, "vocabularies");
    t2_json_object(&j);
    if (m->has_inputs)
        write_vocab(&j, "inputs", &m->inputs_vocab);
    write_vocab(&j, "targets", &m->targets_vocab);
    t2_json_end_object(&j);
    dg_made_from_write(notes->vocab_origin, "vocab_origin", &j);
    tfr_manifest_put_features(&j, m->features, m->n_features);
    write_splits(&j, m);
    write_text_files(&j, notes);
    dg_manifest_put_drops(notes->scan, notes->drops_of_task, &j);
    if (notes->shared && (notes->shared_of_task || dg_any_shared(notes->shared)))
        dg_shared_json(notes->shared, &j);
    t2_json_kv_string(&j, "data_sha256", m->data_sha256);
    t2_json_end_object(&j);
    t2_buf_push(&text, '\n');
    st = t2_write_file(path, text.data, text.len_bytes, err);
    t2_buf_release(&text);
    return st;
}
