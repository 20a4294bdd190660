/*
 * tfrec/row_flags.c - what --json, --fields, --bytes, --vocab, --number, --raw mean.
 */
#include "tfrec/row_flags.h"

#include <string.h>

#include "tfrec/open_vocab.h"
#include "tfrecord/writer.h"
#include "tokenizer/encoder.h"

struct rec_row_flags rec_row_given = {.json = "short", .fields = "", .bytes = "auto", .vocab = ""};

static enum t2_status read_bytes(struct rec_row_options *o, struct t2_err *err)
{
    const char *how = rec_row_given.bytes;

    if (strcmp(how, "auto") == 0)
        o->bytes = REC_BYTES_AUTO;
    else if (strcmp(how, "text") == 0)
        o->bytes = REC_BYTES_TEXT;
    else if (strcmp(how, "base64") == 0)
        o->bytes = REC_BYTES_BASE64;
    else
        return t2_fail(err, T2_EUSAGE, "flag '--bytes': '%s' is not auto, text or base64", how);
    return T2_OK;
}

static enum t2_status read_shape(struct rec_row_options *o, struct t2_err *err)
{
    const char *shape = rec_row_given.json;

    if (*shape == '\0' || strcmp(shape, "short") == 0)
        o->shape = REC_SHORT;
    else if (strcmp(shape, "proto") == 0)
        o->shape = REC_PROTO;
    else
        return t2_fail(err, T2_EUSAGE, "flag '--json': '%s' is not short or proto", shape);
    return T2_OK;
}

enum t2_status rec_row_flags_read(struct rec_row_options *o, const struct tfr_inputs *in,
                                  struct t2_err *err)
{
    struct tok_encoder *vocab = NULL;

    *o = (struct rec_row_options){.number = rec_row_given.number};
    T2_TRY(read_shape(o, err));
    T2_TRY(read_bytes(o, err));
    if (rec_row_given.framed && !rec_row_given.raw)
        return t2_fail(err, T2_EUSAGE, "flag '--framed' needs --raw");
    if (rec_row_given.raw &&
        (rec_row_given.number || *rec_row_given.fields || *rec_row_given.vocab))
        return t2_fail(err, T2_EUSAGE,
                       "flag '--raw' gives payloads as they are: no --number, --fields, --vocab");
    if (*rec_row_given.vocab && o->shape == REC_PROTO)
        return t2_fail(err, T2_EUSAGE, "flag '--vocab' goes with the short shape only");
    t2_strs_split(&o->fields, rec_row_given.fields, ',');
    if (*rec_row_given.vocab)
        T2_TRY(rec_open_vocab(rec_row_given.vocab, in, &vocab, err));
    o->vocab = vocab;
    return T2_OK;
}

void rec_row_options_release(struct rec_row_options *o)
{
    t2_strs_release(&o->fields);
    tok_free((struct tok_encoder *) (uintptr_t) o->vocab);
    *o = (struct rec_row_options){0};
}

enum t2_status rec_row_show(const struct rec_row_options *o, struct rec_row *r, uint64_t number,
                            struct t2_slice record, struct t2_buf *out, struct t2_err *err)
{
    if (!rec_row_given.raw) {
        enum t2_status st = rec_row_print(o, r, number, record, out, err);
        if (st != T2_EFORMAT)
            return st;
        struct t2_err why = *err;
        return t2_fail(err, st,
                       "%.800s; `tfrec raw` shows other protobuf messages, --raw the bytes",
                       why.message);
    }
    if (rec_row_given.framed)
        tfr_frame(out, record.data, record.len_bytes);
    else
        t2_buf_append(out, record.data, record.len_bytes);
    return T2_OK;
}
