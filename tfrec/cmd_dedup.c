/*
 * tfrec/cmd_dedup.c - tfrec dedup: each record once.
 *
 * First pass: (hash, number) of all records, sorted; in a group of equal hashes all but the first
 * are duplicates.  Their numbers, sorted, are left out by the second pass.
 *
 * Both sorts are external (tfrecord/external_sort.h), each with half of --max_memory:
 *
 *   by_hash     key: hash, 16 bytes        value: number of the record, 8 bytes, big-endian
 *   by_number   key: number of a duplicate value: number of the record it repeats
 *
 * The sort by hash is stable, and records are added in order, so the first of a group is the one
 * with the lowest number. Big-endian numbers have their order under memcmp.
 */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/json_writer.h"
#include "base/log.h"
#include "base/pool.h"
#include "base/shown.h"
#include "tfrec/commands.h"
#include "tfrec/record_key.h"
#include "tfrec/rewrite.h"
#include "tfrecord/external_sort.h"
#include "tfrecord/record_stream.h"

enum { LEAST_MEMORY = 1 << 20, EXAMPLES = 5 };

static const char *by;
static bool dry_run, as_json;

/* clang-format off */
static const struct t2_flag table[] = {
    {"by", T2_FLAG_STRING, &by, "A,B",
     "Records are equal when these features are; default: when all their bytes are. A record with none of "
     "them is kept.", NULL},
    {"dry_run", T2_FLAG_BOOL, &dry_run, NULL, "Counts only, writes nothing.", NULL},
    {"json", T2_FLAG_BOOL, &as_json, NULL, "Prints the report as one JSON object.", NULL},
    REC_REWRITE_FLAGS,
    REC_EXTERNAL_FLAGS,
};
/* clang-format on */

static const struct t2_tool tool = {
    .name = "tfrec dedup",
    .usage = "-o FILE [flags] INPUT...",
    .summary =
        "Writes each record once: of equal ones the first, in order. Records are compared by "
        "128-bit SipHash under a random key: of ten thousand million different records, two are "
        "taken for equal with a chance of 1 in 10^18.",
    .examples = "  tfrec dedup -o unique.tfrecord train.tfrecord\n"
                "  tfrec dedup --by=inputs,targets --dry_run data/\n",
    .flags = table,
    .n_flags = sizeof table / sizeof *table,
};

/* Of a record. */
struct hashed {
    uint8_t hash[T2_SIPHASH_BYTES];
    bool found;
};

/* Of a batch. */
struct hashes {
    struct t2_buf records; /* of struct hashed */
    size_t n;
    struct t2_err err;
};

/* A duplicate and the record it repeats, by their numbers over all inputs, from 0. */
struct pair {
    uint64_t duplicate, first;
};

struct job {
    struct rec_key_options key;
    const struct tfr_inputs *in;
    struct rec_key_scratch *scratch;
    struct tfr_sorter *by_hash, *by_number;
    uint64_t *starts; /* number of the first record of each file */
    uint64_t n_records, n_duplicates;
    struct pair examples[EXAMPLES]; /* the first ones */
    /* of the second pass */
    struct tfr_sink *sink;
    bool more; /* duplicates: the next one is pair next */
    struct pair next;
};

static void put_number(uint8_t bytes[8], uint64_t v) /* big-endian, for memcmp */
{
    for (int i = 7; i >= 0; i--, v >>= 8)
        bytes[i] = (uint8_t) v;
}

static uint64_t get_number(const uint8_t *bytes)
{
    uint64_t v = 0;

    for (int i = 0; i < 8; i++)
        v = v << 8 | bytes[i];
    return v;
}

/* ---- first pass ---- */

