/*
 * train/exchange/ctranslate2.c - folders for CTranslate2 (TransformerSpec, revision 7).
 *
 * model.bin: binary version (u32), name of the spec, its revision (u32), number of variables (u32);
 * of each its name, rank (u8), dimensions (u32), type (u8: 0 float32, 1 int8, 2 int16), bytes
 * (u32), data; number of aliases (u32); of each its name and that of a variable.  A name is its
 * length with the NUL (u16), bytes, NUL.  All little-endian.
 *
 * What differs from Tensor2Tensor: kernels are [out, in]; queries, keys and values are one kernel;
 * the first step of the decoder reads zeros (start_from_zero_embedding); positions are a table,
 * which takes the target space in the encoder.  Both scale queries and embeddings.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/json_writer.h"
#include "base/str.h"
#include "train/exchange/exchange.h"
#include "train/exchange/plain_transformer.h"

enum { BINARY_VERSION = 6, REVISION = 7, POSITIONS = 2048, NAME_BYTES = 256 };
enum { TYPE_FLOAT32 = 0, TYPE_INT8 = 1, TYPE_INT16 = 2 };

struct writer {
    const struct xch_model *m;
    struct t2_buf bytes; /* the variables */
    uint32_t n;
};

/* ---- model.bin ---- */

static void put(struct t2_buf *b, uint64_t v, int n_bytes)
{
    for (int i = 0; i < n_bytes; i++)
        t2_buf_push(b, (uint8_t) (v >> 8 * i));
}

static void put_name(struct t2_buf *b, const char *name)
{
    size_t n = strlen(name) + 1;

    put(b, n, 2);
    t2_buf_append(b, name, n);
}

static void put_variable(struct writer *w, const char *name, int rank, const int64_t *dims,
                         int type, const void *data, size_t n_bytes)
{
    put_name(&w->bytes, name);
    put(&w->bytes, (uint64_t) rank, 1);
    for (int i = 0; i < rank; i++)
        put(&w->bytes, (uint64_t) dims[i], 4);
    put(&w->bytes, (uint64_t) type, 1);
    put(&w->bytes, n_bytes, 4);
    t2_buf_append(&w->bytes, data, n_bytes);
    w->n++;
}

static void put_flag(struct writer *w, const char *name, int8_t value)
{
    put_variable(w, name, 0, NULL, TYPE_INT8, &value, 1);
}

static void put_count(struct writer *w, const char *name, int16_t value)
{
    put_variable(w, name, 0, NULL, TYPE_INT16, &value, sizeof value);
}

static void put_floats(struct writer *w, const char *name, int64_t rows, int64_t columns,
                       const float *values)
{
    const int64_t dims[] = {rows, columns};
    int rank = columns > 0 ? 2 : 1;

    put_variable(w, name, rank, dims, TYPE_FLOAT32, values,
                 (size_t) (rows * (columns > 0 ? columns : 1)) * sizeof *values);
}

/* Our variable as theirs, as it is. */
static enum t2_status copy(struct writer *w, const char *ours, const char *theirs,
                           struct t2_err *err)
{
    const struct gr_param *p;
    float *values;

    T2_TRY(xch_parameter(w->m, ours, &values, &p, err));
    put_floats(w, theirs, p->dims[0], p->rank > 1 ? p->dims[1] : 0, values);
    t2_free(values);
    return T2_OK;
}

