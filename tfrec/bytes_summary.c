/*
 * tfrec/bytes_summary.c - one bytes value for people: its text, or what kind of thing it is.
 */
#include "base/text.h"
#include "tfrec/image_type.h"
#include "tfrec/rows.h"

bool rec_is_text(struct t2_slice value)
{
    for (size_t i = 0; i < value.len_bytes; i++) {
        uint8_t c = value.data[i];
        if ((c < ' ' && c != '\n' && c != '\r' && c != '\t') || c == 0x7f)
            return false;
    }
    return t2_utf8_invalid_at(value.data, value.len_bytes) == value.len_bytes;
}

void rec_bytes_summary(struct t2_slice value, struct t2_buf *out)
{
    uint32_t width, height;
    char size[32];

    if (rec_is_text(value)) {
        t2_buf_append(out, value.data, value.len_bytes);
        return;
    }
    enum rec_image type = rec_image_type(value);
    t2_buf_printf(out, "<%s", type == REC_NO_IMAGE ? "binary" : rec_image_name(type));
    if (rec_image_size(value, &width, &height))
        t2_buf_printf(out, " %ux%u", width, height);
    t2_buf_printf(out, ", %s>", t2_human_bytes(value.len_bytes, size, sizeof size));
}
