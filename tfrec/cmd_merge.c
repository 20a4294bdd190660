/*
 * tfrec/cmd_merge.c - tfrec merge: several files into one.
 */
#include "tfrec/commands.h"
#include "tfrec/cut_flags.h"

/* clang-format off */
static const struct t2_flag table[] = {
    REC_OUTPUT_FLAGS("FILE", "The one file; - is the standard output."),
};
/* clang-format on */

static const struct t2_tool tool = {
    .name = "tfrec merge",
    .usage = "-o FILE INPUT...",
    .summary =
        "Writes the records of all inputs, in order, into one file. It may be one of the inputs.",
    .examples = "  tfrec merge -o all.tfrecord data/x-train@100\n"
                "  tfrec merge --compress=gzip -o all.tfrecord.gz a.tfrecord b.tfrecord\n",
    .flags = table,
    .n_flags = sizeof table / sizeof *table,
};

static enum t2_status run(int argc, char **argv, struct t2_err *err)
{
    struct tfr_inputs in;
    enum t2_status st = rec_parse_inputs(&tool, argc, argv, &in, err);

    if (st == T2_OK)
        st = rec_cut_run(&in, false, "merging", err);
    tfr_inputs_release(&in);
    return st;
}

const struct t2_command rec_cmd_merge = {"merge", "Joins files into one.", run};
