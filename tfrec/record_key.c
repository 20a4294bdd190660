/*
 * tfrec/record_key.c - hashes of records.
 */
#include "tfrec/record_key.h"

#include "base/alloc.h"

void rec_key_scratch_release(struct rec_key_scratch *s)
{
    tfr_example_release(&s->example);
    tfr_sequence_release(&s->sequence);
    t2_buf_release(&s->canonical);
    t2_buf_release(&s->values);
}

struct t2_slice rec_canonical(struct rec_key_scratch *s, struct t2_slice record)
{
    struct t2_err ignored = T2_ERR_INIT;
    bool is_sequence = false;

    if (!tfr_is_example(&s->example, record) ||
        tfr_sequence_parse(&s->sequence, record, &is_sequence, &ignored) != T2_OK || is_sequence)
        return record;
    t2_buf_clear(&s->canonical);
    tfr_example_canonical(&s->canonical, &s->values, &s->example);
    return t2_buf_slice(&s->canonical);
}

/* Appends the Example of the features that are there. */
static size_t some_features(const struct rec_key_options *o, struct rec_key_scratch *s)
{
    struct tfr_named_view *features = t2_alloc(o->features.n, sizeof *features);
    size_t n = 0, at;
    bool unique;

    for (size_t i = 0; i < o->features.n; i++) {
        const struct tfr_view *v = tfr_example_find(&s->example, o->features.items[i]);
        if (v)
            features[n++] = (struct tfr_named_view){v->name, v};
    }
    unique = tfr_named_views_sort(features, n, &at);
    T2_ASSERT(unique); /* the caller names each once */
    tfr_example_write(&s->canonical, &s->values, features, n);
    t2_free(features);
    return n;
}

enum t2_status rec_record_key(const struct rec_key_options *o, struct rec_key_scratch *s,
                              struct t2_slice record, uint8_t hash[T2_SIPHASH_BYTES], bool *found,
                              struct t2_err *err)
{
    struct t2_slice content = record;
    bool is_sequence = false;

    *found = true;
    if (o->features.n > 0) {
        T2_TRY(tfr_example_parse(&s->example, record, err));
        T2_TRY(tfr_sequence_parse(&s->sequence, record, &is_sequence, err));
        if (is_sequence)
            return t2_fail(err, T2_EUNSUPPORTED,
                           "a SequenceExample; only whole records of this kind are compared");
        t2_buf_clear(&s->canonical);
        *found = some_features(o, s) > 0;
        content = t2_buf_slice(&s->canonical);
    } else if (o->by_example) {
        content = rec_canonical(s, record);
    }
    t2_siphash128(o->sip_key, content.data, content.len_bytes, hash);
    return T2_OK;
}
