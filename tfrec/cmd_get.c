/*
 * tfrec/cmd_get.c - tfrec get: records by number.
 */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/log.h"
#include "base/signals.h"
#include "tfrec/commands.h"
#include "tfrec/count_records.h"
#include "tfrec/row_flags.h"
#include "tfrecord/record_index.h"

/* clang-format off */
static const struct t2_flag table[] = {
    REC_ROW_FLAGS,
};
/* clang-format on */

static const struct t2_tool tool = {
    .name = "tfrec get",
    .usage = "[flags] N|N-M... INPUT...",
    .summary =
        "Prints records by number, as JSON Lines. Numbers count from 0 over all inputs, -1 is "
        "the last record. With an index beside the file (`tfrec index`) nothing else of a "
        "plain or block gzip file is read; without one it is scanned once.",
    .examples = "  tfrec get 0 -1 train.tfrecord\n"
                "  tfrec get 100-109 train.tfrecord\n"
                "  tfrec get --raw 12345 data/x-train@100 >record.bin\n",
    .flags = table,
    .n_flags = sizeof table / sizeof *table,
};

/* One record that was asked for. */
struct wanted {
    int64_t asked;   /* negative: from the end */
    uint64_t number; /* from 0 over all inputs */
    bool found;
    struct t2_buf text;
};

struct job {
    struct tfr_inputs in;
    struct wanted *wanted;
    size_t n, capacity;
    size_t n_found;
    bool counted; /* all files, and their stale indexes were named */
    struct rec_row_options options;
    struct rec_row row;
};

enum { MAX_RANGE = 10000 }; /* they are held in memory */

/* A number, or N-M. */
static bool parse_numbers(const char *text, int64_t *first, int64_t *last)
{
    const char *dash = text[0] == '-' ? NULL : strchr(text, '-');
    char *begin;
    bool ok;

    if (!dash) {
        ok = t2_parse_i64(text, first);
        *last = *first;
        return ok;
    }
    begin = t2_strndup(text, (size_t) (dash - text));
    ok = dash[1] != '-' && t2_parse_i64(begin, first) && t2_parse_i64(dash + 1, last);
    t2_free(begin);
    return ok;
}

/* Arguments up to the first that is no number are numbers, the rest are INPUTs. */
static enum t2_status read_args(struct job *job, int argc, char **argv, struct t2_err *err)
{
    struct t2_strs args = {NULL, 0, 0}, inputs = {NULL, 0, 0};
    enum t2_status st = t2_flags_parse(&tool, argc, argv, &args, err);
    int64_t first, last;
    size_t n_numbers = 0;

    while (st == T2_OK && n_numbers < args.n &&
           parse_numbers(args.items[n_numbers], &first, &last)) {
        if (last < first || (uint64_t) last - (uint64_t) first >= MAX_RANGE)
            st = t2_fail(err, T2_EUSAGE,
                         last < first ? "'%s' ends before it begins"
                                      : "'%s' is too much at once; tfrec filter --where='record() "
                                        ">= N' writes as much as you like",
                         args.items[n_numbers]);
        for (; st == T2_OK && first <= last; first++) {
            if (job->n == job->capacity) {
                job->capacity = 2 * job->capacity + 16;
                job->wanted = t2_realloc(job->wanted, job->capacity, sizeof *job->wanted);
            }
            job->wanted[job->n++] = (struct wanted){.asked = first};
        }
        n_numbers++;
    }
    if (st == T2_OK && n_numbers == 0)
        st = t2_fail(err, T2_EUSAGE, "which record? give its number before the INPUT");
    for (size_t i = n_numbers; st == T2_OK && i < args.n; i++)
        t2_strs_push(&inputs, args.items[i]);
    if (st == T2_OK)
        st = tfr_inputs_find(&inputs, &job->in, err);
    if (st == T2_OK)
        st = rec_row_flags_read(&job->options, &job->in, err);
    t2_strs_release(&inputs);
    t2_strs_release(&args);
    return st;
}

static enum t2_status fail_none(int64_t asked, uint64_t total, struct t2_err *err)
{
    return t2_fail(err, T2_ENOTFOUND, "there are %" PRIu64 " records: no record %" PRId64, total,
                   asked);
}

