/*
 * tokenizer/sp_model.c - reading the protobuf of a SentencePiece model.
 *
 * Field numbers: sentencepiece_model.proto.  The file is read twice: once to count the pieces, then
 * into arrays of that size.  Unknown fields are stepped over.
 *
 *   ModelProto      repeated SentencePiece pieces = 1; TrainerSpec = 2; NormalizerSpec = 3
 *   SentencePiece   string piece = 1; float score = 2 (fixed32); enum type = 3
 *   precompiled_charsmap of NormalizerSpec:
 *     4 bytes       size of the trie, little-endian
 *     size          units of a darts-clone double array, 4 bytes each (charsmap.c)
 *     rest          replacements, each with a NUL; a unit's value is an offset into them
 *
 * Defaults of fields that are absent are set in tok_sp_read.
 */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/protobuf.h"
#include "tokenizer/sentencepiece.h"
#include "tokenizer/unicode.h"

enum { /* ModelProto */
       PIECES = 1,
       TRAINER_SPEC = 2,
       NORMALIZER_SPEC = 3,
       /* SentencePiece */
       PIECE = 1,
       SCORE = 2,
       TYPE = 3,
       /* TrainerSpec */
       MODEL_TYPE = 3,
       TREAT_WHITESPACE_AS_SUFFIX = 24,
       BYTE_FALLBACK = 35,
       UNK_ID = 40,
       BOS_ID = 41,
       EOS_ID = 42,
       PAD_ID = 43,
       UNK_SURFACE = 44,
       /* NormalizerSpec */
       PRECOMPILED_CHARSMAP = 2,
       ADD_DUMMY_PREFIX = 3,
       REMOVE_EXTRA_WHITESPACES = 4,
       ESCAPE_WHITESPACES = 5
};

/* A field: its number and its value, by wire type. */
struct field {
    uint32_t number;
    uint64_t value;       /* varint or fixed32 */
    struct t2_slice body; /* length-delimited */
};

/* The next field; false at the end or when the bytes are broken (*ok is then false). */
static bool next_field(struct t2_wire *w, struct field *f, bool *ok)
{
    uint32_t tag = 0;

    *f = (struct field){.number = 0};
    if (!t2_wire_more(w))
        return false;
    *ok = t2_wire_tag(w, &tag);
    f->number = tag >> 3;
    if (*ok && (tag & 7) == T2_WIRE_VARINT)
        *ok = t2_wire_varint(w, T2_VARINT_MAX_BYTES, &f->value);
    else if (*ok && (tag & 7) == T2_WIRE_BYTES)
        *ok = t2_wire_bytes(w, &f->body);
    else if (*ok && (tag & 7) == T2_WIRE_FIXED32) {
        const uint8_t *p = w->p;
        *ok = t2_wire_fixed(w, 4);
        if (*ok)
            f->value = (uint64_t) p[0] | (uint64_t) p[1] << 8 | (uint64_t) p[2] << 16 |
                       (uint64_t) p[3] << 24;
    } else if (*ok)
        *ok = t2_wire_skip(w, tag, 1);
    return *ok;
}

static bool read_piece(struct tok_sp_model *m, struct t2_slice body)
{
    struct t2_wire w = t2_wire_of(body);
    struct field f;
    bool ok = true;
    uint32_t bits;

    m->types[m->n] = TOK_SP_NORMAL;
    while (next_field(&w, &f, &ok)) {
        if (f.number == PIECE)
            m->pieces[m->n] = f.body;
        else if (f.number == SCORE) {
            bits = (uint32_t) f.value;
            memcpy(&m->scores[m->n], &bits, sizeof bits);
        } else if (f.number == TYPE)
            m->types[m->n] = f.value <= TOK_SP_BYTE ? (uint8_t) f.value : 0;
    }
    m->n++;
    return ok;
}

static bool read_trainer(struct tok_sp_model *m, struct t2_slice body)
{
    struct t2_wire w = t2_wire_of(body);
    struct field f;
    bool ok = true;

    while (next_field(&w, &f, &ok)) {
        switch (f.number) {
        case MODEL_TYPE:
            m->model_type = f.value <= 100 ? (enum tok_sp_model_type) f.value : 0;
            break;
        case TREAT_WHITESPACE_AS_SUFFIX:
            m->treat_whitespace_as_suffix = f.value != 0;
            break;
        case BYTE_FALLBACK:
            m->byte_fallback = f.value != 0;
            break;
        case UNK_ID:
            m->unknown = (int32_t) f.value;
            break;
        case BOS_ID:
            m->bos = (int32_t) f.value;
            break;
        case EOS_ID:
            m->eos = (int32_t) f.value;
            break;
        case PAD_ID:
            m->pad = (int32_t) f.value;
            break;
        case UNK_SURFACE:
            m->unknown_surface = f.body;
            break;
        default:
            break;
        }
    }
    return ok;
}

/* Splits a precompiled_charsmap into units and replacements; false: its sizes do not fit. */
bool tok_sp_map_of(struct t2_slice map, struct tok_sp_normalizer *n)
{
    uint32_t units_bytes;

    if (map.len_bytes < 4)
        return false;
    units_bytes = (uint32_t) map.data[0] | (uint32_t) map.data[1] << 8 |
                  (uint32_t) map.data[2] << 16 | (uint32_t) map.data[3] << 24;
    if (units_bytes > map.len_bytes - 4 || units_bytes % 4 != 0)
        return false;
    n->units = (struct t2_slice){map.data + 4, units_bytes};
    n->replacements =
        (struct t2_slice){map.data + 4 + units_bytes, map.len_bytes - 4 - units_bytes};
    return true;
}