static enum t2_status hash_records(void *context, const struct tfr_batch *b, void *result,
                                   int worker, struct t2_err *err)
{
    struct job *job = context;
    struct hashes *h = result;

    (void) err;
    t2_buf_clear(&h->records);
    h->err.status = T2_OK;
    for (h->n = 0; h->n < b->n; h->n++) {
        struct hashed one;
        if (rec_record_key(&job->key, &job->scratch[worker], b->records[h->n].data, one.hash,
                           &one.found, &h->err) != T2_OK) {
            (void) t2_wrap(&h->err, "'%s': record %" PRIu64 " at offset %" PRIu64, b->file->path,
                           b->first_in_file + h->n, b->records[h->n].offset);
            break;
        }
        t2_buf_append(&h->records, &one, sizeof one);
    }
    return T2_OK;
}

static enum t2_status collect(void *context, const struct tfr_batch *b, void *result,
                              struct t2_err *err)
{
    struct job *job = context;
    struct hashes *h = result;
    const struct hashed *records = (const struct hashed *) (const void *) h->records.data;

    if (b->first_in_file == 0)
        job->starts[b->file_number] = b->first;
    for (size_t i = 0; i < h->n; i++) {
        uint8_t number[8];
        put_number(number, b->first + i);
        if (records[i].found)
            T2_TRY(tfr_sorter_add(job->by_hash,
                                  (struct t2_slice){records[i].hash, T2_SIPHASH_BYTES},
                                  (struct t2_slice){number, sizeof number}, err));
    }
    job->n_records += h->n;
    if (h->err.status != T2_OK) {
        *err = h->err;
        return err->status;
    }
    return T2_OK;
}

static void release_hashes(void *context, void *result)
{
    (void) context;
    t2_buf_release(&((struct hashes *) result)->records);
}

/* Keeps the pairs with the smallest numbers, in order; n_duplicates does not count p yet. */
static void keep_example(struct job *job, struct pair p)
{
    size_t n = job->n_duplicates < EXAMPLES ? (size_t) job->n_duplicates : EXAMPLES;
    size_t i = n;

    if (n == EXAMPLES) {
        if (job->examples[EXAMPLES - 1].duplicate < p.duplicate)
            return;
        i = EXAMPLES - 1;
    }
    for (; i > 0 && job->examples[i - 1].duplicate > p.duplicate; i--)
        job->examples[i] = job->examples[i - 1];
    job->examples[i] = p;
}

static enum t2_status find_duplicates(struct job *job, struct t2_err *err)
{
    uint8_t hash[T2_SIPHASH_BYTES] = {0}, first[8] = {0};
    struct t2_slice key, number;
    bool any = false;
    enum t2_status st;

    T2_TRY(tfr_sorter_finish(job->by_hash, err));
    while ((st = tfr_sorter_next(job->by_hash, &key, &number, err)) == T2_OK) {
        if (!any || memcmp(key.data, hash, sizeof hash) != 0) {
            memcpy(hash, key.data, sizeof hash);
            memcpy(first, number.data, sizeof first);
            any = true;
            continue;
        }
        keep_example(job, (struct pair){get_number(number.data), get_number(first)});
        job->n_duplicates++;
        T2_TRY(tfr_sorter_add(job->by_number, number, (struct t2_slice){first, sizeof first}, err));
    }
    if (st != T2_EOF)
        return st;
    return tfr_sorter_finish(job->by_number, err);
}

static enum t2_status first_pass(struct job *job, struct t2_pool *pool, struct t2_err *err)
{
    const struct tfr_stream stream = {.inputs = job->in,
                                      .what = "hashing",
                                      .result_bytes = sizeof(struct hashes),
                                      .work = hash_records,
                                      .consume = collect,
                                      .release = release_hashes,
                                      .context = job};

    T2_TRY(tfr_stream_run(&stream, pool, err));
    return find_duplicates(job, err);
}

/* ---- second pass ---- */

static enum t2_status next_duplicate(struct job *job, struct t2_err *err)
{
    struct t2_slice number, first;
    enum t2_status st = tfr_sorter_next(job->by_number, &number, &first, err);

