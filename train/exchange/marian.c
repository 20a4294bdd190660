/*
 * train/exchange/marian.c - Marian's model.npz with its vocabularies, as CTranslate2's converter
 * for Marian reads them.
 *
 * model.npz is a stored zip of NumPy arrays, a parameter each: kernels [in, out] called
 * SIDE_lN_BLOCK_Wx, biases and norms (1, n), and special:model.yml, whose bytes (int8) are the
 * options as YAML with a NUL behind them.  A vocabulary is lines of `"entry": id`.
 *
 * What differs from Tensor2Tensor: projections of attention have biases, here zeros.  The target
 * space of the encoder is part of its table of symbols, which is scaled when it is used, so the two
 * tables are apart.  Positions are Tensor2Tensor's, in Wpos; Marian's own sines have other
 * frequencies.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/gzip.h"
#include "base/str.h"
#include "base/zip.h"
#include "train/exchange/exchange.h"
#include "train/exchange/plain_transformer.h"

enum { POSITIONS = 2048, NAME_BYTES = 256, NPY_HEAD = 128 };

struct writer {
    const struct xch_model *m;
    struct t2_out *out;
    struct t2_zip_writer zip;
};

/* ---- arrays ---- */

/* A member: magic, version 1.0, length of the header (u16, little-endian), header, bytes. */
static void put_array(struct writer *w, const char *name, const char *type, int64_t rows,
                      int64_t columns, const void *data, size_t n_bytes)
{
    uint8_t head[NPY_HEAD] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, NPY_HEAD - 10, 0};
    char text[NPY_HEAD - 10 + 1], shape[64], *member = t2_asprintf("%s.npy", name);
    uint32_t crc;

    if (columns > 0)
        snprintf(shape, sizeof shape, "(%" PRId64 ", %" PRId64 ")", rows, columns);
    else
        snprintf(shape, sizeof shape, "(%" PRId64 ",)", rows);
    snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': False, 'shape': %s, }", type,
             shape);
    memset(head + 10, ' ', sizeof head - 10);
    memcpy(head + 10, text, strlen(text));
    head[NPY_HEAD - 1] = '\n';
    crc = t2_crc32(t2_crc32(0, head, sizeof head), data, n_bytes);
    t2_zip_member(&w->zip, w->out, member, sizeof head + n_bytes, crc);
    t2_out_write(w->out, head, sizeof head);
    t2_out_write(w->out, data, n_bytes);
    t2_free(member);
}

static void put_floats(struct writer *w, const char *name, int64_t rows, int64_t columns,
                       const float *values)
{
    put_array(w, name, "<f4", rows, columns, values, (size_t) (rows * columns) * sizeof *values);
}

/* Our variable as theirs: a kernel [in, out] as it is, a vector as one row; *columns may be NULL.
 */
static enum t2_status copy(struct writer *w, const char *ours, const char *theirs, int64_t *columns,
                           struct t2_err *err)
{
    const struct gr_param *p;
    float *values;
    bool is_vector;

    T2_TRY(xch_parameter(w->m, ours, &values, &p, err));
    is_vector = p->rank == 1;
    put_floats(w, theirs, is_vector ? 1 : p->dims[0], is_vector ? p->dims[0] : p->dims[1], values);
    if (columns)
        *columns = is_vector ? p->dims[0] : p->dims[1];
    t2_free(values);
    return T2_OK;
}

/* ---- layers ---- */

/* A norm before sub-layers has a name of its own. */
static enum t2_status put_norm(struct writer *w, const char *scope, const char *theirs,
                               const char *suffix, struct t2_err *err)
{
    static const struct {
        const char *ours, *theirs;
    } parts[] = {{"layer_norm_scale", "ln_scale"}, {"layer_norm_bias", "ln_bias"}};
    char ours[NAME_BYTES], name[NAME_BYTES];

    for (int i = 0; i < 2; i++) {
        snprintf(ours, sizeof ours, "%.150s/layer_prepostprocess/layer_norm/%s", scope,
                 parts[i].ours);
        snprintf(name, sizeof name, "%.150s_%s%s", theirs, parts[i].theirs, suffix);
        T2_TRY(copy(w, ours, name, NULL, err));
    }
    return T2_OK;
}

static enum t2_status put_attention(struct writer *w, const char *scope, const char *theirs,
                                    struct t2_err *err)
{
    static const struct {
        const char *ours, *theirs;
    } kernels[] = {{"q", "q"}, {"k", "k"}, {"v", "v"}, {"output_transform", "o"}};
    char ours[NAME_BYTES], name[NAME_BYTES];

    for (int i = 0; i < 4; i++) {
        int64_t n = 0;
        float *zeros;

        snprintf(ours, sizeof ours, "%.150s/multihead_attention/%s/kernel", scope, kernels[i].ours);
        snprintf(name, sizeof name, "%.150s_W%s", theirs, kernels[i].theirs);
        T2_TRY(copy(w, ours, name, &n, err));
        zeros = t2_alloc((size_t) n, sizeof *zeros);
        snprintf(name, sizeof name, "%.150s_b%s", theirs, kernels[i].theirs);
        put_floats(w, name, 1, n, zeros);
        t2_free(zeros);
    }
    snprintf(name, sizeof name, "%.150s_Wo", theirs);
    return put_norm(w, scope, name, "_pre", err);
}

