/*
 * tokenizer/hf_reading.h - between hf_json*.c: a tokenizer.json that is being read.
 */
#ifndef TOK_HF_READING_H
#define TOK_HF_READING_H

#include <stdbool.h>
#include <string.h>

#include "base/err.h"
#include "base/json.h"
#include "tokenizer/hf_tokenizer.h"

struct tok_hf_reading {
    struct tok_hf_tokenizer *h;
    const char *origin;
    struct t2_slice *entries;
    size_t n, capacity;
    size_t n_vocab; /* tokens of the model */
    struct t2_err *err;
};

static inline const char *tok_hf_type_of(const struct t2_json_value *v)
{
    return t2_json_as_string(t2_json_get(v, "type"), "");
}

static inline bool tok_hf_is(const struct t2_json_value *v, const char *type)
{
    return strcmp(tok_hf_type_of(v), type) == 0;
}

static inline struct t2_slice tok_hf_string_of(const struct t2_json_value *v, const char *key,
                                               const char * or)
{
    return t2_slice_of(t2_json_as_string(t2_json_get(v, key), or));
}

static inline bool tok_hf_flag_of(const struct t2_json_value *v, const char *key, bool or)
{
    return t2_json_as_bool(t2_json_get(v, key), or);
}

static inline enum t2_status tok_hf_unknown_part(const struct tok_hf_reading *r, const char *part,
                                                 const char *what)
{
    return t2_fail(r->err, T2_EUNSUPPORTED, "'%s': the %s '%s' is not known here", r->origin, part,
                   what);
}

static inline enum t2_status tok_hf_broken(const struct tok_hf_reading *r, const char *what)
{
    return t2_fail(r->err, T2_EFORMAT, "'%s': %s", r->origin, what);
}

/* Sets the token of an id.  T2_EFORMAT: there are no such ids. */
T2_MUST_CHECK enum t2_status tok_hf_add_entry(struct tok_hf_reading *r, int64_t id,
                                              struct t2_slice token);
/* hf_json_normalizer.c: appends the steps of a normalizer. */
T2_MUST_CHECK enum t2_status tok_hf_read_normalizer(struct tok_hf_reading *r,
                                                    const struct t2_json_value *v, int depth);
/* One Replace of a `part` ("normalizer", "decoder"); the caller owns step->regex. */
T2_MUST_CHECK enum t2_status tok_hf_read_replace(struct tok_hf_reading *r, const char *part,
                                                 const struct t2_json_value *v,
                                                 struct tok_hf_step *step);
/* hf_json_model.c: the "model", its tokens and merges. */
T2_MUST_CHECK enum t2_status tok_hf_read_model(struct tok_hf_reading *r,
                                               const struct t2_json_value *v);

#endif