    job->more = st == T2_OK;
    if (st == T2_OK)
        job->next = (struct pair){get_number(number.data), get_number(first.data)};
    return st == T2_EOF ? T2_OK : st;
}

static enum t2_status write_first(void *context, const struct tfr_batch *b, void *result,
                                  struct t2_err *err)
{
    struct job *job = context;

    (void) result;
    for (size_t i = 0; i < b->n; i++) {
        if (job->more && job->next.duplicate == b->first + i)
            T2_TRY(next_duplicate(job, err));
        else
            tfr_sink_add(job->sink, b->records[i].data.data, b->records[i].data.len_bytes);
    }
    return tfr_sink_status(job->sink, err);
}

static enum t2_status second_pass(struct job *job, struct t2_pool *pool, struct t2_err *err)
{
    const struct tfr_stream stream = {.inputs = job->in,
                                      .what = "writing",
                                      .consume = write_first,
                                      .context = job};
    enum t2_status st;

    T2_TRY(rec_rewrite_open(job->n_records - job->n_duplicates, &job->sink, err));
    st = next_duplicate(job, err);
    if (st == T2_OK)
        st = tfr_stream_run(&stream, pool, err);
    if (st == T2_OK && job->more)
        st = t2_fail(err, T2_EIO, "the inputs have changed between the two passes");
    return rec_rewrite_close(job->sink, st, err);
}

/* ---- the report ---- */

static void place(const struct job *job, uint64_t number, const char **path, uint64_t *in_file)
{
    size_t f = job->in->n - 1;

    while (f > 0 && (job->starts[f] > number))
        f--;
    *path = rec_held_name(job->in->files[f].path);
    *in_file = number - job->starts[f];
}

static void report_json(const struct job *job, struct t2_buf *text)
{
    size_t n = job->n_duplicates < EXAMPLES ? (size_t) job->n_duplicates : EXAMPLES;
    struct t2_json j;

    t2_json_init(&j, text, 0);
    t2_json_object(&j);
    t2_json_kv_u64(&j, "records", job->n_records);
    t2_json_kv_u64(&j, "duplicates", job->n_duplicates);
    t2_json_kv_u64(&j, "kept", job->n_records - job->n_duplicates);
    t2_json_key(&j, "examples");
    t2_json_array(&j);
    for (size_t i = 0; i < n; i++) {
        const char *path;
        uint64_t in_file;
        t2_json_object(&j);
        place(job, job->examples[i].duplicate, &path, &in_file);
        t2_json_kv_string(&j, "path", path);
        t2_json_kv_u64(&j, "record", in_file);
        place(job, job->examples[i].first, &path, &in_file);
        t2_json_kv_string(&j, "first_path", path);
        t2_json_kv_u64(&j, "first_record", in_file);
        t2_json_end_object(&j);
    }
    t2_json_end_array(&j);
    t2_json_end_object(&j);
    t2_buf_push(text, '\n');
}

static void report_text(const struct job *job, struct t2_buf *text)
{
    size_t n = job->n_duplicates < EXAMPLES ? (size_t) job->n_duplicates : EXAMPLES;

    t2_buf_printf(text, "%" PRIu64 " records, %" PRIu64 " duplicates, %" PRIu64 " kept\n",
                  job->n_records, job->n_duplicates, job->n_records - job->n_duplicates);
    for (size_t i = 0; i < n; i++) {
        const char *path, *first_path;
        uint64_t in_file, first_in_file;
        place(job, job->examples[i].duplicate, &path, &in_file);
        place(job, job->examples[i].first, &first_path, &first_in_file);
        t2_buf_printf(text, "  '%s': record %" PRIu64 " repeats ", path, in_file);
        if (path != first_path)
            t2_buf_printf(text, "'%s': ", first_path);
        t2_buf_printf(text, "record %" PRIu64 "\n", first_in_file);
    }
    if (job->n_duplicates > n)
        t2_buf_printf(text, "  and %" PRIu64 " more\n", job->n_duplicates - n);
}

