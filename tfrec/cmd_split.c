/*
 * tfrec/cmd_split.c - tfrec split: one file into several.
 */
#include "tfrec/commands.h"
#include "tfrec/cut_flags.h"

/* clang-format off */
static const struct t2_flag table[] = {
    REC_CUT_FLAGS,
    REC_OUTPUT_FLAGS("BASE", "Files are BASE-00000-of-00004 and so on; a folder: with the name of the input."),
};
/* clang-format on */

static const struct t2_tool tool = {
    .name = "tfrec split",
    .usage = "--shards=N|--shard_size=SIZE|--records=N -o BASE INPUT",
    .summary = "Cuts one file into several, records in their order. The files appear together, "
               "when all are "
               "complete.",
    .examples = "  tfrec split --shards=8 -o data/x-train x.tfrecord\n"
                "  tfrec split --records=10000 --compress=bgzip -o parts/ x.tfrecord\n",
    .flags = table,
    .n_flags = sizeof table / sizeof *table,
};

static enum t2_status run(int argc, char **argv, struct t2_err *err)
{
    struct tfr_inputs in;
    enum t2_status st = rec_parse_inputs(&tool, argc, argv, &in, err);

    if (st == T2_OK && in.n != 1)
        st = t2_fail(err, T2_EUSAGE, "one file can be split, here are %zu: use `tfrec reshard`",
                     in.n);
    if (st == T2_OK)
        st = rec_cut_run(&in, true, "splitting", err);
    tfr_inputs_release(&in);
    return st;
}

const struct t2_command rec_cmd_split = {"split", "Cuts one file into several.", run};