static bool read_normalizer(struct tok_sp_model *m, struct t2_slice body)
{
    struct tok_sp_normalizer *n = &m->normalizer;
    struct t2_wire w = t2_wire_of(body);
    struct t2_slice map = {NULL, 0};
    struct field f;
    bool ok = true;

    while (next_field(&w, &f, &ok)) {
        if (f.number == PRECOMPILED_CHARSMAP)
            map = f.body;
        else if (f.number == ADD_DUMMY_PREFIX)
            n->add_dummy_prefix = f.value != 0;
        else if (f.number == REMOVE_EXTRA_WHITESPACES)
            n->remove_extra_whitespaces = f.value != 0;
        else if (f.number == ESCAPE_WHITESPACES)
            n->escape_whitespaces = f.value != 0;
    }
    return ok && (map.len_bytes == 0 || tok_sp_map_of(map, n));
}

static size_t count_pieces(struct t2_slice file, bool *ok)
{
    struct t2_wire w = t2_wire_of(file);
    struct field f;
    size_t n = 0;

    *ok = true;
    while (next_field(&w, &f, ok))
        n += f.number == PIECES;
    return n;
}

static enum t2_status broken(const char *origin, struct t2_err *err)
{
    return t2_fail(err, T2_EFORMAT,
                   "'%s' is not a whole SentencePiece model: its protobuf is broken", origin);
}

static int32_t id_or_none(const struct tok_sp_model *m, int32_t id)
{
    return id >= 0 && id < m->n ? id : -1;
}

enum t2_status tok_sp_check_map(const struct tok_sp_normalizer *n, const char *origin,
                                struct t2_err *err)
{
    const uint8_t *p = n->replacements.data;
    size_t left = n->replacements.len_bytes;

    while (left > 0) {
        const uint8_t *nul = memchr(p, 0, left);
        size_t len = nul ? (size_t) (nul - p) : left;

        if (len > TOK_SP_MAX_REPLACEMENT)
            return t2_fail(err, T2_EFORMAT,
                           "'%s': the character map has a replacement of %zu bytes; %d are taken",
                           origin, len, TOK_SP_MAX_REPLACEMENT);
        p += nul ? len + 1 : len;
        left -= nul ? len + 1 : len;
    }
    return T2_OK;
}

enum t2_status tok_sp_read(struct tok_sp_model *m, const char *origin, struct t2_err *err)
{
    struct t2_slice file = t2_buf_slice(&m->file);
    struct t2_wire w = t2_wire_of(file);
    struct field f;
    bool ok;
    size_t n = count_pieces(file, &ok);

    if (!ok || n > INT32_MAX)
        return broken(origin, err);
    m->model_type = TOK_SP_UNIGRAM;
    m->unknown = 0;
    m->bos = 1;
    m->eos = 2;
    m->pad = -1;
    m->unknown_surface = t2_slice_of(" \xE2\x81\x87 ");
    m->normalizer.add_dummy_prefix = true;
    m->normalizer.remove_extra_whitespaces = true;
    m->normalizer.escape_whitespaces = true;
    m->pieces = t2_alloc(n, sizeof *m->pieces);
    m->scores = t2_alloc(n, sizeof *m->scores);
    m->types = t2_alloc(n, 1);
    while (ok && next_field(&w, &f, &ok)) {
        if (f.number == PIECES)
            ok = read_piece(m, f.body);
        else if (f.number == TRAINER_SPEC)
            ok = read_trainer(m, f.body);
        else if (f.number == NORMALIZER_SPEC)
            ok = read_normalizer(m, f.body);
    }
    if (!ok)
        return broken(origin, err);
    for (int32_t i = 0; i < m->n; i++)
        if (tok_utf8_invalid_at(m->pieces[i].data, m->pieces[i].len_bytes) !=
            m->pieces[i].len_bytes)
            return t2_fail(err, T2_EFORMAT, "'%s': piece %" PRId32 " is not UTF-8", origin, i);
    if (tok_utf8_invalid_at(m->unknown_surface.data, m->unknown_surface.len_bytes) !=
        m->unknown_surface.len_bytes)
        return t2_fail(err, T2_EFORMAT, "'%s': unk_surface is not UTF-8", origin);
    m->pad = id_or_none(m, m->pad);
    m->bos = id_or_none(m, m->bos);
    m->eos = id_or_none(m, m->eos);
    return tok_sp_check_map(&m->normalizer, origin, err);
}

bool tok_sp_looks_like(const void *data, size_t len_bytes)
{
    struct t2_wire w = t2_wire_of((struct t2_slice){data, len_bytes});
    struct t2_slice body;
    uint32_t tag;

    /* A piece, whose first field is its text. */
    return t2_wire_tag(&w, &tag) && tag == T2_TAG(PIECES, T2_WIRE_BYTES) &&
           t2_wire_bytes(&w, &body) && body.len_bytes >= 2 &&
           body.data[0] == T2_TAG(PIECE, T2_WIRE_BYTES) && body.data[1] <= body.len_bytes - 2;
}
