/*
 * datagen/jpeg_to_tfrecord_main.c - jpeg-to-tfrecord: pictures into TFRecords; and what is wrong with them.
 */
#include <string.h>

#include "base/flags.h"
#include "base/log.h"
#include "datagen/images/check_folder.h"

/* What the flags set. */
static struct {
    const char *check, *on_error, *exif, *reencode, *quarantine_dir;
    bool header_only, json;
} flags = {
    .check = "",
    .on_error = "fail",
    .exif = "ignore",
    .reencode = "never",
    .quarantine_dir = "",
};

/* clang-format off */
static const struct t2_flag table[] = {
    {NULL, T2_FLAG_GROUP, NULL, NULL, "Looking only", NULL},
    {"check", T2_FLAG_STRING, &flags.check, "DIR",
     "Print a table of the files below DIR: kind by content, size, colours, EXIF orientation and "
     "what would become of each; write nothing.", NULL},
    {"header_only", T2_FLAG_BOOL, &flags.header_only, NULL,
     "Read headers only, which is as fast as the disk; damage behind them is not seen.", NULL},
    {"json", T2_FLAG_BOOL, &flags.json, NULL, "A JSON object for each file, and one for all.", NULL},
    {NULL, T2_FLAG_GROUP, NULL, NULL, "Which pictures, and as which bytes", NULL},
    {"on_error", T2_FLAG_STRING, &flags.on_error, "WHAT",
     "For files that cannot be decoded: fail (exit code 1), skip, or quarantine: a copy goes to "
     "--quarantine_dir.", NULL},
    {"quarantine_dir", T2_FLAG_STRING, &flags.quarantine_dir, "DIR", "See --on_error.", NULL},
    {"exif", T2_FLAG_STRING, &flags.exif, "WHAT",
     "apply: turn pictures upright as their EXIF orientation says, which makes them anew; ignore: "
     "as TensorFlow does.", NULL},
    {"reencode", T2_FLAG_STRING, &flags.reencode, "WHICH",
     "Make new JPEG bytes (quality 100) of: never any; odd ones, that is other kinds than JPEG, CMYK "
     "and arithmetic coding; always all.", NULL},
};
/* clang-format on */

static const struct t2_tool tool = {
    .name = "jpeg-to-tfrecord",
    .usage = "--check=DIR [flags]",
    .summary =
        "Looks through folders of pictures: what each file really is, and whether TensorFlow "
        "would decode it.",
    .examples = "  jpeg-to-tfrecord --check=photos\n"
                "  jpeg-to-tfrecord --check=photos --exif=apply --reencode=odd --json\n",
    .flags = table,
    .n_flags = sizeof table / sizeof *table,
};

static enum t2_status read_policy(struct dg_check_options *o, struct t2_err *err)
{
    if (!dg_parse_on_error(flags.on_error, &o->on_error))
        return t2_fail(err, T2_EUSAGE, "--on_error='%s': known are fail, skip, quarantine",
                       flags.on_error);
    if ((o->on_error == DG_ON_ERROR_QUARANTINE) != (flags.quarantine_dir[0] != 0))
        return t2_fail(err, T2_EUSAGE, "--on_error=quarantine and --quarantine_dir go together");
    if (strcmp(flags.exif, "apply") != 0 && strcmp(flags.exif, "ignore") != 0)
        return t2_fail(err, T2_EUSAGE, "--exif='%s': known are apply, ignore", flags.exif);
    if (!aug_parse_reencode(flags.reencode, &o->policy.reencode))
        return t2_fail(err, T2_EUSAGE, "--reencode='%s': known are never, odd, always",
                       flags.reencode);
    o->policy.apply_exif = strcmp(flags.exif, "apply") == 0;
    if (o->policy.apply_exif && o->policy.reencode == AUG_REENCODE_NEVER)
        return t2_fail(err, T2_EUSAGE,
                       "--exif=apply makes turned pictures anew: give --reencode=odd, too");
    o->policy.header_only = flags.header_only;
    o->quarantine_dir = flags.quarantine_dir;
    o->json = flags.json;
    o->num_threads = t2_flags_num_threads();
    return T2_OK;
}

static enum t2_status run(const struct t2_strs *rest, struct t2_err *err)
{
    struct dg_check_options options = {.json = false};

    if (rest->n > 0)
        return t2_fail(err, T2_EUSAGE, "'%s': no arguments are expected, only flags",
                       rest->items[0]);
    if (!flags.check[0])
        return t2_fail(err, T2_EUSAGE, "--check=DIR is needed");
    T2_TRY(read_policy(&options, err));
    return dg_check_folder(flags.check, &options, err);
}

int main(int argc, char **argv)
{
    struct t2_strs rest = {NULL, 0, 0};
    struct t2_err err = T2_ERR_INIT;
    enum t2_status st;

    t2_log_init(tool.name);
    st = t2_flags_parse(&tool, argc, argv, &rest, &err);
    if (st == T2_OK)
        st = run(&rest, &err);
    t2_strs_release(&rest);
    if (st == T2_EOF) /* refused files, in the table */
        return 1;
    return st == T2_OK ? 0 : t2_report(&err);
}
