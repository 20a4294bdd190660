/*
 * train/exchange/hugging_face.c - folders for transformers: PegasusForConditionalGeneration,
 * MarianMTModel.
 *
 * Both are the plain Transformer with biases in attention (zeros here) and positions as a table in
 * the file.  Pegasus has norms before sub-layers and one at the end of a stack, Marian has norms
 * behind them.  Their norms add 1e-5 to the variance and no setting changes that; with
 * c = sqrt(1e-5 / norm_epsilon)
 *
 *   (c x - mean(c x)) / sqrt(var(c x) + 1e-5) = (x - mean(x)) / sqrt(var(x) + norm_epsilon)
 *
 * so what flows along the residual sums is written c times as large: embeddings and what sub-layers
 * add (of Marian also the norms' results, whose readers are divided by c).  The row of id 0 is
 * zero, as Tensor2Tensor embeds it; the softmax therefore has a table of its own.  [out, in] are
 * kernels.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/json_writer.h"
#include "base/str.h"
#include "tokenizer/convert.h"
#include "train/exchange/plain_transformer.h"

enum { POSITIONS = 2048, NAME_BYTES = 256 };
static const double their_epsilon = 1e-5;

struct writer {
    const struct xch_model *m;
    bool post_norm;
    float c; /* of the formula */
    int64_t hidden, filter;
    struct ckpt_tensor *tensors; /* names and data are owned */
    size_t n, capacity;
};

/* ---- tensors ---- */

/* Takes ownership of values (rows, columns); columns 0: a vector. */
static void put(struct writer *w, const char *name, int64_t rows, int64_t columns, float *values)
{
    struct ckpt_tensor *t;

    if (w->n == w->capacity) {
        w->capacity = w->capacity ? 2 * w->capacity : 64;
        w->tensors = t2_realloc(w->tensors, w->capacity, sizeof *w->tensors);
    }
    t = &w->tensors[w->n++];
    *t = (struct ckpt_tensor){.name = t2_strdup(name),
                              .type = CKPT_F32,
                              .rank = columns ? 2 : 1,
                              .dims = {rows, columns},
                              .n_bytes = (size_t) (rows * (columns ? columns : 1)) * sizeof *values,
                              .data = values};
}

static void put_zeros(struct writer *w, const char *name, int64_t rows, int64_t columns)
{
    put(w, name, rows, columns, t2_alloc((size_t) (rows * (columns ? columns : 1)), sizeof(float)));
}

static void multiply(float *values, int64_t n, float by)
{
    for (int64_t i = 0; i < n && by != 1.0f; i++)
        values[i] *= by;
}

static enum t2_status put_vector(struct writer *w, const char *ours, const char *theirs, float by,
                                 struct t2_err *err)
{
    const struct gr_param *p;
    float *values;

    T2_TRY(xch_parameter(w->m, ours, &values, &p, err));
    multiply(values, p->n, by);
    put(w, theirs, p->n, 0, values);
    return T2_OK;
}

/* [in, out] as [out, in]; without a bias of ours one of zeros. */
static enum t2_status put_dense(struct writer *w, const char *ours, bool bias, const char *theirs,
                                float by, struct t2_err *err)
{
    char kernel[NAME_BYTES], name[NAME_BYTES];
    const struct gr_param *p;
    float *values, *turned;
    int64_t in, out;

    snprintf(kernel, sizeof kernel, "%.200s/kernel", ours);
    T2_TRY(xch_parameter(w->m, kernel, &values, &p, err));
    in = p->dims[0];
    out = p->dims[1];
    turned = t2_alloc((size_t) (in * out), sizeof *turned);
    for (int64_t o = 0; o < out; o++)
        for (int64_t i = 0; i < in; i++)
            turned[o * in + i] = by * values[i * out + o];
    t2_free(values);
    snprintf(name, sizeof name, "%.200s.weight", theirs);
    put(w, name, out, in, turned);
    snprintf(kernel, sizeof kernel, "%.200s/bias", ours);
    snprintf(name, sizeof name, "%.200s.bias", theirs);
    if (bias)
        return put_vector(w, kernel, name, by, err);
    put_zeros(w, name, out, 0);
    return T2_OK;
}

