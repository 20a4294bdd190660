/*
 * train/exchange/model_file_sides.c - see the header; the keys are described in model_file.c.
 */
#include "train/exchange/model_file_sides.h"

#include <inttypes.h>
#include <string.h>

#include "base/str.h"

static const struct {
    const char *name, *offset, *vocab, *tensor;
} keys[XCH_N_SIDES] = {{"inputs", "inputs_offset", "inputs_vocab", "vocabulary/inputs"},
                       {"targets", "targets_offset", "targets_vocab", "vocabulary/targets"}};

/* Ids that a vocabulary has without a byte in its file. */
enum { UNWRITTEN_IDS = 512 };

static enum t2_status read_number(struct ckpt_file *file, const char *path, const char *key,
                                  int64_t most, int32_t *number, struct t2_err *err)
{
    const char *value = ckpt_metadata(file, key);
    int64_t n;

    if (!value || !t2_parse_i64(value, &n) || n < 0 || n > most)
        return t2_fail(err, T2_EFORMAT,
                       "'%s': metadata '%s' is missing or no number from 0 to %" PRId64, path, key,
                       most);
    *number = (int32_t) n;
    return T2_OK;
}

static enum t2_status describe(struct ckpt_file *file, const char *path, int k, struct xch_side *s,
                               struct t2_err *err)
{
    const struct ckpt_tensor *t = ckpt_find(file, keys[k].tensor);
    const char *kind = ckpt_metadata(file, keys[k].name);

    if (!kind)
        return t2_fail(err, T2_EFORMAT, "'%s': metadata '%s' is missing or too long", path,
                       keys[k].name);
    if (kind[0] == '\0')
        return T2_OK;
    s->is_there = true;
    T2_TRY(read_number(file, path, keys[k].offset, 2, &s->offset, err));
    T2_TRY(read_number(file, path, keys[k].vocab, INT32_MAX, &s->n, err));
    s->is_file = strcmp(kind, "bytes") != 0;
    if (s->is_file && (strcmp(kind, "file") != 0 || !t || t->type != CKPT_U8))
        return t2_fail(err, T2_EFORMAT, "'%s': the vocabulary of the %s is missing", path,
                       keys[k].name);
    if (s->is_file)
        s->bytes = (struct t2_slice){t->data, t->n_bytes};
    /* a model is made by this number, before it can be compared: no more than there may be */
    if ((uint64_t) s->n > s->bytes.len_bytes + UNWRITTEN_IDS)
        return t2_fail(err, T2_EFORMAT,
                       "'%s': the vocabulary of the %s has %zu bytes, which are not %" PRId32
                       " ids",
                       path, keys[k].name, s->bytes.len_bytes, s->n);
    return T2_OK;
}

static enum t2_status read_side(struct xch_sides *s, int k, struct t2_err *err)
{
    struct xch_side *side = &s->side[k];

    if (side->is_file)
        T2_TRY(tok_parse(s->path, side->bytes.data, side->bytes.len_bytes, &side->tok, err));
    else
        side->tok = tok_bytes_new();
    if (side->offset != tok_offset(side->tok))
        tok_shift(side->tok);
    if (tok_size(side->tok) == side->n && side->offset == tok_offset(side->tok))
        return T2_OK;
    return t2_fail(err, T2_EFORMAT,
                   "'%s': the vocabulary of the %s has %" PRId32 " ids, not %" PRId32, s->path,
                   keys[k].name, tok_size(side->tok), side->n);
}

static void *read_sides(void *arg)
{
    struct xch_sides *s = arg;

    for (int k = 0; s->st == T2_OK && k < XCH_N_SIDES; k++)
        if (s->side[k].is_there)
            s->st = read_side(s, k, &s->err);
    return NULL;
}

enum t2_status xch_sides_begin(struct ckpt_file *file, const char *path, struct xch_sides *s,
                               struct t2_err *err)
{
    *s = (struct xch_sides){.path = path, .err = T2_ERR_INIT};
    T2_TRY(describe(file, path, XCH_INPUTS, &s->side[XCH_INPUTS], err));
    T2_TRY(describe(file, path, XCH_TARGETS, &s->side[XCH_TARGETS], err));
    if (!s->side[XCH_TARGETS].is_there)
        return t2_fail(err, T2_EFORMAT, "'%s': the vocabulary of the targets is missing", path);
    s->running = pthread_create(&s->thread, NULL, read_sides, s) == 0;
    if (!s->running)
        (void) read_sides(s);
    return T2_OK;
}

enum t2_status xch_sides_wait(struct xch_sides *s, struct t2_err *err)
{
    if (s->running)
        pthread_join(s->thread, NULL);
    s->running = false;
    return s->st == T2_OK ? T2_OK : t2_fail(err, s->st, "%s", s->err.message);
}

void xch_sides_end(struct xch_sides *s)
{
    if (s->running)
        pthread_join(s->thread, NULL);
    for (int k = 0; k < XCH_N_SIDES; k++)
        tok_free(s->side[k].tok);
    *s = (struct xch_sides){.st = T2_OK};
}
