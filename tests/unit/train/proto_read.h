/*
 * tests/unit/train/proto_read.h - fields of protobuf messages, one after the other.  Include it
 * after tests/support/t.h.
 */
#ifndef T2_TESTS_UNIT_TRAIN_PROTO_READ_H
#define T2_TESTS_UNIT_TRAIN_PROTO_READ_H

#include <string.h>

#include "base/protobuf.h"

struct pr_field {
    uint32_t number;
    struct t2_slice body; /* of a length-delimited one */
    uint64_t value;       /* of a varint */
};

/* false at the end of the message. */
static inline bool pr_next(struct t2_wire *w, struct pr_field *f)
{
    uint32_t tag = 0;

    if (!t2_wire_more(w))
        return false;
    assert_true(t2_wire_tag(w, &tag));
    *f = (struct pr_field){.number = tag >> 3};
    if ((tag & 7) == T2_WIRE_BYTES)
        assert_true(t2_wire_bytes(w, &f->body));
    else if ((tag & 7) == T2_WIRE_VARINT)
        assert_true(t2_wire_varint(w, 10, &f->value));
    else
        assert_true(t2_wire_skip(w, tag, 0));
    return true;
}

static inline bool pr_is(struct t2_slice s, const char *text)
{
    return s.len_bytes == strlen(text) && memcmp(s.data, text, s.len_bytes) == 0;
}

/* The last field of that number, empty without. */
static inline struct pr_field pr_get(struct t2_slice message, uint32_t number)
{
    struct t2_wire w = t2_wire_of(message);
    struct pr_field f, found = {0};

    while (pr_next(&w, &f))
        if (f.number == number)
            found = f;
    return found;
}

#endif
