/*
 * tfrec/cmd_cat.c - tfrec cat: all records.
 */
#include "tfrec/commands.h"
#include "tfrec/show.h"

/* clang-format off */
static const struct t2_flag table[] = {
    REC_ROW_FLAGS,
};
/* clang-format on */

static const struct t2_tool tool = {
    .name = "tfrec cat",
    .usage = "[flags] INPUT...",
    .summary = "Shows all records as JSON Lines: tf.train.Example or SequenceExample. With "
               "--bytes=base64, `tfrec convert` makes the same records of them again.",
    .examples = "  tfrec cat --bytes=base64 a.tfrecord.gz > a.jsonl\n"
                "  tfrec cat --raw lines.tfrecord | sort\n",
    .flags = table,
    .n_flags = sizeof table / sizeof *table,
};

static enum t2_status run(int argc, char **argv, struct t2_err *err)
{
    static const struct rec_range all = {0, UINT64_MAX, 0};
    struct rec_row_options rows;
    struct tfr_inputs in;
    enum t2_status st = rec_show_parse(&tool, argc, argv, &rows, &in, NULL, err);

    if (st == T2_OK)
        st = rec_show_range(&in, &rows, &all, err);
    rec_row_options_release(&rows);
    tfr_inputs_release(&in);
    return st;
}

const struct t2_command rec_cmd_cat = {"cat", "Shows all records as JSON Lines.", run};
