/*
 * train/exchange/model_file.c - models in one file.
 *
 * Tensors: the variables under their names, as F32, BF16, or I8 with "<name>/scale" (F32), in the
 * order of the model, so that F32 can be used where it lies (ckpt/lent_values.h); then
 * "vocabulary/inputs" and "vocabulary/targets" (U8), the bytes of the vocabulary files, where there
 * are such.  Metadata, all texts:
 *
 *   format                t2t.c model 1
 *   version, step, model, hparams_set, problem, hparams (an object)     as in checkpoints
 *   inputs, targets       kind of the vocabulary: "bytes", "file", "" (no such side)
 *   inputs_offset, targets_offset    tok_offset
 *   inputs_vocab, targets_vocab      number of ids
 *   input_space_id, target_space_id, context_separator
 *   decode_hparams
 *   data_crc32c           CRC-32C of all bytes behind the header, 8 hexadecimal digits; files of
 *                         older versions have none
 */
#include "train/exchange/model_file.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/crc32c.h"
#include "base/crc32c_join.h"
#include "base/json.h"
#include "base/json_writer.h"
#include "base/str.h"
#include "base/version.h"
#include "train/ckpt/lent_values.h"
#include "train/device/device.h"
#include "train/device/packed_kernels.h"
#include "train/graph/late_values.h"
#include "train/graph/layouts.h"
#include "train/models/layer_file.h"

static const char file_format[] = "t2t.c model 1";

enum { MAX_METADATA = 24 };

/* ---- numbers ---- */