/* n kernels [in, out] below `scope`, one behind the other as rows of [out, in]. */
static enum t2_status put_kernels(struct writer *w, const char *scope, const char *const *names,
                                  size_t n, const char *theirs, struct t2_err *err)
{
    float *all = NULL;
    int64_t n_in = 0, n_rows = 0;

    for (size_t k = 0; k < n; k++) {
        char *name = t2_asprintf("%s/%s/kernel", scope, names[k]);
        const struct gr_param *p;
        float *values;
        enum t2_status st = xch_parameter(w->m, name, &values, &p, err);

        t2_free(name);
        if (st != T2_OK) {
            t2_free(all);
            return st;
        }
        n_in = p->dims[0];
        all = t2_realloc(all, (size_t) ((n_rows + p->dims[1]) * n_in), sizeof *all);
        for (int64_t o = 0; o < p->dims[1]; o++)
            for (int64_t i = 0; i < n_in; i++)
                all[(n_rows + o) * n_in + i] = values[i * p->dims[1] + o];
        n_rows += p->dims[1];
        t2_free(values);
    }
    put_floats(w, theirs, n_rows, n_in, all);
    t2_free(all);
    return T2_OK;
}

static enum t2_status put_norm(struct writer *w, const char *scope, const char *theirs,
                               struct t2_err *err)
{
    char ours[NAME_BYTES], name[NAME_BYTES];

    snprintf(ours, sizeof ours, "%.150s/layer_prepostprocess/layer_norm/layer_norm_scale", scope);
    snprintf(name, sizeof name, "%.150s/gamma", theirs);
    T2_TRY(copy(w, ours, name, err));
    snprintf(ours, sizeof ours, "%.150s/layer_prepostprocess/layer_norm/layer_norm_bias", scope);
    snprintf(name, sizeof name, "%.150s/beta", theirs);
    return copy(w, ours, name, err);
}

/* cross: queries in one kernel, keys and values in the next. */
static enum t2_status put_attention(struct writer *w, const char *scope, const char *theirs,
                                    bool cross, struct t2_err *err)
{
    static const char *const all[] = {"q", "k", "v"}, *const out[] = {"output_transform"};
    char inner[NAME_BYTES], name[NAME_BYTES];

    snprintf(inner, sizeof inner, "%.150s/multihead_attention", scope);
    snprintf(name, sizeof name, "%.150s/layer_norm", theirs);
    T2_TRY(put_norm(w, scope, name, err));
    snprintf(name, sizeof name, "%.150s/linear_0/weight", theirs);
    T2_TRY(put_kernels(w, inner, all, cross ? 1 : 3, name, err));
    if (cross) {
        snprintf(name, sizeof name, "%.150s/linear_1/weight", theirs);
        T2_TRY(put_kernels(w, inner, all + 1, 2, name, err));
    }
    snprintf(name, sizeof name, "%.150s/linear_%d/weight", theirs, cross ? 2 : 1);
    return put_kernels(w, inner, out, 1, name, err);
}

static enum t2_status put_ffn(struct writer *w, const char *scope, const char *theirs,
                              struct t2_err *err)
{
    static const char *const layers[] = {"conv1", "conv2"};
    char ours[NAME_BYTES], name[NAME_BYTES];

    snprintf(name, sizeof name, "%.150s/layer_norm", theirs);
    T2_TRY(put_norm(w, scope, name, err));
    for (int i = 0; i < 2; i++) {
        snprintf(name, sizeof name, "%.150s/linear_%d/weight", theirs, i);
        T2_TRY(put_kernels(w, scope, layers + i, 1, name, err));
        snprintf(ours, sizeof ours, "%.150s/%.20s/bias", scope, layers[i]);
        snprintf(name, sizeof name, "%.150s/linear_%d/bias", theirs, i);
        T2_TRY(copy(w, ours, name, err));
    }
    return T2_OK;
}

static enum t2_status put_positions(struct writer *w, bool encoder, const char *theirs,
                                    struct t2_err *err)
{
    float *table;

    T2_TRY(xch_plain_positions(w->m, encoder, POSITIONS, &table, err));
    put_floats(w, theirs, POSITIONS, mdl_hp_int(w->m->hp, "hidden_size"), table);
    t2_free(table);
    return T2_OK;
}

