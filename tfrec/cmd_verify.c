/*
 * tfrec/cmd_verify.c - tfrec verify: every damage of record files, by its place.
 */
#include <string.h>

#include "base/file.h"
#include "base/pool.h"
#include "base/shown.h"
#include "tfrec/commands.h"
#include "tfrec/schema_json.h"
#include "tfrec/verify.h"

static bool as_json, deep, hash, strict;
static const char *payload = "auto";
static const char *schema_path = "";
static const char *ids = "inputs,targets";
static int64_t vocab_size, max_errors = 100;

static const struct t2_flag table[] = {
    {"payload", T2_FLAG_STRING, &payload, "KIND",
     "What the records hold: example, sequence_example, any (payloads "
     "are not looked at); auto: Examples, if most records are.",
     NULL},
    {"schema", T2_FLAG_STRING, &schema_path, "FILE",
     "Kinds, required features and fixed lengths that the records "
     "must have, as `tfrec schema --json` writes it. Without: a feature must have one kind in all "
     "records of a data set.",
     NULL},
    {"deep", T2_FLAG_BOOL, &deep, NULL, "Look into JPEG and PNG images: markers, size, end.", NULL},
    {"vocab_size", T2_FLAG_INT, &vocab_size, "N", "Ids must be less than N.", NULL},
    {"ids", T2_FLAG_STRING, &ids, "A,B", "Features that hold ids, for --vocab_size.", NULL},
    {"hash", T2_FLAG_BOOL, &hash, NULL,
     "Compare SHA-256 with the manifest; records and bytes always are.", NULL},
    {"strict", T2_FLAG_BOOL, &strict, NULL,
     "Warnings are errors: what protobuf accepts and TensorFlow's "
     "parse_example refuses or reads otherwise.",
     NULL},
    {"max_errors", T2_FLAG_INT, &max_errors, "N",
     "List so many damages, errors and warnings each; all are counted.", NULL},
    {"json", T2_FLAG_BOOL, &as_json, NULL, "Print one JSON object.", NULL},
};

static const struct t2_tool tool = {
    .name = "tfrec verify",
    .usage = "[flags] INPUT...",
    .summary = "Reads everything and names each damage by file, record, byte offset and field: "
               "framing, both checksums, compression, protobuf, kinds of the features, counts of "
               "the manifest. Goes on behind damage. Exit code 1 when there is any.",
    .examples = "  tfrec verify data/x-train@100\n"
                "  tfrec verify --deep --hash --json data/x.manifest.json\n",
    .flags = table,
    .n_flags = sizeof table / sizeof *table,
};

static enum t2_status read_flags(struct rec_verify_options *o, struct rec_schema **schema,
                                 struct t2_err *err)
{
    static const char *const names[] = {"auto", "example", "sequence_example", "any"};
    int kind = 0;

    while (kind < 4 && strcmp(payload, names[kind]) != 0)
        kind++;
    if (kind == 4)
        return t2_fail(err, T2_EUSAGE,
                       "--payload=%s: there are auto, example, sequence_example, any", payload);
    if (vocab_size < 0)
        return t2_fail(err, T2_EUSAGE, "--vocab_size is a number of ids, not %d", (int) vocab_size);
    if (max_errors < 0 || max_errors > 1000000)
        return t2_fail(err, T2_EUSAGE, "--max_errors is 0 ... 1000000");
    if (schema_path[0]) {
        T2_TRY(rec_schema_load(schema_path, schema, err));
        if (kind == REC_PAYLOAD_AUTO)
            kind = REC_PAYLOAD_EXAMPLE;
    }
    o->payload = (enum rec_payload) kind;
    o->deep = deep;
    o->vocab_size = vocab_size;
    o->schema = *schema;
    o->limit = (size_t) max_errors;
    t2_strs_split(&o->ids, ids, ',');
    return T2_OK;
}

static enum t2_status print(const struct tfr_inputs *in, const struct rec_verify_options *o,
                            const struct rec_verified *v, struct t2_err *err)
{
    struct t2_buf text = {NULL, 0, 0};
    struct t2_out *out = NULL;
    enum t2_status st = t2_out_new("-", &out, err);

    if (st == T2_OK) {
        if (as_json)
            rec_verify_json(in, o, v, strict, &text);
        else
            rec_verify_print(in, o, v, strict, &text);
        t2_show_out(t2_buf_slice(&text), as_json, out);
        st = t2_out_commit(out, err);
    }
    t2_buf_release(&text);
    return st;
}

static enum t2_status verify(const struct tfr_inputs *in, const struct rec_verify_options *o,
                             struct t2_err *err)
{
    struct t2_pool *pool = rec_pool_new();
    struct rec_verified v;
    enum t2_status st = rec_verify_run(in, o, pool, &v, err);

    if (st == T2_OK)
        st = rec_verify_manifests(in, hash, pool, &v, err);
    t2_pool_free(pool);
    if (st == T2_OK) {
        rec_findings_sort(&v.found);
        st = print(in, o, &v, err);
    }
    if (st == T2_OK && rec_verified_errors(&v, strict) > 0)
        st = T2_EOF;
    rec_verified_release(&v);
    return st;
}

static enum t2_status run(int argc, char **argv, struct t2_err *err)
{
    struct rec_verify_options o = {.limit = 0};
    struct rec_schema *schema = NULL;
    struct tfr_inputs in;
    enum t2_status st = rec_parse_inputs(&tool, argc, argv, &in, err);

    if (st == T2_OK)
        st = read_flags(&o, &schema, err);
    if (st == T2_OK)
        st = verify(&in, &o, err);
    rec_schema_free(schema);
    t2_strs_release(&o.ids);
    tfr_inputs_release(&in);
    return st;
}

const struct t2_command rec_cmd_verify = {
    "verify", "Names every damage: framing, checksums, protobuf, kinds, images.", run};