/* Rounded to the nearest, of two equally near ones to the even. */
static uint16_t to_bfloat16(float x)
{
    uint32_t bits;

    memcpy(&bits, &x, sizeof bits);
    return (uint16_t) ((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

static float from_bfloat16(uint16_t half)
{
    uint32_t bits = (uint32_t) half << 16;
    float x;

    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Tables of symbols have a word in each row, kernels an output in each column. */
static bool scaled_by_rows(const char *name)
{
    return strstr(name, "symbol_modality") || strstr(name, "embedding");
}

/* The scale's place of element i of a matrix with so many columns. */
static size_t scale_of(bool by_rows, size_t i, size_t columns)
{
    return by_rows ? i / columns : i % columns;
}

static char *crc_text(uint32_t crc)
{
    return t2_asprintf("%08" PRIx32, crc);
}

/* ---- writing ---- */

struct writing {
    const struct xch_model *m;
    struct ckpt_tensor *tensors;
    size_t n;
    struct t2_strs names; /* of scales */
    const char *keys[MAX_METADATA];
    char *values[MAX_METADATA];
    size_t n_metadata;
};

static void say(struct writing *w, const char *key, char *value)
{
    T2_ASSERT(w->n_metadata < MAX_METADATA);
    w->keys[w->n_metadata] = key;
    w->values[w->n_metadata++] = value;
}

static void say_number(struct writing *w, const char *key, int64_t number)
{
    say(w, key, t2_asprintf("%" PRId64, number));
}

static struct ckpt_tensor *add(struct writing *w, const char *name, enum ckpt_type type, int rank,
                               const int64_t *dims, size_t n_bytes, const void *data)
{
    struct ckpt_tensor *t = &w->tensors[w->n++];

    *t = (struct ckpt_tensor){name, type, rank, {0}, n_bytes, data};
    memcpy(t->dims, dims, (size_t) rank * sizeof *dims);
    return t;
}

/* As devices pack them (train/device/packed_kernels.h), which take these as they are. */
static void add_int8(struct writing *w, const struct gr_variable *v, float *values)
{
    size_t n = (size_t) v->n, columns = (size_t) v->dims[1];
    bool by_rows = scaled_by_rows(v->name);
    int64_t n_scales = v->dims[by_rows ? 0 : 1];
    float *scales = t2_alloc((size_t) n_scales, sizeof *scales);
    uint32_t *largest = t2_alloc((size_t) n_scales, sizeof *largest);
    int8_t *bytes = t2_alloc(n, 1);

    for (size_t i = 0; i < n; i++) {
        size_t along = by_rows ? i % columns : i / columns, next = i + (by_rows ? 1 : columns);
        bool has_next = by_rows ? along + 1 < columns : next < n;
        uint32_t *most = &largest[scale_of(by_rows, i, columns)], bits;

        if (along % 2 != 0)
            continue;
        bits = dev_int8_size_of_two(values[i], has_next ? values[next] : 0.0F);
        *most = bits > *most ? bits : *most;
    }
    for (size_t i = 0; i < n; i++)
        bytes[i] = (int8_t) dev_int8_of(values[i],
                                        dev_int8_factor(largest[scale_of(by_rows, i, columns)]));
    for (int64_t i = 0; i < n_scales; i++)
        scales[i] = dev_int8_scale(largest[i]);
    t2_free(largest);
    t2_free(values);
    add(w, v->name, CKPT_I8, v->rank, v->dims, n, bytes);
    t2_strs_printf(&w->names, "%s/scale", v->name);
    add(w, w->names.items[w->names.n - 1], CKPT_F32, 1, &n_scales,
        (size_t) n_scales * sizeof *scales, scales);
}

static void add_variable(struct writing *w, const struct gr_variable *v, float *values,
                         enum xch_storage storage)
{
    uint16_t *halves;

    if (storage == XCH_FLOAT32 || v->rank != 2) {
        add(w, v->name, CKPT_F32, v->rank, v->dims, (size_t) v->n * sizeof *values, values);
        return;
    }
    if (storage == XCH_INT8) {
        add_int8(w, v, values);
        return;
    }
    halves = t2_alloc((size_t) v->n, sizeof *halves);
    for (int64_t i = 0; i < v->n; i++)
        halves[i] = to_bfloat16(values[i]);
    t2_free(values);
    add(w, v->name, CKPT_BF16, v->rank, v->dims, (size_t) v->n * sizeof *halves, halves);
}

/* side "inputs" or "targets". */
static enum t2_status add_side(struct writing *w, const char *side, const char *tensor,
                               const char *const keys[2], const struct tok_encoder *e,
                               struct t2_err *err)
{
    struct t2_buf file = {0};
    int64_t n;

    if (!e) {
        say(w, side, t2_strdup(""));
        return T2_OK;
    }
    if (strcmp(tok_kind(e), "labels") == 0 || strcmp(tok_kind(e), "integers") == 0)
        return t2_fail(err, T2_EUNSUPPORTED,
                       "--format=bundle is for texts, and the %s of this model are %s", side,
                       tok_kind(e));
    tok_write(e, &file);
    say(w, side, t2_strdup(file.len_bytes > 0 ? "file" : "bytes"));
    say_number(w, keys[0], tok_offset(e));
    say_number(w, keys[1], tok_size(e));
    n = (int64_t) file.len_bytes;
    if (n > 0)
        add(w, tensor, CKPT_U8, 1, &n, (size_t) n, t2_buf_detach(&file));
    t2_buf_release(&file);
    return T2_OK;
}

static enum t2_status add_sides(struct writing *w, struct t2_err *err)
{
    static const char *const inputs[] = {"inputs_offset", "inputs_vocab"};
    static const char *const targets[] = {"targets_offset", "targets_vocab"};

    if (w->m->problem->class_labels || w->m->problem->sentences ||
        w->m->problem->image.height > 0 || !w->m->targets)
        return t2_fail(err, T2_EUNSUPPORTED,
                       "--format=bundle is for models that write text, and the targets of '%s' are "
                       "classes",
                       w->m->state->problem);
    T2_TRY(add_side(w, "inputs", "vocabulary/inputs", inputs, w->m->inputs, err));
    return add_side(w, "targets", "vocabulary/targets", targets, w->m->targets, err);
}

static void describe(struct writing *w)
{
    const struct xch_model *m = w->m;
    struct t2_buf hparams = {0};
    struct t2_json json;

    t2_json_init(&json, &hparams, 0);
    mdl_hparams_write_json(m->hp, &json);
    say(w, "format", t2_strdup(file_format));
    say(w, "version", t2_strdup(t2_version()));
    say_number(w, "step", m->state->step);
    say(w, "model", t2_strdup(m->state->model));
    say(w, "hparams_set", t2_strdup(m->state->hparams_set));
    say(w, "problem", t2_strdup(m->state->problem));
    say(w, "hparams", t2_buf_detach(&hparams));
    say_number(w, "input_space_id", m->problem->input_space_id);
    say_number(w, "target_space_id", m->problem->target_space_id);
    say_number(w, "context_separator", m->context_separator);
    say(w, "decode_hparams", t2_strdup(m->decode_hparams));
}

static uint32_t crc_of_tensors(const struct writing *w)
{
    uint32_t crc = 0;

    for (size_t i = 0; i < w->n; i++)
        crc = t2_crc32c(crc, w->tensors[i].data, w->tensors[i].n_bytes);
    return crc;
}

enum t2_status xch_write_model_file(const struct xch_model *m, const char *path,
                                    enum xch_storage storage, struct t2_err *err)
{
    struct writing w = {.m = m};
    const char *values[MAX_METADATA];
    enum t2_status st;

    w.tensors = t2_alloc(2 * (size_t) m->params->n_variables + 2, sizeof *w.tensors);
    describe(&w);
    for (int i = 0; i < m->params->n_variables; i++) {
        float *floats;

        T2_GOTO(st, out, xch_variable(m, &m->params->variables[i], &floats, err));
        add_variable(&w, &m->params->variables[i], floats, storage);
    }
    T2_GOTO(st, out, add_sides(&w, err));
    say(&w, "data_crc32c", crc_text(crc_of_tensors(&w)));
    for (size_t i = 0; i < w.n_metadata; i++)
        values[i] = w.values[i];
    st = ckpt_write(path, w.tensors, w.n, w.keys, values, w.n_metadata, NULL, err);
out:
    for (size_t i = 0; i < w.n; i++) {
        union {
            const void *borrowed;
            void *owned;
        } data = {w.tensors[i].data};

        t2_free(data.owned);
    }
    for (size_t i = 0; i < w.n_metadata; i++)
        t2_free(w.values[i]);
    t2_strs_release(&w.names);
    t2_free(w.tensors);
    return st;
}

/* ---- reading ---- */

static enum t2_status read_text(const struct xch_model_file *f, const char *path, const char *key,
                                char *to, size_t to_bytes, struct t2_err *err)
{
    const char *value = ckpt_metadata(f->file, key);

    if (!value || strlen(value) >= to_bytes)
        return t2_fail(err, T2_EFORMAT, "'%s': metadata '%s' is missing or too long", path, key);
    memcpy(to, value, strlen(value) + 1);
    return T2_OK;
}

static enum t2_status read_number(const struct xch_model_file *f, const char *path, const char *key,
                                  int64_t most, int64_t *number, struct t2_err *err)
{
    const char *value = ckpt_metadata(f->file, key);

    if (!value || !t2_parse_i64(value, number) || *number < 0 || *number > most)
        return t2_fail(err, T2_EFORMAT,
                       "'%s': metadata '%s' is missing or no number from 0 to "
                       "%" PRId64,
                       path, key, most);
    return T2_OK;
}

static enum t2_status read_hparams(struct xch_model_file *f, const char *path, struct t2_err *err)
{
    const char *text = ckpt_metadata(f->file, "hparams");
    struct t2_json_doc *doc = NULL;
    enum t2_status st;

    if (!text)
        return t2_fail(err, T2_EFORMAT, "'%s': metadata 'hparams' is missing", path);
    T2_GOTO(st, out, t2_json_parse(text, strlen(text), path, &doc, err));
    T2_GOTO(st, out, mdl_hparams_new(f->state.hparams_set, &f->hp, err));
    T2_GOTO(st, out, mdl_layer_file_read_json(f->hp, t2_json_root(doc), err));
    st = mdl_hparams_check(f->hp, err);
out:
    t2_json_free(doc);
    return st == T2_OK ? st : t2_wrap(err, "'%s'", path);
}

static enum t2_status read_all(struct xch_model_file *f, const char *path, struct t2_err *err)
{
    const char *format = ckpt_metadata(f->file, "format"), *settings;
    int64_t spaces[2], separator;

    if (!format || strcmp(format, file_format) != 0)
        return t2_fail(err, T2_EFORMAT,
                       "'%s' is no model that stands alone (its format is '%s', not '%s'); "
                       "t2t-exporter --format=bundle writes one",
                       path, format ? format : "not named", file_format);
    T2_TRY(read_text(f, path, "model", f->state.model, sizeof f->state.model, err));
    T2_TRY(
        read_text(f, path, "hparams_set", f->state.hparams_set, sizeof f->state.hparams_set, err));
    T2_TRY(read_text(f, path, "problem", f->state.problem, sizeof f->state.problem, err));
    T2_TRY(read_number(f, path, "step", INT64_MAX, &f->state.step, err));
    T2_TRY(read_number(f, path, "input_space_id", 31, &spaces[0], err));
    T2_TRY(read_number(f, path, "target_space_id", 31, &spaces[1], err));
    T2_TRY(read_number(f, path, "context_separator", INT32_MAX, &separator, err));
    f->context_separator = (int) separator;
    f->problem.input_space_id = (int) spaces[0];
    f->problem.target_space_id = (int) spaces[1];
    f->problem.loss_multiplier = 1.0;
    T2_TRY(read_hparams(f, path, err));
    T2_TRY(xch_sides_begin(f->file, f->path, &f->sides, err));
    f->problem.inputs_vocab = f->sides.side[XCH_INPUTS].n;
    f->problem.targets_vocab = f->sides.side[XCH_TARGETS].n;
    f->problem.has_inputs = f->sides.side[XCH_INPUTS].is_there;
    settings = ckpt_metadata(f->file, "decode_hparams");
    f->decode_hparams = t2_strdup(settings ? settings : "");
    return T2_OK;
}

bool xch_is_model_file(const char *model)
{
    return !mdl_is_layer_file(model) && (strchr(model, '/') || t2_ends_with(model, ".safetensors"));
}

enum t2_status xch_model_file_open(const char *path, struct xch_model_file *f, struct t2_err *err)
{
    *f = (struct xch_model_file){.path = t2_strdup(path)};
    T2_TRY(ckpt_open(path, &f->file, err));
    return read_all(f, path, err);
}

/* Of every byte behind the header, before one of them is used. */
static enum t2_status check_crc(const struct xch_model_file *f, struct t2_pool *pool,
                                struct t2_err *err)
{
    const char *want = ckpt_metadata(f->file, "data_crc32c");
    struct t2_slice data = ckpt_data(f->file);
    char *got;
    bool same;

    if (!want)
        return T2_OK;
    got = crc_text(t2_crc32c_large(pool, data.data, data.len_bytes));
    same = strcmp(got, want) == 0;
    t2_free(got);
    return same ? T2_OK
                : t2_fail(
                      err, T2_EFORMAT,
                      "the model file is damaged: the CRC-32C of its data is not what its header "
                      "says; export it again");
}

void xch_model_file_close(struct xch_model_file *f)
{
    xch_sides_end(&f->sides);
    tok_free(f->inputs);
    tok_free(f->targets);
    ckpt_close(f->file);
    mdl_hparams_free(f->hp);
    t2_free(f->decode_hparams);
    t2_free(f->path);
    *f = (struct xch_model_file){0};
}

/* Scales lie where the file has them, which need not be a multiple of 4. */
static float scale_at(const struct ckpt_tensor *scales, int64_t i)
{
    float scale;

    memcpy(&scale, (const uint8_t *) scales->data + (size_t) i * sizeof scale, sizeof scale);
    return scale;
}

/* Rows [row, row + n) of a matrix with so many columns. */
static void read_int8(float *restrict to, const uint8_t *restrict bytes,
                      const struct ckpt_tensor *scales, int64_t row, int64_t n, int64_t columns,
                      bool by_rows)
{
    float *scale = by_rows ? NULL : t2_alloc((size_t) columns, sizeof *scale);

    if (!by_rows)
        memcpy(scale, scales->data, (size_t) columns * sizeof *scale);
    for (int64_t r = 0; r < n; r++, to += columns) {
        const uint8_t *from = bytes + (row + r) * columns;
        float of_row = by_rows ? scale_at(scales, row + r) : 0.0F;

        if (by_rows)
            for (int64_t c = 0; c < columns; c++)
                to[c] = of_row * (float) (int8_t) from[c];
        else
            for (int64_t c = 0; c < columns; c++)
                to[c] = scale[c] * (float) (int8_t) from[c];
    }
    t2_free(scale);
}

static const struct ckpt_tensor *scales_of(struct ckpt_file *f, const struct gr_variable *v)
{
    char *name = t2_asprintf("%s/scale", v->name);
    const struct ckpt_tensor *scales = ckpt_find(f, name);

    t2_free(name);
    return scales;
}

/* Is its type, and that of its scales, one of ours? */
static bool is_readable(struct ckpt_file *f, const struct gr_variable *v)
{
    const struct ckpt_tensor *t = ckpt_find(f, v->name), *scales;

    if (t->type == CKPT_F32 || t->type == CKPT_BF16)
        return true;
    scales = scales_of(f, v);
    return t->type == CKPT_I8 && v->rank == 2 && scales && scales->type == CKPT_F32 &&
           scales->rank == 1 && scales->dims[0] == v->dims[scaled_by_rows(v->name) ? 0 : 1];
}

static void read_halves(const uint8_t *bytes, int64_t n, float *to)
{
    for (int64_t i = 0; i < n; i++)
        to[i] = from_bfloat16((uint16_t) (bytes[2 * i] | bytes[2 * i + 1] << 8));
}

/* A gr_make_rows_fn. */
static void read_rows(void *file, const struct gr_variable *v, int64_t row, int64_t n, float *to)
{
    const struct ckpt_tensor *t = ckpt_find(file, v->name);
    int64_t columns = v->dims[1];

    if (t->type == CKPT_BF16)
        read_halves((const uint8_t *) t->data + 2 * row * columns, n * columns, to);
    else
        read_int8(to, t->data, scales_of(file, v), row, n, columns, scaled_by_rows(v->name));
}

/* A gr_copy_whole_fn. */
static bool copy_whole(void *file, const struct gr_variable *v, bool by_rows, int64_t row,
                       int64_t n, int8_t *to, float *scales)
{
    const struct ckpt_tensor *t = ckpt_find(file, v->name), *all;
    int64_t columns = v->dims[1];

    if (t->type != CKPT_I8 || scaled_by_rows(v->name) != by_rows)
        return false;
    all = scales_of(file, v);
    memcpy(to, (const int8_t *) t->data + row * columns, (size_t) (n * columns));
    memcpy(scales, (const char *) all->data + (by_rows ? (size_t) row * sizeof *scales : 0),
           (size_t) (by_rows ? n : columns) * sizeof *scales);
    return true;
}

/* Of a variable that is_readable. */
static void read_values(struct ckpt_file *f, const struct gr_variable *v, float *values)
{
    const struct ckpt_tensor *t = ckpt_find(f, v->name);

    if (t->type == CKPT_F32)
        memcpy(values, t->data, t->n_bytes);
    else if (t->type == CKPT_BF16)
        read_halves(t->data, v->n, values);
    else
        read_rows(f, v, 0, v->dims[0], values);
}

static bool all_finite(const float *x, int64_t n)
{
    bool finite = true;

    for (int64_t i = 0; i < n; i++) /* all bits of the exponent: without a branch, in vectors */
        finite &= (dev_float_bits(x[i]) & 0x7f800000U) != 0x7f800000U;
    return finite;
}

/* Are the values finite, as far as that is seen without making them?  A product of a scale and 8
 * bits that might be too large is not. */
static bool surely_finite(struct ckpt_file *f, const struct gr_variable *v)
{
    const struct ckpt_tensor *t = ckpt_find(f, v->name), *scales;
    const uint8_t *bytes = t->data;
    bool finite = true;

    if (t->type == CKPT_BF16) {
        for (int64_t i = 0; i < v->n; i++)
            finite &= (bytes[2 * i + 1] & 0x7f) != 0x7f || (bytes[2 * i] & 0x80) == 0;
        return finite;
    }
    scales = scales_of(f, v);
    for (int64_t i = 0; i < scales->dims[0]; i++)
        finite &= fabsf(scale_at(scales, i)) <= FLT_MAX / 128; /* NaN is not */
    return finite;
}

/* Which parameters' values need not be there before somebody reads them: matrices that the file
 * has in fewer bits.  NULL: none. */
static bool *find_late(struct ckpt_file *f, const struct gr_params *p)
{
    bool *is_late, any = false;

    if (!gr_late_possible(p))
        return NULL;
    is_late = t2_alloc((size_t) p->n_params, sizeof *is_late);
    for (int i = 0; i < p->n_params; i++) {
        const struct gr_variable *v = &p->variables[p->params[i].first_variable];

        is_late[i] = true;
        for (int k = 0; k < p->params[i].n_variables; k++)
            is_late[i] &= v[k].rank == 2 && ckpt_find(f, v[k].name)->type != CKPT_F32 &&
                          is_readable(f, &v[k]) && surely_finite(f, &v[k]);
        any |= is_late[i];
    }
    if (any)
        return is_late;
    t2_free(is_late);
    return NULL;
}

static void close_file(void *file)
{
    ckpt_close(file);
}

struct restoring {
    struct ckpt_file *file;
    struct gr_params *params;
    bool lent;                 /* the values are used where they lie */
    bool *is_late;             /* (n_params), the params'; NULL: none */
    bool *is_read, *is_finite; /* of each variable */
};

/* Where the host can write them values are made in place, by several threads. */
static bool written_by_host(const struct gr_params *p, const struct gr_variable *v)
{
    return p->dev->host_memory && !gr_is_laid(p, v);
}

static void restore_variable(void *arg, int64_t i, int worker)
{
    struct restoring *r = arg;
    const struct gr_variable *v = &r->params->variables[i];
    const struct ckpt_tensor *t = ckpt_find(r->file, v->name);
    bool by_host = written_by_host(r->params, v);
    float *at = r->params->values + v->offset, *values = by_host ? at : NULL;

    (void) worker;
    if (r->is_late && r->is_late[v->param]) {
        r->is_read[i] = r->is_finite[i] = true;
        return;
    }
    if (r->lent) {
        r->is_read[i] = true;
        r->is_finite[i] = all_finite(t->data, v->n); /* aligned, or it could not be lent */
        return;
    }
    if (!by_host)
        values = t2_alloc((size_t) v->n, sizeof *values);
    r->is_read[i] = is_readable(r->file, v);
    if (r->is_read[i])
        read_values(r->file, v, values);
    r->is_finite[i] = r->is_read[i] && all_finite(values, v->n);
    if (!by_host) {
        if (r->is_finite[i])
            gr_upload(r->params, v, at, 0, values, v->n);
        t2_free(values);
    }
    ckpt_forget(r->file, t->data, t->n_bytes);
}

/* The first that is refused is named, whatever the order in which they were read. */
static enum t2_status restore_all(struct restoring *r, struct t2_pool *pool, struct t2_err *err)
{
    const struct gr_params *p = r->params;

    if (!p->dev->host_memory || p->n_laid > 0)
        pool = NULL;
    t2_pool_run(pool, p->n_variables, restore_variable, r);
    for (int i = 0; i < p->n_variables; i++) {
        if (!r->is_read[i])
            return t2_fail(err, T2_EFORMAT, "'%s' of the model file has no type that is read here",
                           p->variables[i].name);
        if (!r->is_finite[i])
            return t2_fail(err, T2_EFORMAT,
                           "'%s' of the model file has numbers that are not finite",
                           p->variables[i].name);
    }
    return T2_OK;
}

enum t2_status xch_model_file_settle(struct xch_model_file *f, struct t2_err *err)
{
    T2_TRY(xch_sides_wait(&f->sides, err));
    for (int k = 0; k < XCH_N_SIDES; k++) {
        struct tok_encoder **to = k == XCH_INPUTS ? &f->inputs : &f->targets;

        if (f->sides.side[k].tok)
            *to = f->sides.side[k].tok;
        f->sides.side[k].tok = NULL;
    }
    return T2_OK;
}

static enum t2_status restore(struct xch_model_file *f, struct gr_params *params, bool lent,
                              struct t2_err *err)
{
    size_t n = (size_t) params->n_variables;
    struct restoring r = {.file = f->file, .params = params, .lent = lent};
    enum t2_status st;

    for (int i = 0; i < params->n_variables; i++) {
        const struct gr_variable *v = &params->variables[i];
        const struct ckpt_tensor *t = ckpt_find(f->file, v->name);

        if (!t || t->rank != v->rank ||
            memcmp(t->dims, v->dims, (size_t) v->rank * sizeof *v->dims) != 0)
            return t2_fail(err, T2_EFORMAT,
                           "the model file holds no '%s' of the shape that its hparams ask for",
                           v->name);
    }
    gr_params_own(params);
    r.is_late = r.lent ? NULL : find_late(f->file, params);
    if (r.is_late) {
        gr_late_begin(params, read_rows, copy_whole, close_file, f->file, r.is_late);
        f->file = NULL;
    }
    r.is_read = t2_alloc(n, sizeof *r.is_read);
    r.is_finite = t2_alloc(n, sizeof *r.is_finite);
    st = restore_all(&r, dev_host_pool(params->dev), err);
    t2_free(r.is_read);
    t2_free(r.is_finite);
    if (st == T2_OK && r.lent)
        ckpt_lend(f->file, params);
    gr_values_changed(params);
    params->dev->sync(params->dev);
    return st;
}

/* The vocabularies have been read before the file belongs to the params and may go with them.  What
 * is wrong with them is said first: a number of ids that is wrong gives shapes that are. */
enum t2_status xch_model_file_restore(struct xch_model_file *f, struct gr_params *params,
                                      struct t2_err *err)
{
    bool lent = ckpt_can_lend(f->file, params); /* before the first byte is read */
    struct t2_err of_sides = T2_ERR_INIT;
    enum t2_status st;

    T2_TRY(check_crc(f, dev_host_pool(params->dev), err));
    st = restore(f, params, lent, err);
    if (xch_model_file_settle(f, &of_sides) != T2_OK)
        st = t2_fail(err, T2_EFORMAT, "%s", of_sides.message);
    if (st != T2_OK)
        gr_late_end(params);
    return st;
}