/* Without the rows that no id reaches. */
static enum t2_status put_table(struct writer *w, enum xch_table use, int32_t vocab,
                                const char *theirs, struct t2_err *err)
{
    float *values;
    int64_t rows;

    T2_TRY(xch_plain_symbols(w->m, use, &rows, &values, err));
    put_floats(w, theirs, vocab, mdl_hp_int(w->m->hp, "hidden_size"), values);
    t2_free(values);
    return T2_OK;
}

static enum t2_status put_stack(struct writer *w, bool encoder, struct t2_err *err)
{
    const char *side = encoder ? "encoder" : "decoder";
    int64_t n = xch_plain_layers(w->m, encoder);
    char ours[NAME_BYTES], theirs[NAME_BYTES];

    snprintf(theirs, sizeof theirs, "%.150s/num_heads", side);
    put_count(w, theirs, (int16_t) mdl_hp_int(w->m->hp, "num_heads"));
    snprintf(theirs, sizeof theirs, "%.150s/pre_norm", side);
    put_flag(w, theirs, 1);
    snprintf(theirs, sizeof theirs, "%.150s/activation", side);
    put_flag(w, theirs, 0);
    snprintf(theirs, sizeof theirs, "%.150s/scale_embeddings", side);
    put_flag(w, theirs, 1);
    snprintf(theirs, sizeof theirs, "%.150s/position_encodings/encodings", side);
    T2_TRY(put_positions(w, encoder, theirs, err));
    snprintf(ours, sizeof ours, "transformer/body/%s", side);
    snprintf(theirs, sizeof theirs, "%.150s/layer_norm", side);
    T2_TRY(put_norm(w, ours, theirs, err));
    for (int64_t i = 0; i < n; i++) {
        snprintf(ours, sizeof ours, "transformer/body/%s/layer_%" PRId64 "/self_attention", side,
                 i);
        snprintf(theirs, sizeof theirs, "%.150s/layer_%" PRId64 "/self_attention", side, i);
        T2_TRY(put_attention(w, ours, theirs, false, err));
        snprintf(ours, sizeof ours, "transformer/body/%s/layer_%" PRId64 "/encdec_attention", side,
                 i);
        snprintf(theirs, sizeof theirs, "%.150s/layer_%" PRId64 "/attention", side, i);
        if (!encoder)
            T2_TRY(put_attention(w, ours, theirs, true, err));
        snprintf(ours, sizeof ours, "transformer/body/%s/layer_%" PRId64 "/ffn", side, i);
        snprintf(theirs, sizeof theirs, "%.150s/layer_%" PRId64 "/ffn", side, i);
        T2_TRY(put_ffn(w, ours, theirs, err));
    }
    return T2_OK;
}

static enum t2_status put_model(struct writer *w, struct t2_err *err)
{
    const struct mdl_problem *p = w->m->problem;

    T2_TRY(put_stack(w, true, err));
    T2_TRY(put_stack(w, false, err));
    put_flag(w, "encoder/embeddings_merge", 0);
    put_count(w, "decoder/alignment_layer", -1);
    put_count(w, "decoder/alignment_heads", 1);
    put_flag(w, "decoder/start_from_zero_embedding", 1);
    T2_TRY(put_table(w, XCH_INPUTS, p->inputs_vocab, "encoder/embeddings_0/weight", err));
    T2_TRY(put_table(w, XCH_TARGETS, p->targets_vocab, "decoder/embeddings/weight", err));
    return put_table(w, XCH_SOFTMAX, p->targets_vocab, "decoder/projection/weight", err);
}

static enum t2_status write_model(struct writer *w, const char *path, struct t2_err *err)
{
    struct t2_buf head = {0}, tail = {0};
    struct t2_out *out = NULL;
    enum t2_status st;