static enum t2_status put_norm(struct writer *w, const char *scope, const char *theirs,
                               struct t2_err *err)
{
    static const char *const ours[] = {"scale", "bias"}, *const parts[] = {"weight", "bias"};
    const char *where = w->post_norm ? "layer_postprocess" : "layer_prepostprocess";

    for (int i = 0; i < 2; i++) {
        char from[NAME_BYTES], name[NAME_BYTES];

        snprintf(from, sizeof from, "%.150s/%s/layer_norm/layer_norm_%s", scope, where, ours[i]);
        snprintf(name, sizeof name, "%.200s.%s", theirs, parts[i]);
        T2_TRY(put_vector(w, from, name, w->post_norm ? w->c : 1.0f, err));
    }
    return T2_OK;
}

/* ---- layers ---- */

static enum t2_status put_attention(struct writer *w, const char *scope, const char *layer,
                                    const char *theirs, struct t2_err *err)
{
    static const char *const ours[] = {"q", "k", "v", "output_transform"}, *const parts[] = {"q",
                                                                                             "k",
                                                                                             "v",
                                                                                             "out"};
    char from[NAME_BYTES], name[NAME_BYTES];

    for (int i = 0; i < 4; i++) {
        float in = w->post_norm ? 1.0f / w->c : 1.0f;

        snprintf(from, sizeof from, "%.150s/multihead_attention/%s", scope, ours[i]);
        snprintf(name, sizeof name, "%.150s.%s.%s_proj", layer, theirs, parts[i]);
        T2_TRY(put_dense(w, from, false, name, i == 3 ? w->c : in, err));
    }
    snprintf(name, sizeof name, "%.150s.%s_layer_norm", layer, theirs);
    return put_norm(w, scope, name, err);
}

static enum t2_status put_ffn(struct writer *w, const char *scope, const char *layer,
                              struct t2_err *err)
{
    static const char *const ours[] = {"conv1", "conv2"};
    char from[NAME_BYTES], name[NAME_BYTES];

    snprintf(from, sizeof from, "%.150s/%s", scope, ours[0]);
    snprintf(name, sizeof name, "%.150s.fc1", layer);
    /* the bias is the reader's own, so only the kernel is divided: by 1 / c, then the bias again */
    T2_TRY(put_dense(w, from, true, name, 1.0f, err));
    if (w->post_norm) {
        struct ckpt_tensor *kernel = &w->tensors[w->n - 2];

        multiply((float *) (uintptr_t) kernel->data, kernel->dims[0] * kernel->dims[1],
                 1.0f / w->c);
    }
    snprintf(from, sizeof from, "%.150s/%s", scope, ours[1]);
    snprintf(name, sizeof name, "%.150s.fc2", layer);
    T2_TRY(put_dense(w, from, true, name, w->c, err));
    snprintf(name, sizeof name, "%.150s.final_layer_norm", layer);
    return put_norm(w, scope, name, err);
}

static enum t2_status put_stack(struct writer *w, bool encoder, struct t2_err *err)
{
    const char *side = encoder ? "encoder" : "decoder";
    int64_t n = xch_plain_layers(w->m, encoder);
    char scope[NAME_BYTES], name[NAME_BYTES], layer[NAME_BYTES];
    float *table;

