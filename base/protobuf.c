/*
 * base/protobuf.c - stepping over unknown fields.
 *
 * A tag is a varint: field number << 3 | wire type.  0 varint, 1 eight bytes, 2 length and bytes,
 * 3 start of a group, 4 end of a group, 5 four bytes.  Groups nest and end with the number they
 * began with; a stack of numbers takes the place of recursion, so that a hostile message cannot use
 * up the program's stack.
 */
#include "base/protobuf.h"

/* A field that is no group. */
static bool skip_plain(struct t2_wire *w, uint32_t tag)
{
    struct t2_slice body;
    uint64_t v;

    switch (tag & 7) {
    case T2_WIRE_VARINT:
        return t2_wire_varint(w, T2_VARINT_MAX_BYTES, &v);
    case T2_WIRE_FIXED64:
        return t2_wire_fixed(w, 8);
    case T2_WIRE_BYTES:
        return t2_wire_bytes(w, &body);
    case T2_WIRE_FIXED32:
        return t2_wire_fixed(w, 4);
    default:
        return false;
    }
}

bool t2_wire_skip(struct t2_wire *w, uint32_t tag, int depth)
{
    uint32_t open[T2_WIRE_MAX_DEPTH]; /* field numbers of the groups that are open */
    int n_open = 0;

    do {
        const uint8_t *before = w->p;
        if (n_open > 0 && !t2_wire_tag(w, &tag))
            return false;
        if ((tag & 7) == T2_WIRE_GROUP) {
            if (depth + n_open >= T2_WIRE_MAX_DEPTH)
                return false;
            open[n_open++] = tag >> 3;
        } else if ((tag & 7) == T2_WIRE_GROUP_END) {
            if (n_open == 0 || open[n_open - 1] != tag >> 3) {
                w->p = before;
                return false;
            }
            n_open--;
        } else if (!skip_plain(w, tag)) {
            return false;
        }
    } while (n_open > 0);
    return true;
}
