/*
 * tfrec/cmd_index.c - tfrec index: where each record begins, in a file beside the data.
 */
#include <inttypes.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/json_writer.h"
#include "base/pool.h"
#include "base/shown.h"
#include "tfrec/commands.h"
#include "tfrec/make_manifest.h"
#include "tfrecord/compress.h"
#include "tfrecord/record_index.h"

static const char *with = "";
static const char *manifest = "";
static bool dali, binary, as_json, manifest_given;

static const struct t2_flag table[] = {
    {"with", T2_FLAG_STRING, &with, "A,B",
     "Features whose first value and length go into the binary index, so that "
     "`tfrec filter` need not read the records.",
     NULL},
    {"dali", T2_FLAG_BOOL, &dali, NULL, "Only FILE.idx, for NVIDIA DALI and the tfrecord package.",
     NULL},
    {"binary", T2_FLAG_BOOL, &binary, NULL, "Only FILE.tfri.", NULL},
    {"manifest", T2_FLAG_OPTION, &manifest, "NAME",
     "No index, but NAME.manifest.json for data made elsewhere: "
     "splits by the names of the files, counts, sizes, SHA-256, features. NAME left out: what the "
     "files' names "
     "have in common.",
     &manifest_given},
    {"json", T2_FLAG_BOOL, &as_json, NULL, "Print one JSON object per file.", NULL},
};

static const struct t2_tool tool = {
    .name = "tfrec index",
    .usage = "[flags] INPUT...",
    .summary = "Writes FILE.tfri (ours: offsets, columns, a checksum) and FILE.idx (DALI's) beside "
               "each file, so that any record is found in one seek. Both CRCs of every record are "
               "checked; of a damaged file there is no index. Compressed files have no .idx.",
    .examples = "  tfrec index data/x-train@100\n"
                "  tfrec index --with=label --binary images.tfrecord\n"
                "  tfrec index --manifest data/\n",
    .flags = table,
    .n_flags = sizeof table / sizeof *table,
};

/* What was made of one file. */
struct made {
    uint64_t n_records;
    bool dali, binary;
};

static void print_one(const char *path, const struct made *m, struct t2_buf *text)
{
    char *names[2] = {m->binary ? tfr_index_path(path) : NULL, m->dali ? tfr_idx_path(path) : NULL};

    if (as_json) {
        struct t2_json j;
        t2_json_init(&j, text, 0);
        t2_json_object(&j);
        t2_json_kv_string(&j, "path", path);
        t2_json_kv_u64(&j, "records", m->n_records);
        t2_json_key(&j, "written");
        t2_json_array(&j);
        for (size_t i = 0; i < 2; i++) {
            if (names[i])
                t2_json_string(&j, names[i]);
        }
        t2_json_end_array(&j);
        t2_json_end_object(&j);
    } else {
        t2_buf_printf(text, "%12" PRIu64 " records ", m->n_records);
        for (size_t i = 0; i < 2; i++) {
            if (names[i])
                t2_buf_printf(text, " %s", names[i]);
        }
    }
    t2_buf_push(text, '\n');
    t2_free(names[0]);
    t2_free(names[1]);
}

static enum t2_status index_one(const char *path, const struct t2_strs *columns,
                                struct t2_pool *pool, struct made *m, struct t2_err *err)
{
    struct tfr_index_build job = {.data_path = path, .with = columns};
    enum tfr_compression compression = TFR_PLAIN;

    T2_TRY(tfr_compression_of(path, &compression, err));
    job.binary = binary || !dali;
    job.dali = dali || (!binary && compression == TFR_PLAIN);
    *m = (struct made){.dali = job.dali, .binary = job.binary};
    return tfr_index_build(&job, pool, &m->n_records, err);
}

static enum t2_status index_all(const struct tfr_inputs *in, struct t2_out *out, struct t2_err *err)
{
    struct t2_strs columns = {NULL, 0, 0};
    struct t2_buf text = {NULL, 0, 0};
    struct t2_pool *pool = rec_pool_new();
    enum t2_status st = T2_OK;
    struct made m;

    t2_strs_split(&columns, with, ',');
    for (size_t i = 0; st == T2_OK && i < in->n; i++) {
        st = index_one(in->files[i].path, &columns, pool, &m, err);
        if (st != T2_OK)
            break;
        t2_buf_clear(&text);
        print_one(in->files[i].path, &m, &text);
        t2_show_out(t2_buf_slice(&text), as_json, out);
    }
    t2_pool_free(pool);
    t2_strs_release(&columns);
    t2_buf_release(&text);
    return st;
}

static enum t2_status make_manifest(const struct tfr_inputs *in, struct t2_out *out,
                                    struct t2_err *err)
{
    struct t2_pool *pool = rec_pool_new();
    struct rec_manifest_made made = {0};
    struct t2_buf text = {NULL, 0, 0};
    enum t2_status st = rec_make_manifest(in, *manifest ? manifest : NULL, pool, &made, err);

    t2_pool_free(pool);
    if (st == T2_OK && as_json) {
        struct t2_json j;
        t2_json_init(&j, &text, 0);
        t2_json_object(&j);
        t2_json_kv_string(&j, "manifest", made.path);
        t2_json_kv_u64(&j, "records", made.n_records);
        t2_json_kv_u64(&j, "files", made.n_files);
        t2_json_kv_u64(&j, "splits", made.n_splits);
        t2_json_kv_u64(&j, "features", made.n_features);
        t2_json_end_object(&j);
        t2_out_printf(out, "%s\n", t2_buf_cstr(&text));
    } else if (st == T2_OK) {
        t2_buf_printf(&text, "%s: %" PRIu64 " records, files: %zu, splits: %zu, features: %zu\n",
                      made.path, made.n_records, made.n_files, made.n_splits, made.n_features);
        t2_show_out(t2_buf_slice(&text), false, out);
    }
    t2_buf_release(&text);
    rec_manifest_made_release(&made);
    return st;
}

static enum t2_status run(int argc, char **argv, struct t2_err *err)
{
    struct tfr_inputs in;
    struct t2_out *out = NULL;
    struct t2_err ignored = T2_ERR_INIT;
    enum t2_status st = rec_parse_inputs(&tool, argc, argv, &in, err);

    for (size_t i = 0; st == T2_OK && i < in.n; i++) {
        if (in.files[i].path[0] == '-' && in.files[i].path[1] == '\0')
            st = t2_fail(err, T2_EUSAGE, "the standard input has no name to put an index beside");
    }
    if (st == T2_OK && manifest_given && (*with || dali || binary))
        st = t2_fail(err, T2_EUSAGE, "--manifest makes no index: run tfrec index twice");
    if (st == T2_OK && *with != '\0' && dali && !binary)
        st = t2_fail(err, T2_EUSAGE, "--with needs the binary index: a .idx has no columns");
    if (st == T2_OK)
        st = t2_out_new("-", &out, err);
    if (st == T2_OK) {
        st = manifest_given ? make_manifest(&in, out, err) : index_all(&in, out, err);
        /* files indexed before a failure are reported */
        enum t2_status told = t2_out_commit(out, st == T2_OK ? err : &ignored);
        st = st == T2_OK ? told : st;
    }
    tfr_inputs_release(&in);
    return st;
}

const struct t2_command rec_cmd_index = {"index",
                                         "Writes indexes beside files: record N in one seek.", run};