    T2_TRY(xch_plain_positions(w->m, encoder, POSITIONS, &table, err));
    multiply(table, POSITIONS * w->hidden, w->c);
    snprintf(name, sizeof name, "model.%s.embed_positions.weight", side);
    put(w, name, POSITIONS, w->hidden, table);
    for (int64_t i = 0; i < n; i++) {
        snprintf(layer, sizeof layer, "model.%s.layers.%" PRId64, side, i);
        snprintf(scope, sizeof scope, "transformer/body/%s/layer_%" PRId64 "/self_attention", side,
                 i);
        T2_TRY(put_attention(w, scope, layer, "self_attn", err));
        snprintf(scope, sizeof scope, "transformer/body/%s/layer_%" PRId64 "/encdec_attention",
                 side, i);
        if (!encoder)
            T2_TRY(put_attention(w, scope, layer, "encoder_attn", err));
        snprintf(scope, sizeof scope, "transformer/body/%s/layer_%" PRId64 "/ffn", side, i);
        T2_TRY(put_ffn(w, scope, layer, err));
    }
    if (w->post_norm)
        return T2_OK;
    snprintf(scope, sizeof scope, "transformer/body/%s", side);
    snprintf(name, sizeof name, "model.%s.layer_norm", side);
    return put_norm(w, scope, name, err);
}

/* ---- symbols ---- */

/* by: of all rows but that of id 0, which becomes zero where it is embedded. */
static enum t2_status put_symbols(struct writer *w, enum xch_table use, const char *name, float by,
                                  struct t2_err *err)
{
    float *table;
    int64_t rows;

    T2_TRY(xch_plain_symbols(w->m, use, &rows, &table, err));
    if (use != XCH_SOFTMAX)
        memset(table, 0, (size_t) w->hidden * sizeof *table);
    multiply(table, rows * w->hidden, by);
    put(w, name, rows, w->hidden, table);
    return T2_OK;
}

/* The names and numbers of both embeddings are the same: transformers has one table for both. */
static bool shares_symbols(const struct xch_model *m)
{
    static const char *const uses[] = {"/input_emb/weights", "/target_emb/weights"};

    for (int i = 0; i < m->params->n_variables; i++)
        for (int k = 0; k < 2; k++)
            if (strstr(m->params->variables[i].name, uses[k]))
                return false;
    return true;
}

static enum t2_status put_tables(struct writer *w, struct t2_err *err)
{
    T2_TRY(put_symbols(w, XCH_INPUTS, "model.encoder.embed_tokens.weight", w->c, err));
    T2_TRY(put_symbols(w, XCH_TARGETS, "model.decoder.embed_tokens.weight", w->c, err));
    if (shares_symbols(w->m))
        T2_TRY(put_symbols(w, XCH_INPUTS, "model.shared.weight", w->c, err));
    T2_TRY(put_symbols(w, XCH_SOFTMAX, "lm_head.weight", w->post_norm ? 1.0f / w->c : 1.0f, err));
    put_zeros(w, "final_logits_bias", 1, w->tensors[w->n - 1].dims[0]);
    return T2_OK;
}

static enum t2_status write_tensors(const struct writer *w, const char *dir, struct t2_err *err)
{
    static const char *const key = "format", *const value = "pt";
    char *path = t2_path_join(dir, "model.safetensors");
    enum t2_status st = ckpt_write(path, w->tensors, w->n, &key, &value, 1, NULL, err);

    t2_free(path);
    return st;
}

/* ---- the other files ---- */

static enum t2_status write_text(const char *dir, const char *name, struct t2_buf *text,
                                 struct t2_err *err)
{
    char *path = t2_path_join(dir, name);
    enum t2_status st;

    t2_buf_push(text, '\n');
    st = t2_write_file(path, text->data, text->len_bytes, err);
    t2_free(path);
    t2_buf_release(text);
    return st;
}

static void put_null(struct t2_json *j, const char *key)
{
    t2_json_key(j, key);
    t2_json_null(j);
}

static void put_ids(struct t2_json *j)
{
    put_null(j, "bos_token_id");
    t2_json_kv_i64(j, "decoder_start_token_id", TOK_PAD);
    t2_json_kv_i64(j, "eos_token_id", TOK_EOS);
    put_null(j, "forced_eos_token_id");
    t2_json_kv_i64(j, "pad_token_id", TOK_PAD);
}