static enum t2_status put_ffn(struct writer *w, const char *scope, const char *theirs,
                              struct t2_err *err)
{
    char ours[NAME_BYTES], name[NAME_BYTES];

    for (int i = 1; i <= 2; i++) {
        snprintf(ours, sizeof ours, "%.150s/conv%d/kernel", scope, i);
        snprintf(name, sizeof name, "%.150s_W%d", theirs, i);
        T2_TRY(copy(w, ours, name, NULL, err));
        snprintf(ours, sizeof ours, "%.150s/conv%d/bias", scope, i);
        snprintf(name, sizeof name, "%.150s_b%d", theirs, i);
        T2_TRY(copy(w, ours, name, NULL, err));
    }
    snprintf(name, sizeof name, "%.150s_ffn", theirs);
    return put_norm(w, scope, name, "_pre", err);
}

static enum t2_status put_stack(struct writer *w, const char *side, bool encoder,
                                struct t2_err *err)
{
    char ours[NAME_BYTES], theirs[NAME_BYTES];

    for (int64_t i = 0; i < xch_plain_layers(w->m, encoder); i++) {
        const struct {
            const char *ours, *theirs;
            bool is_ffn, is_there;
        } blocks[] = {{"self_attention", "self", false, true},
                      {"encdec_attention", "context", false, !encoder},
                      {"ffn", "ffn", true, true}};

        for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++) {
            snprintf(ours, sizeof ours, "transformer/body/%s/layer_%" PRId64 "/%s", side, i,
                     blocks[k].ours);
            snprintf(theirs, sizeof theirs, "%s_l%" PRId64 "_%s", side, i + 1, blocks[k].theirs);
            if (blocks[k].is_there)
                T2_TRY((blocks[k].is_ffn ? put_ffn : put_attention)(w, ours, theirs, err));
        }
    }
    snprintf(ours, sizeof ours, "transformer/body/%s", side);
    snprintf(theirs, sizeof theirs, "%s_top", side);
    return put_norm(w, ours, theirs, "", err);
}

/* ---- tables ---- */

/* The encoder's table of positions has the target space in every row, the decoder's has not: the
 * difference goes into the symbols, which are multiplied by sqrt(D) when they are used. */
static enum t2_status add_target_space(struct writer *w, int64_t rows, int64_t D, float *symbols,
                                       struct t2_err *err)
{
    float *with = NULL, *without = NULL;
    enum t2_status st = xch_plain_positions(w->m, true, 1, &with, err);

    if (st == T2_OK)
        st = xch_plain_positions(w->m, false, 1, &without, err);
    for (int64_t i = 0; i < rows && st == T2_OK; i++)
        for (int64_t k = 0; k < D; k++)
            symbols[i * D + k] += (with[k] - without[k]) / sqrtf((float) D);
    t2_free(with);
    t2_free(without);
    return st;
}

/* Without the rows that no id reaches; the softmax's is [D, V]. */
static enum t2_status put_table(struct writer *w, enum xch_table use, const char *theirs,
                                struct t2_err *err)
{
    int64_t D = mdl_hp_int(w->m->hp, "hidden_size"), rows;
    int32_t vocab = use == XCH_INPUTS ? w->m->problem->inputs_vocab : w->m->problem->targets_vocab;
    float *values, *turned;
    enum t2_status st = T2_OK;

    T2_TRY(xch_plain_symbols(w->m, use, &rows, &values, err));
    if (use == XCH_INPUTS)
        st = add_target_space(w, vocab, D, values, err);
    if (st == T2_OK && use == XCH_SOFTMAX) {
        turned = t2_alloc((size_t) (D * vocab), sizeof *turned);
        for (int64_t i = 0; i < vocab; i++)
            for (int64_t k = 0; k < D; k++)
                turned[k * vocab + i] = values[i * D + k];
        put_floats(w, theirs, D, vocab, turned);
        memset(turned, 0, (size_t) vocab * sizeof *turned);
        put_floats(w, "decoder_ff_logit_out_b", 1, vocab, turned);
        t2_free(turned);
    } else if (st == T2_OK) {
        put_floats(w, theirs, vocab, D, values);
    }
    t2_free(values);
    return st;
}

static enum t2_status put_positions(struct writer *w, struct t2_err *err)
{
    float *table;

    T2_TRY(xch_plain_positions(w->m, false, POSITIONS, &table, err));
    put_floats(w, "Wpos", POSITIONS, mdl_hp_int(w->m->hp, "hidden_size"), table);
    t2_free(table);
    return T2_OK;
}

/* ---- options and vocabularies ---- */

