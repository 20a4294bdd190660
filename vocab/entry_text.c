/*
 * vocab/entry_text.c - see entry_text.h.
 */
#include "vocab/entry_text.h"

void voc_put_entry(struct t2_buf *out, struct t2_slice entry, bool backslash)
{
    for (size_t i = 0; i < entry.len_bytes; i++) {
        uint8_t b = entry.data[i];

        if (b == '\n' || b == '\t' || b == '\r')
            t2_buf_printf(out, "\\%c", b == '\n' ? 'n' : b == '\t' ? 't' : 'r');
        else if (b < 0x20 || b == 0x7F)
            t2_buf_printf(out, "\\x%02x", b);
        else if (b == '\\' && backslash)
            t2_buf_puts(out, "\\\\");
        else
            t2_buf_push(out, b);
    }
}
