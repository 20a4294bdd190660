/*
 * vocab/entry_text.c - see entry_text.h.
 */
#include "vocab/entry_text.h"

#include "base/file.h"
#include "base/shown.h"

void voc_put_entry(struct t2_buf *out, struct t2_slice entry, bool backslash)
{
    for (size_t i = 0; i < entry.len_bytes; i++) {
        uint8_t b = entry.data[i];

        if (b == '\n' || b == '\t' || b == '\r')
            t2_buf_printf(out, "\\%c", b == '\n' ? 'n' : b == '\t' ? 't' : 'r');
        else if (b == 0xC2 && i + 1 < entry.len_bytes && entry.data[i + 1] >= 0x80 &&
                 entry.data[i + 1] < 0xA0) /* C1, which a terminal obeys, too */
            t2_buf_printf(out, "\\xc2\\x%02x", entry.data[++i]);
        else if (b < 0x20 || b == 0x7F)
            t2_buf_printf(out, "\\x%02x", b);
        else if (b == '\\' && backslash)
            t2_buf_puts(out, "\\\\");
        else
            t2_buf_push(out, b);
    }
}

enum t2_status voc_print(struct t2_slice report, bool is_json, struct t2_err *err)
{
    struct t2_out *out = NULL;

    T2_TRY(t2_out_new("-", &out, err));
    t2_show_out(report, is_json, out);
    return t2_out_commit(out, err);
}