static void put_options(struct writer *w)
{
    const struct mdl_hparams *hp = w->m->hp;
    int64_t D = mdl_hp_int(hp, "hidden_size");
    struct t2_buf yaml = {0};

    t2_buf_printf(&yaml,
                  "type: transformer\ndim-emb: %" PRId64 "\ndim-vocabs:\n  - %d\n  - %d\n"
                  "enc-depth: %" PRId64 "\ndec-depth: %" PRId64 "\ntransformer-heads: %" PRId64
                  "\ntransformer-dim-ffn: %" PRId64 "\ntransformer-ffn-depth: 2\n",
                  D, w->m->problem->inputs_vocab, w->m->problem->targets_vocab,
                  xch_plain_layers(w->m, true), xch_plain_layers(w->m, false),
                  mdl_hp_int(hp, "num_heads"), mdl_hp_int(hp, "filter_size"));
    t2_buf_puts(&yaml,
                "transformer-ffn-activation: relu\ntransformer-preprocess: n\n"
                "transformer-postprocess: da\ntransformer-postprocess-emb: d\n"
                "transformer-postprocess-top: n\n"
                "transformer-decoder-autoreg: self-attention\n"
                "transformer-no-projection: false\ntransformer-guided-alignment-layer: last\n"
                "transformer-train-position-embeddings: true\ntied-embeddings: false\n"
                "tied-embeddings-all: false\ntied-embeddings-src: false\nskip: false\n"
                "layer-normalization: false\nversion: v1.12.0 t2t.c\n");
    put_array(w, "special:model.yml", "|i1", (int64_t) yaml.len_bytes + 1, 0, t2_buf_cstr(&yaml),
              yaml.len_bytes + 1);
    t2_buf_release(&yaml);
}

/* What the converter reads back as it is: neither a line end nor its sign for a code. */
static bool is_plain_entry(struct t2_slice s)
{
    for (size_t i = 0; i < s.len_bytes; i++)
        if (s.data[i] < 0x20)
            return false;
    return s.len_bytes > 0 && !(s.len_bytes > 1 && s.data[0] == '\\' && s.data[1] == 'x');
}

static enum t2_status write_vocabulary(const struct tok_encoder *e, int32_t size, const char *path,
                                       struct t2_err *err)
{
    struct t2_buf text = {0};
    enum t2_status st;

    t2_buf_puts(&text, "\"<unk>\": 0\n\"</s>\": 1\n");
    for (int32_t id = TOK_EOS + 1; id < size; id++) {
        struct t2_slice s = {NULL, 0};

        if (tok_kind(e)[0] == 's') /* subwords: unique by their nature */
            s = tok_entry(e, id);
        t2_buf_push(&text, '"');
        for (size_t i = 0; is_plain_entry(s) && i < s.len_bytes; i++) {
            if (s.data[i] == '"' || s.data[i] == '\\')
                t2_buf_push(&text, '\\');
            t2_buf_push(&text, s.data[i]);
        }
        if (!is_plain_entry(s))
            t2_buf_printf(&text, "<%" PRId32 ">", id);
        t2_buf_printf(&text, "\": %" PRId32 "\n", id);
    }
    st = t2_write_file(path, text.data, text.len_bytes, err);
    t2_buf_release(&text);
    return st;
}

static enum t2_status write_model(struct writer *w, const char *path, struct t2_err *err)
{
    struct t2_out *out;
    enum t2_status st;

    T2_TRY(t2_out_new(path, &w->out, err));
    put_options(w);
    T2_GOTO(st, out, put_table(w, XCH_INPUTS, "encoder_Wemb", err));
    T2_GOTO(st, out, put_table(w, XCH_TARGETS, "decoder_Wemb", err));
    T2_GOTO(st, out, put_table(w, XCH_SOFTMAX, "decoder_ff_logit_out_W", err));
    T2_GOTO(st, out, put_positions(w, err));
    T2_GOTO(st, out, put_stack(w, "encoder", true, err));
    st = put_stack(w, "decoder", false, err);
out:
    t2_zip_end(&w->zip, w->out);
    out = w->out;
    if (st == T2_OK)
        return t2_out_commit(out, err);
    t2_out_abort(out);
    return st;
}

enum t2_status xch_write_marian(const struct xch_model *m, const char *dir, struct t2_err *err)
{
    struct writer w = {.m = m};
    char *model = t2_path_join(dir, "model.npz"), *source = t2_path_join(dir, "vocab.src.yml");
    char *target = t2_path_join(dir, "vocab.trg.yml");
    enum t2_status st;

    T2_GOTO(st, out, xch_plain_check(m, "marian", "Marian", NULL, err));
    T2_GOTO(st, out, t2_make_dirs(dir, err));
    T2_GOTO(st, out, write_model(&w, model, err));
    T2_GOTO(st, out, write_vocabulary(m->inputs, m->problem->inputs_vocab, source, err));
    st = write_vocabulary(m->targets, m->problem->targets_vocab, target, err);
out:
    t2_free(target);
    t2_free(source);
    t2_free(model);
    return st;
}
