/*
 * tfrec/cmd_reshard.c - tfrec reshard: a set of files into another number of them.
 */
#include "tfrec/commands.h"
#include "tfrec/cut_flags.h"

/* clang-format off */
static const struct t2_flag table[] = {
    REC_CUT_FLAGS,
    REC_OUTPUT_FLAGS("BASE", "Files are BASE-00000-of-00010 and so on; a folder: with the name of the first input."),
};
/* clang-format on */

static const struct t2_tool tool = {
    .name = "tfrec reshard",
    .usage = "--shards=N|--shard_size=SIZE|--records=N -o BASE INPUT...",
    .summary =
        "Writes the records of all inputs, in order, into another number of files. They appear "
        "together, when all are complete. Shards of the same name and another number are not "
        "mixed with: that is refused.",
    .examples = "  tfrec reshard --shards=10 -o new/x-train data/x-train@100\n"
                "  tfrec reshard --shard_size=100M -o new/ data/x-train@*\n",
    .flags = table,
    .n_flags = sizeof table / sizeof *table,
};

static enum t2_status run(int argc, char **argv, struct t2_err *err)
{
    struct tfr_inputs in;
    enum t2_status st = rec_parse_inputs(&tool, argc, argv, &in, err);

    if (st == T2_OK)
        st = rec_cut_run(&in, true, "resharding", err);
    tfr_inputs_release(&in);
    return st;
}

const struct t2_command rec_cmd_reshard = {"reshard", "Cuts a set into another number of files.",
                                           run};
