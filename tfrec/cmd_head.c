/*
 * tfrec/cmd_head.c - tfrec head: the first records.
 */
#include "tfrec/commands.h"
#include "tfrec/show.h"

static int64_t n_wanted = 10;

/* clang-format off */
static const struct t2_flag table[] = {
    {"n", T2_FLAG_INT, &n_wanted, "N", "How many records, over all inputs: -n 3.", NULL},
    REC_ROW_FLAGS,
};
/* clang-format on */

static const struct t2_tool tool = {
    .name = "tfrec head",
    .usage = "[flags] INPUT...",
    .summary = "Shows the first records as JSON Lines: tf.train.Example or SequenceExample. Other "
               "payloads: `tfrec raw`, or --raw for their bytes.",
    .examples = "  tfrec head -n 3 --vocab=data/vocab.x.32768.subwords data/x-train@100\n"
                "  tfrec head --json=proto --fields=label a.tfrecord | jq .\n",
    .flags = table,
    .n_flags = sizeof table / sizeof *table,
};

static enum t2_status run(int argc, char **argv, struct t2_err *err)
{
    struct rec_row_options rows;
    struct tfr_inputs in;
    struct rec_range range = {0};
    enum t2_status st = rec_show_parse(&tool, argc, argv, &rows, &in, &n_wanted, err);

    range.end = (uint64_t) n_wanted;
    if (st == T2_OK)
        st = rec_show_range(&in, &rows, &range, err);
    rec_row_options_release(&rows);
    tfr_inputs_release(&in);
    return st;
}

const struct t2_command rec_cmd_head = {"head", "Shows the first records as JSON Lines.", run};