static int64_t rows_of(const struct writer *w, const char *name)
{
    for (size_t i = 0; i < w->n; i++)
        if (strcmp(w->tensors[i].name, name) == 0)
            return w->tensors[i].dims[0];
    return 0;
}

static void put_side(const struct writer *w, struct t2_json *j, bool encoder)
{
    const char *side = encoder ? "encoder" : "decoder";
    char key[64];

    snprintf(key, sizeof key, "%s_attention_heads", side);
    t2_json_kv_i64(j, key, mdl_hp_int(w->m->hp, "num_heads"));
    snprintf(key, sizeof key, "%s_ffn_dim", side);
    t2_json_kv_i64(j, key, w->filter);
    snprintf(key, sizeof key, "%s_layerdrop", side);
    t2_json_kv_double(j, key, 0.0);
    snprintf(key, sizeof key, "%s_layers", side);
    t2_json_kv_i64(j, key, xch_plain_layers(w->m, encoder));
}

static enum t2_status write_config(const struct writer *w, const char *dir, struct t2_err *err)
{
    struct t2_buf text = {0};
    struct t2_json j;

    t2_json_init(&j, &text, 1);
    t2_json_object(&j);
    t2_json_kv_string(&j, "activation_function", "relu");
    t2_json_key(&j, "architectures");
    t2_json_array(&j);
    t2_json_string(&j, w->post_norm ? "MarianMTModel" : "PegasusForConditionalGeneration");
    t2_json_end_array(&j);
    t2_json_kv_i64(&j, "d_model", w->hidden);
    put_side(w, &j, true);
    put_side(w, &j, false);
    if (w->post_norm)
        t2_json_kv_i64(&j, "decoder_vocab_size", rows_of(w, "model.decoder.embed_tokens.weight"));
    t2_json_kv_bool(&j, "is_encoder_decoder", true);
    t2_json_kv_i64(&j, "max_position_embeddings", POSITIONS);
    t2_json_kv_string(&j, "model_type", w->post_norm ? "marian" : "pegasus");
    t2_json_kv_i64(&j, "num_hidden_layers", xch_plain_layers(w->m, true));
    put_ids(&j);
    t2_json_kv_bool(&j, "scale_embedding", true);
    if (w->post_norm)
        t2_json_kv_bool(&j, "share_encoder_decoder_embeddings", shares_symbols(w->m));
    t2_json_kv_bool(&j, "tie_word_embeddings", false);
    t2_json_kv_bool(&j, "use_cache", true);
    t2_json_kv_i64(&j, "vocab_size", rows_of(w, "model.encoder.embed_tokens.weight"));
    t2_json_end_object(&j);
    return write_text(dir, "config.json", &text, err);
}

/* What transformers begins with; their formula for the length of a hypothesis is another one. */
static enum t2_status write_generation(const char *dir, struct t2_err *err)
{
    struct t2_buf text = {0};
    struct t2_json j;

    t2_json_init(&j, &text, 1);
    t2_json_object(&j);
    put_ids(&j);
    t2_json_kv_i64(&j, "max_length", 256);
    t2_json_kv_i64(&j, "num_beams", 1);
    t2_json_end_object(&j);
    return write_text(dir, "generation_config.json", &text, err);
}

static enum t2_status write_tokenizer_config(const struct tok_encoder *e, const char *dir,
                                             struct t2_err *err)
{
    struct t2_slice pad = tok_entry(e, TOK_PAD), eos = tok_entry(e, TOK_EOS);
    struct t2_buf text = {0};
    struct t2_json j;

