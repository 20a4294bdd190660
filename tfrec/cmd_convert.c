/*
 * tfrec/cmd_convert.c - tfrec convert: to and from the formats that other programs use.
 */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/log.h"
#include "base/pool.h"
#include "tfrec/commands.h"
#include "tfrec/convert/csv_columns.h"
#include "tfrec/convert/formats.h"

static struct rec_convert c = {.from = "",
                               .to = "",
                               .output = "",
                               .json = "short",
                               .columns = "",
                               .types = "",
                               .list_separator = "",
                               .header = true,
                               .quotes = true,
                               .key = "__key__",
                               .labels = "",
                               .split = "",
                               .vocab_file = "",
                               .max_seq_length = 384,
                               .doc_stride = 128,
                               .max_query_length = 64,
                               .do_lower_case = true,
                               .compress = ""};

static const struct t2_flag table[] = {
    {"from", T2_FLAG_STRING, &c.from, "FORMAT",
     "tfrecord, tfds (folder of TensorFlow Datasets), jsonl, csv, tsv, "
     "webdataset (tar), bagz, npz (also .npy), images (folder of class folders), squad (JSON, for "
     "BERT). Found by name or content of the first INPUT, squad not; "
     "the standard input is tfrecord, or jsonl with --to=tfrecord.",
     NULL},
    {"to", T2_FLAG_STRING, &c.to, "FORMAT",
     "One of these but tfds and squad. Found by the output's name.", NULL},
    {"o", T2_FLAG_STRING, &c.output, "OUT",
     "File to write, '-' for the standard output, base@16 for 16 TFRecord shards, "
     "folder for images. It appears when it is complete.",
     NULL},
    {"output", T2_FLAG_STRING, &c.output, "OUT", "The same as -o.", NULL},
    {"compress", T2_FLAG_STRING, &c.compress, "HOW",
     "To tfrecord: none, gzip, zlib, bgzip (block gzip).", NULL},
    {"level", T2_FLAG_INT, &c.level, "N", "Of compression, 1 to 9; 0 is 6.", NULL},
    {NULL, T2_FLAG_GROUP, NULL, NULL, "JSON Lines", NULL},
    {"json", T2_FLAG_OPTION, &c.json, "SHAPE",
     "To jsonl: short {\"inputs\":[3,1]} or proto (TensorFlow's own mapping). "
     "Bytes that are no text are {\"base64\":\"...\"}. Both are read.",
     NULL},
    {NULL, T2_FLAG_GROUP, NULL, NULL, "CSV and TSV", NULL},
    {"columns", T2_FLAG_STRING, &c.columns, "A,B",
     "To csv: these features, in this order (else all, by name). From csv: "
     "the file has no header line, these are its columns.",
     NULL},
    {"types", T2_FLAG_STRING, &c.types, "A:T,B:T",
     "int64, float, bytes or base64 (bytes written so); with [] a list, cut at "
     "--list_separator. Other columns of a file that is read: int64 if every cell that is not "
     "empty is a whole number "
     "without leading zeros, else float if every one is a number, else bytes; the whole file is "
     "read for it.",
     NULL},
    {"list_separator", T2_FLAG_STRING, &c.list_separator, "C",
     "Between the values of a list in one cell; a blank when not "
     "given. When given, columns of numbers are found to be lists, too.",
     NULL},
    {"header", T2_FLAG_BOOL, &c.header, NULL, "To csv: write the line of names.", NULL},
    {"quotes", T2_FLAG_BOOL, &c.quotes, NULL, "From csv, tsv: \"...\" is a quoted field.", NULL},
    {NULL, T2_FLAG_GROUP, NULL, NULL, "WebDataset", NULL},
    {"key", T2_FLAG_STRING, &c.key, "FEATURE",
     "To webdataset: bytes feature that names the sample; records without it are "
     "numbered.",
     NULL},
    {NULL, T2_FLAG_GROUP, NULL, NULL, "Folders of images", NULL},
    {"labels", T2_FLAG_STRING, &c.labels, "FILE",
     "Names of the classes, one a line, in the order of their numbers. From "
     "images: written there (labels.txt beside the output). To images: read.",
     NULL},
    {"first_label", T2_FLAG_INT, &c.first_label, "N",
     "Number of the first class: 0 as Tensor2Tensor, 1 as Cloud TPU's "
     "ImageNet.",
     NULL},
    {"number_files", T2_FLAG_BOOL, &c.number_files, NULL,
     "To images: name files by record number, not by image/filename.", NULL},
    {NULL, T2_FLAG_GROUP, NULL, NULL, "TFDS", NULL},
    {"split", T2_FLAG_STRING, &c.split, "NAME",
     "From tfds: this split; all in their order when not given.", NULL},
    {NULL, T2_FLAG_GROUP, NULL, NULL, "SQuAD", NULL},
    {"vocab_file", T2_FLAG_STRING, &c.vocab_file, "FILE", "From squad: BERT's vocab.txt.", NULL},
    {"max_seq_length", T2_FLAG_INT, &c.max_seq_length, "N", "Ids of a record.", NULL},
    {"doc_stride", T2_FLAG_INT, &c.doc_stride, "N",
     "From one window of a long text to the next, in ids.", NULL},
    {"max_query_length", T2_FLAG_INT, &c.max_query_length, "N",
     "Ids of a question; the rest is cut off.", NULL},
    {"do_lower_case", T2_FLAG_BOOL, &c.do_lower_case, NULL, "For an uncased vocabulary.", NULL},
    {"version_2_with_negative", T2_FLAG_BOOL, &c.version_2_with_negative, NULL,
     "SQuAD 2.0: questions that are is_impossible have their answer nowhere, at [CLS].", NULL},
};