    put(&head, BINARY_VERSION, 4);
    put_name(&head, "TransformerSpec");
    put(&head, REVISION, 4);
    put(&head, w->n, 4);
    put(&tail, 0, 4); /* no aliases */
    st = t2_out_new(path, &out, err);
    if (st == T2_OK) {
        t2_out_write(out, head.data, head.len_bytes);
        t2_out_write(out, w->bytes.data, w->bytes.len_bytes);
        t2_out_write(out, tail.data, tail.len_bytes);
        st = t2_out_commit(out, err);
    }
    t2_buf_release(&head);
    t2_buf_release(&tail);
    return st;
}

/* ---- the other files ---- */

/* A JSON list of entries: by their text, or by number where that is no text or not unique. */
static enum t2_status write_vocabulary(const struct tok_encoder *e, int32_t size, const char *path,
                                       struct t2_err *err)
{
    struct t2_buf text = {0}, entry = {0};
    struct t2_json json;
    enum t2_status st;

    t2_json_init(&json, &text, 0);
    t2_json_array(&json);
    for (int32_t id = 0; id < size; id++) {
        t2_buf_clear(&entry);
        if (id > TOK_EOS && tok_kind(e)[0] == 's') { /* subwords: unique by their nature */
            struct t2_slice s = tok_entry(e, id);

            t2_buf_append(&entry, s.data, s.len_bytes);
        } else {
            t2_buf_printf(&entry,
                          id == TOK_PAD   ? "<pad>"
                          : id == TOK_EOS ? "<EOS>"
                                          : "%" PRId32,
                          id);
        }
        t2_json_string(&json, t2_buf_cstr(&entry));
    }
    t2_json_end_array(&json);
    t2_buf_push(&text, '\n');
    st = t2_write_file(path, text.data, text.len_bytes, err);
    t2_buf_release(&entry);
    t2_buf_release(&text);
    return st;
}

static enum t2_status write_config(const struct xch_model *m, const char *path, struct t2_err *err)
{
    struct t2_buf text = {0};
    struct t2_json json;
    enum t2_status st;

    t2_json_init(&json, &text, 1);
    t2_json_object(&json);
    t2_json_kv_bool(&json, "add_source_bos", false);
    t2_json_kv_bool(&json, "add_source_eos", true);
    t2_json_kv_string(&json, "bos_token", "<pad>");
    t2_json_kv_string(&json, "decoder_start_token", "<pad>");
    t2_json_kv_string(&json, "eos_token", "<EOS>");
    t2_json_kv_double(&json, "layer_norm_epsilon", mdl_hp_float(m->hp, "norm_epsilon"));
    t2_json_kv_bool(&json, "multi_query_attention", false);
    t2_json_kv_string(&json, "unk_token", "<pad>");
    t2_json_end_object(&json);
    t2_buf_push(&text, '\n');
    st = t2_write_file(path, text.data, text.len_bytes, err);
    t2_buf_release(&text);
    return st;
}

enum t2_status xch_write_ctranslate2(const struct xch_model *m, const char *dir, struct t2_err *err)
{
    struct writer w = {.m = m};
    char *model = t2_path_join(dir, "model.bin"), *config = t2_path_join(dir, "config.json");
    char *source = t2_path_join(dir, "source_vocabulary.json");
    char *target = t2_path_join(dir, "target_vocabulary.json");
    enum t2_status st;

    T2_GOTO(st, out, xch_plain_check(m, "ctranslate2", "CTranslate2", NULL, err));
    T2_GOTO(st, out, t2_make_dirs(dir, err));
    T2_GOTO(st, out, put_model(&w, err));
    T2_GOTO(st, out, write_model(&w, model, err));
    T2_GOTO(st, out, write_vocabulary(m->inputs, m->problem->inputs_vocab, source, err));
    T2_GOTO(st, out, write_vocabulary(m->targets, m->problem->targets_vocab, target, err));
    st = write_config(m, config, err);
out:
    t2_buf_release(&w.bytes);
    t2_free(target);
    t2_free(source);
    t2_free(config);
    t2_free(model);
    return st;
}