    t2_json_init(&j, &text, 1);
    t2_json_object(&j);
    t2_json_kv_bool(&j, "clean_up_tokenization_spaces", false);
    t2_json_key(&j, "eos_token");
    t2_json_bytes(&j, eos.data, eos.len_bytes);
    t2_json_kv_i64(&j, "model_max_length", POSITIONS);
    t2_json_key(&j, "pad_token");
    t2_json_bytes(&j, pad.data, pad.len_bytes);
    t2_json_kv_string(&j, "tokenizer_class", "PreTrainedTokenizerFast");
    t2_json_end_object(&j);
    return write_text(dir, "tokenizer_config.json", &text, err);
}

static bool is_subwords(const struct tok_encoder *e)
{
    return strcmp(tok_kind(e), "subwords") == 0;
}

/* Other kinds of vocabularies are their user's business: the model works with ids. */
static enum t2_status convert(const struct tok_encoder *e, struct tok_conversion *c,
                              struct t2_err *err)
{
    c->ends = true;
    return is_subwords(e) ? tok_convert(e, tok_vocab_kind_of(e), TOK_VOCAB_HF, c, err) : T2_OK;
}

static enum t2_status write_file(const struct tok_conversion *c, const char *dir, const char *name,
                                 struct t2_err *err)
{
    char *path = t2_path_join(dir, name);
    enum t2_status st = t2_write_file(path, c->file.data, c->file.len_bytes, err);

    t2_free(path);
    return st;
}

/* A second file only where the targets have another vocabulary. */
static enum t2_status write_tokenizers(const struct xch_model *m, const char *dir,
                                       struct t2_err *err)
{
    struct tok_conversion inputs = {0}, targets = {0};
    enum t2_status st;

    T2_GOTO(st, out, convert(m->inputs, &inputs, err));
    T2_GOTO(st, out, convert(m->targets, &targets, err));
    if (inputs.file.len_bytes > 0) {
        T2_GOTO(st, out, write_file(&inputs, dir, "tokenizer.json", err));
        T2_GOTO(st, out, write_tokenizer_config(m->inputs, dir, err));
    }
    if (targets.file.len_bytes > 0 &&
        !t2_slice_eq(t2_buf_slice(&inputs.file), t2_buf_slice(&targets.file)))
        st = write_file(&targets, dir, "target_tokenizer.json", err);
out:
    tok_conversion_release(&inputs);
    tok_conversion_release(&targets);
    return st;
}

/* ---- all ---- */

enum t2_status xch_write_hugging_face(const struct xch_model *m, const char *dir,
                                      struct t2_err *err)
{
    struct writer w = {.m = m};
    enum t2_status st;

    T2_TRY(xch_plain_check(m, "huggingface", "transformers", &w.post_norm, err));
    if (!w.post_norm && !shares_symbols(m))
        return t2_fail(
            err, T2_EUNSUPPORTED,
            "transformers' Pegasus has one table of symbols for both sides: a model with "
            "norms before its layers needs hparam shared_embedding_and_softmax_weights "
            "or shared_embedding, and one vocabulary");
    w.hidden = mdl_hp_int(m->hp, "hidden_size");
    w.filter = mdl_hp_int(m->hp, "filter_size");
    w.c = (float) sqrt(their_epsilon / mdl_hp_float(m->hp, "norm_epsilon"));
    T2_GOTO(st, out, t2_make_dirs(dir, err));
    T2_GOTO(st, out, put_tables(&w, err));
    T2_GOTO(st, out, put_stack(&w, true, err));
    T2_GOTO(st, out, put_stack(&w, false, err));
    T2_GOTO(st, out, write_tensors(&w, dir, err));
    T2_GOTO(st, out, write_config(&w, dir, err));
    T2_GOTO(st, out, write_generation(dir, err));
    st = write_tokenizers(m, dir, err);
out:
    for (size_t i = 0; i < w.n; i++) {
        t2_free((char *) (uintptr_t) w.tensors[i].name);
        t2_free((float *) (uintptr_t) w.tensors[i].data);
    }
    t2_free(w.tensors);
    return st;
}