/* Turns numbers from the end into numbers from the start; only then all files must be counted. */
static enum t2_status count_from_the_end(struct job *job, struct t2_err *err)
{
    bool any = false;
    uint64_t total = 0;

    for (size_t i = 0; i < job->n; i++)
        any |= job->wanted[i].asked < 0;
    for (size_t i = 0; any && i < job->in.n; i++) {
        enum rec_count_by by;
        uint64_t n = 0;
        T2_TRY(t2_check_interrupt(err));
        job->counted = true;
        if (strcmp(job->in.files[i].path, "-") == 0)
            return t2_fail(err, T2_EUNSUPPORTED,
                           "the standard input can only be read from start to end; save it to a "
                           "file, or use `tfrec tail`");
        T2_TRY(rec_count_file(&job->in.files[i], false, &n, &by, err));
        total += n;
    }
    for (size_t i = 0; i < job->n; i++) {
        struct wanted *w = &job->wanted[i];
        if (w->asked >= 0)
            w->number = (uint64_t) w->asked;
        else if ((uint64_t) - (w->asked + 1) < total)
            w->number = total - 1 - (uint64_t) - (w->asked + 1);
        else
            return fail_none(w->asked, total, err);
    }
    return T2_OK;
}

/* What is wanted of the file whose first record has the number `first`. */
static enum t2_status get_from(struct job *job, struct tfr_file *f, const char *path,
                               uint64_t first, struct t2_err *err)
{
    for (size_t i = 0; i < job->n; i++) {
        struct wanted *w = &job->wanted[i];
        struct t2_slice rec;
        if (w->found || w->number < first || w->number - first >= tfr_file_count(f))
            continue;
        T2_TRY(tfr_file_get(f, w->number - first, &rec, err));
        if (rec_row_show(&job->options, &job->row, w->number, rec, &w->text, err) != T2_OK)
            return t2_wrap(err, "'%s': record %" PRIu64, path, w->number - first);
        w->found = true;
        job->n_found++;
    }
    return T2_OK;
}

static enum t2_status get_all(struct job *job, struct t2_err *err)
{
    uint64_t first = 0;

    for (size_t i = 0; i < job->in.n && job->n_found < job->n; i++) {
        const char *path = job->in.files[i].path;
        struct tfr_file *f = NULL;
        enum t2_status st;
        T2_TRY(t2_check_interrupt(err));
        T2_TRY(tfr_file_open(path, &f, err));
        if (!job->counted && *tfr_file_index_trouble(f))
            t2_warn("'%s': the index is not used: %s", path, tfr_file_index_trouble(f));
        st = get_from(job, f, path, first, err);
        first += tfr_file_count(f);
        tfr_file_free(f);
        T2_TRY(st);
    }
    for (size_t i = 0; i < job->n; i++) {
        if (!job->wanted[i].found)
            return fail_none(job->wanted[i].asked, first, err);
    }
    return T2_OK;
}

static enum t2_status print(const struct job *job, struct t2_err *err)
{
    struct t2_out *out = NULL;

    T2_TRY(t2_out_new("-", &out, err));
    for (size_t i = 0; i < job->n; i++)
        t2_out_write(out, job->wanted[i].text.data, job->wanted[i].text.len_bytes);
    return t2_out_commit(out, err);
}

static enum t2_status run(int argc, char **argv, struct t2_err *err)
{
    struct job job = {0};
    enum t2_status st = read_args(&job, argc, argv, err);

    if (st == T2_OK)
        st = count_from_the_end(&job, err);
    if (st == T2_OK)
        st = get_all(&job, err);
    if (st == T2_OK)
        st = print(&job, err);
    for (size_t i = 0; i < job.n; i++)
        t2_buf_release(&job.wanted[i].text);
    t2_free(job.wanted);
    rec_row_release(&job.row);
    rec_row_options_release(&job.options);
    tfr_inputs_release(&job.in);
    return st;
}

const struct t2_command rec_cmd_get = {"get", "Prints records by number.", run};