static const struct t2_tool tool = {
    .name = "tfrec convert",
    .usage = "[flags] -o OUT INPUT...",
    .summary = "Converts records from one format to another, or TFRecord files to another "
               "compression. The result does not depend on the number of threads; memory does "
               "not grow with the input.",
    .examples = "  tfrec convert --from=csv --types=label:int64 -o x.tfrecord x.csv\n"
                "  tfrec convert -o train.tar data/x-train@100\n",
    .flags = table,
    .n_flags = sizeof table / sizeof *table,
};

static enum t2_status convert(struct t2_err *err)
{
    struct rec_csv_columns csv = {.items = NULL};
    uint64_t n = 0;
    enum t2_status st;

    T2_TRY(rec_formats_guess(&c, err));
    c.pool = rec_pool_new();
    c.csv = &csv;
    st = rec_convert_run(&c, &n, err);
    if (st == T2_OK)
        t2_info("%" PRIu64 " record%s, %s to %s", n, n == 1 ? "" : "s", c.from, c.to);
    rec_csv_columns_release(&csv);
    t2_pool_free(c.pool);
    return st;
}

/* Without slashes at its end: names are put behind it. */
static char *output_name(const char *given)
{
    size_t n = strlen(given);

    while (n > 1 && given[n - 1] == '/')
        n--;
    return t2_strndup(given, n);
}

static enum t2_status run(int argc, char **argv, struct t2_err *err)
{
    struct t2_strs inputs = {NULL, 0, 0};
    char *output;
    enum t2_status st = t2_flags_parse(&tool, argc, argv, &inputs, err);

    c.inputs = &inputs;
    c.output = output = output_name(c.output);
    if (st == T2_OK && inputs.n == 0)
        st = t2_fail(err, T2_EUSAGE, "which files? tfrec convert -o OUT INPUT... (see --help)");
    if (st == T2_OK && !*c.output)
        st = t2_fail(err, T2_EUSAGE, "where to? give -o OUT (see --help)");
    if (st == T2_OK)
        st = convert(err);
    t2_strs_release(&inputs);
    t2_free(output);
    return st;
}

const struct t2_command rec_cmd_convert = {
    "convert", "JSON Lines, CSV, WebDataset, bagz, NumPy, images, TFDS, SQuAD.", run};