/* To stdout, unless the records went there. */
static enum t2_status report(const struct job *job, struct t2_err *err)
{
    struct t2_buf text = {NULL, 0, 0};
    struct t2_out *out = NULL;
    enum t2_status st = T2_OK;

    if (rec_rewrite_given.output && strcmp(rec_rewrite_given.output, "-") == 0) {
        t2_info("%" PRIu64 " records, %" PRIu64 " duplicates left out", job->n_records,
                job->n_duplicates);
        return T2_OK;
    }
    if (as_json)
        report_json(job, &text);
    else
        report_text(job, &text);
    st = t2_out_new("-", &out, err);
    if (st == T2_OK) {
        t2_show_out(t2_buf_slice(&text), as_json, out);
        st = t2_out_commit(out, err);
    }
    t2_buf_release(&text);
    return st;
}

/* ---- the command ---- */

static enum t2_status read_flags(struct job *job, struct t2_err *err)
{
    if (dry_run)
        rec_rewrite_given.output = NULL;
    else
        T2_TRY(rec_rewrite_check_output(err));
    T2_TRY(rec_rewrite_check_memory(LEAST_MEMORY, err));
    if (by)
        t2_strs_split(&job->key.features, by, ',');
    t2_strs_sort(&job->key.features);
    for (size_t i = 1; i < job->key.features.n; i++) {
        if (strcmp(job->key.features.items[i - 1], job->key.features.items[i]) == 0)
            return t2_fail(err, T2_EUSAGE, "--by names '%s' twice", job->key.features.items[i]);
    }
    t2_siphash_random_key(job->key.sip_key);
    return T2_OK;
}

static enum t2_status dedup(struct job *job, const char *tmp_dir, struct t2_err *err)
{
    uint64_t memory = rec_rewrite_given.max_memory / 2;
    struct t2_pool *pool = rec_pool_new();
    int n_threads = t2_pool_threads(pool);
    enum t2_status st;

    job->scratch = t2_alloc((size_t) n_threads, sizeof *job->scratch);
    job->starts = t2_alloc(job->in->n, sizeof *job->starts);
    st = tfr_sorter_new(tmp_dir, memory, &job->by_hash, err);
    if (st == T2_OK)
        st = tfr_sorter_new(tmp_dir, memory, &job->by_number, err);
    if (st == T2_OK)
        st = first_pass(job, pool, err);
    if (st == T2_OK && !dry_run)
        st = second_pass(job, pool, err);
    if (st == T2_OK)
        st = report(job, err);
    tfr_sorter_free(job->by_hash);
    tfr_sorter_free(job->by_number);
    for (int i = 0; i < n_threads; i++)
        rec_key_scratch_release(&job->scratch[i]);
    t2_free(job->scratch);
    t2_free(job->starts);
    t2_pool_free(pool);
    return st;
}

static enum t2_status run(int argc, char **argv, struct t2_err *err)
{
    struct job job = {.in = NULL};
    struct rec_held *held = NULL;
    struct tfr_inputs in;
    char *tmp_dir = NULL;
    enum t2_status st = rec_parse_inputs(&tool, argc, argv, &in, err);

    job.in = &in;
    if (st == T2_OK)
        st = read_flags(&job, err);
    if (st == T2_OK) {
        tmp_dir = rec_rewrite_tmp_dir();
        if (!dry_run)
            st = rec_hold_pipes(&in, tmp_dir, &held, err);
    }
    if (st == T2_OK)
        st = dedup(&job, tmp_dir, err);
    rec_held_free(held);
    t2_strs_release(&job.key.features);
    t2_free(tmp_dir);
    tfr_inputs_release(&in);
    return st;
}

const struct t2_command rec_cmd_dedup = {"dedup", "Writes each of equal records once.", run};
