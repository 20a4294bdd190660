/*
 * tfrec/cmd_raw.c - tfrec raw: payloads of any protobuf type, at wire level.
 */
#include <inttypes.h>

#include "tfrec/commands.h"
#include "tfrec/raw_message.h"
#include "tfrec/show.h"

static int64_t n_wanted = -1;
static bool as_json;

/* clang-format off */
static const struct t2_flag table[] = {
    {"n", T2_FLAG_INT, &n_wanted, "N", "How many records, over all inputs; -1: all.", NULL},
    {"json", T2_FLAG_BOOL, &as_json, NULL, "One JSON object a record.", NULL},
};
/* clang-format on */

static const struct t2_tool tool = {
    .name = "tfrec raw",
    .usage = "[flags] INPUT...",
    .summary =
        "Shows payloads of any protobuf type as `protoc --decode_raw` does: field numbers and "
        "values. Bytes that look like a message are shown as one. A line `# record N` stands "
        "before each.",
    .examples = "  tfrec raw -n 1 variants.tfrecord.gz\n"
                "  tfrec raw --json a.tfrecord | jq '.fields[0]'\n",
    .flags = table,
    .n_flags = sizeof table / sizeof *table,
};

static enum t2_status show(const void *options, struct rec_row *r, uint64_t number,
                           struct t2_slice record, struct t2_buf *text, struct t2_err *err)
{
    size_t start = text->len_bytes;
    enum t2_status st;

    (void) options, (void) r;
    if (as_json) {
        t2_buf_printf(text, "{\"record\":%" PRIu64 ",\"bytes\":%zu,\"fields\":", number,
                      record.len_bytes);
        st = rec_raw_json(record, text, err);
        t2_buf_puts(text, "}\n");
    } else {
        t2_buf_printf(text, "# record %" PRIu64 ", %zu bytes\n", number, record.len_bytes);
        st = rec_raw_text(record, text, err);
    }
    if (st != T2_OK)
        text->len_bytes = start;
    return st;
}

static enum t2_status run(int argc, char **argv, struct t2_err *err)
{
    struct rec_range range = {0, UINT64_MAX, 0};
    struct tfr_inputs in;
    enum t2_status st = rec_parse_inputs(&tool, argc, argv, &in, err);

    if (n_wanted >= 0)
        range.end = (uint64_t) n_wanted;
    if (st == T2_OK)
        st = rec_show_with(&in, show, NULL, &range, err);
    tfr_inputs_release(&in);
    return st;
}

const struct t2_command rec_cmd_raw = {"raw", "Shows any protobuf payload at wire level.", run};
