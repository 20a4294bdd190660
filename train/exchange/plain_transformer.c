/*
 * train/exchange/plain_transformer.c - the plain Transformer's hparams, positions and symbols.
 */
#include "train/exchange/plain_transformer.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"

/* ---- what is plain ---- */

/* "none" in a command line and Python's None are an empty text. */
static const char *text_of(const struct mdl_hparams *hp, const char *name)
{
    const char *s = mdl_hp_string(hp, name);

    return strcmp(s, "none") == 0 || strcmp(s, "None") == 0 ? "" : s;
}

static enum t2_status no_place(const struct mdl_hparams *hp, const char *peer, const char *name,
                               const char *only, struct t2_err *err)
{
    return t2_fail(err, T2_EUNSUPPORTED, "%s has no place for hparam %s=%s (only '%s')", peer, name,
                   mdl_hp_string(hp, name), only);
}

static enum t2_status check_norms(const struct mdl_hparams *hp, const char *peer, bool *post_norm,
                                  struct t2_err *err)
{
    static const char before[] = "layer_preprocess_sequence",
                      after[] = "layer_postprocess_sequence";

    if (post_norm) {
        *post_norm = strcmp(text_of(hp, before), "") == 0;
        if (*post_norm)
            return strcmp(text_of(hp, after), "dan") == 0 ? T2_OK
                                                          : no_place(hp, peer, after, "dan", err);
    }
    if (strcmp(text_of(hp, before), "n") != 0)
        return no_place(hp, peer, before, "n", err);
    return strcmp(text_of(hp, after), "da") == 0 ? T2_OK : no_place(hp, peer, after, "da", err);
}

enum t2_status xch_plain_check(const struct xch_model *m, const char *format, const char *peer,
                               bool *post_norm, struct t2_err *err)
{
    static const struct {
        const char *hparam, *value;
    } texts[] = {{"norm_type", "layer"},
                 {"ffn_layer", "dense_relu_dense"},
                 {"self_attention_type", "dot_product"},
                 {"pos", "timing"},
                 {"position_features", ""},
                 {"prepend_mode", "none"},
                 {"multiply_embedding_mode", "sqrt_depth"}};
    static const char *const off[] = {"attention_variables_3d", "proximity_bias",
                                      "unidirectional_encoder"};
    static const char *const zero[] = {"attention_key_channels", "attention_value_channels",
                                       "hard_attention_k", "num_area_layers"};
    const struct mdl_hparams *hp = m->hp;

    if (strcmp(m->state->model, "transformer") != 0 || !m->problem->has_inputs ||
        m->problem->speech || m->problem->describes || m->problem->class_labels)
        return t2_fail(err, T2_EUNSUPPORTED,
                       "--format=%s is for model 'transformer' with inputs and texts, not for '%s' "
                       "of problem '%s'",
                       format, m->state->model, m->state->problem);
    T2_TRY(check_norms(hp, peer, post_norm, err));
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (mdl_hp_has(hp, texts[i].hparam) &&
            strcmp(mdl_hp_string(hp, texts[i].hparam), texts[i].value) != 0)
            return no_place(hp, peer, texts[i].hparam, texts[i].value, err);
    for (size_t i = 0; i < sizeof off / sizeof *off; i++)
        if (mdl_hp_has(hp, off[i]) && mdl_hp_bool(hp, off[i]))
            return t2_fail(err, T2_EUNSUPPORTED, "%s has no place for hparam %s", peer, off[i]);
    for (size_t i = 0; i < sizeof zero / sizeof *zero; i++)
        if (mdl_hp_has(hp, zero[i]) && mdl_hp_int(hp, zero[i]) != 0)
            return t2_fail(err, T2_EUNSUPPORTED, "%s has no place for hparam %s", peer, zero[i]);
    if (!mdl_hp_bool(hp, "causal_decoder_self_attention"))
        return t2_fail(err, T2_EUNSUPPORTED,
                       "%s has no place for hparam causal_decoder_self_attention=false", peer);
    return T2_OK;
}

int64_t xch_plain_layers(const struct xch_model *m, bool encoder)
{
    int64_t n = mdl_hp_int(m->hp, encoder ? "num_encoder_layers" : "num_decoder_layers");

    return n > 0 ? n : mdl_hp_int(m->hp, "num_hidden_layers");
}

/* ---- tables ---- */

enum t2_status xch_plain_positions(const struct xch_model *m, bool encoder, int64_t positions,
                                   float **table, struct t2_err *err)
{
    int64_t depth = mdl_hp_int(m->hp, "hidden_size"), half = depth / 2;
    double increment = log(10000.0) / (double) (half > 1 ? half - 1 : 1);
    const struct gr_param *p = NULL;
    float *spaces = NULL;

    if (encoder && mdl_hp_bool(m->hp, "use_target_space_embedding"))
        T2_TRY(
            xch_parameter(m, "transformer/body/target_space_embedding/kernel", &spaces, &p, err));
    *table = t2_alloc((size_t) (positions * depth), sizeof **table);
    for (int64_t at = 0; at < positions; at++)
        for (int64_t i = 0; i < half; i++) {
            float scaled = (float) at * (float) exp(-(double) i * increment);

            (*table)[at * depth + i] = sinf(scaled);
            (*table)[at * depth + half + i] = cosf(scaled);
        }
    for (int64_t i = 0; spaces && i < positions * depth; i++)
        (*table)[i] += spaces[m->problem->target_space_id * depth + i % depth];
    t2_free(spaces);
    return T2_OK;
}

enum t2_status xch_plain_symbols(const struct xch_model *m, enum xch_table use, int64_t *rows,
                                 float **table, struct t2_err *err)
{
    static const char *const own[] = {"input_emb", "target_emb", "softmax"};
    int32_t vocab = use == XCH_INPUTS ? m->problem->inputs_vocab : m->problem->targets_vocab;
    int64_t hidden = mdl_hp_int(m->hp, "hidden_size");
    int64_t divisor = mdl_hp_int(m->hp, "vocab_divisor");
    const char *const uses[] = {own[use], "shared"};
    const struct gr_param *p;
    struct t2_err missing = T2_ERR_INIT;
    enum t2_status st = T2_EUNSUPPORTED;

    *rows = (vocab + divisor - 1) / divisor * divisor;
    for (size_t i = 0; i < 2 && st == T2_EUNSUPPORTED; i++) {
        char *name = t2_asprintf("transformer/symbol_modality_%" PRId64 "_%" PRId64 "/%s/weights",
                                 *rows, hidden, uses[i]);

        missing = (struct t2_err) T2_ERR_INIT;
        st = xch_parameter(m, name, table, &p, &missing);
        t2_free(name);
    }
    if (st != T2_OK)
        *err = missing;
    return st;
}
