/*
 * tfrec/command.c - what every command begins with.
 */
#include "tfrec/command.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/pool.h"
#include "base/str.h"

enum t2_status rec_find_inputs(const struct t2_strs *args, struct tfr_inputs *in,
                               struct t2_err *err)
{
    int64_t number;

    for (size_t i = 0; i < args->n; i++) {
        const char *arg = args->items[i];
        if (arg[0] == '-' && t2_parse_i64(arg, &number) && !t2_exists(arg))
            return t2_fail(err, T2_EUSAGE, "'%s' is neither a flag nor a file: how many is -n %s",
                           arg, arg + 1);
    }
    return tfr_inputs_find(args, in, err);
}

enum t2_status rec_parse_inputs(const struct t2_tool *tool, int argc, char **argv,
                                struct tfr_inputs *in, struct t2_err *err)
{
    struct t2_strs args = {NULL, 0, 0};
    enum t2_status st;

    *in = (struct tfr_inputs){NULL, 0, 0};
    st = t2_flags_parse(tool, argc, argv, &args, err);
    if (st == T2_OK)
        st = rec_find_inputs(&args, in, err);
    t2_strs_release(&args);
    return st;
}

struct t2_pool *rec_pool_new(void)
{
    return t2_pool_new(t2_flags_num_threads());
}

void rec_explain(struct t2_err *err)
{
    /* As tfrecord/reader.c and base/text.c say it. */
    static const char *const damages[] = {": length CRC mismatch: ", ": data CRC mismatch: ",
                                          ": file cut short: ",      ": damaged gzip data ",
                                          ": damaged zlib data ",    " data is cut short at "};
    size_t n = strlen(err->message);

    for (size_t i = 0; err->status == T2_EFORMAT && i < sizeof damages / sizeof *damages; i++) {
        if (strstr(err->message, damages[i]) && strstr(err->message, ": record ")) {
            snprintf(err->message + n, sizeof err->message - n,
                     "; `tfrec salvage` can save the other records");
            return;
        }
    }
}
