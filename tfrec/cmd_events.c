/*
 * tfrec/cmd_events.c - tfrec events: what TensorBoard's event files hold.
 *
 * Events are few and depend on each other (the plugin of a tag is known from its first event), so
 * they are worked on in order; only reading and checking is done on all threads.
 */
#include <fnmatch.h>
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/log.h"
#include "base/map.h"
#include "base/pool.h"
#include "tfrec/commands.h"
#include "tfrec/event_images.h"
#include "tfrec/event_inputs.h"
#include "tfrec/event_row.h"
#include "tfrecord/record_stream.h"

static bool as_json, only_scalars;
static const char *tag_pattern = "";
static const char *images_out = "";

/* clang-format off */
static const struct t2_flag table[] = {
    {"json", T2_FLAG_BOOL, &as_json, NULL,
     "JSON Lines, with what is no summary (versions, graphs, sessions) too.", NULL},
    {"scalars", T2_FLAG_BOOL, &only_scalars, NULL, "Only scalars.", NULL},
    {"tag", T2_FLAG_STRING, &tag_pattern, "PATTERN", "Only tags that match, as file names do: 'loss*'.", NULL},
    {"images_out", T2_FLAG_STRING, &images_out, "DIR",
     "Also writes the images to DIR, named by tag and step.", NULL},
};
/* clang-format on */

static const struct t2_tool tool = {
    .name = "tfrec events",
    .usage = "[flags] INPUT...",
    .summary =
        "Shows TensorBoard's event files: step, wall time (UTC), tag and value, parted by "
        "tabs; histograms, images, text and tensors in short. A folder means all files in it "
        "and below whose name has 'tfevents'.",
    .examples = "  tfrec events --scalars --tag='loss*' runs/\n"
                "  tfrec events --json --images_out=images runs/a | jq .value\n",
    .flags = table,
    .n_flags = sizeof table / sizeof *table,
};

struct job {
    struct t2_out *out;
    struct t2_buf text;
    struct t2_map *plugins; /* run NUL tag -> number of its plugin's name, from 1 */
    struct t2_map *names;   /* of plugins */
    struct rec_event_files files;
    struct t2_buf key;
    char *run; /* of the current file */
    size_t file_number;
    bool show_run;
};

/* The plugin of a tag: this event's, else that of an earlier one of the run. */
static struct t2_slice plugin_of(struct job *job, const struct tfr_summary_value *v)
{
    uint64_t *known;

    t2_buf_clear(&job->key);
    t2_buf_puts(&job->key, job->run);
    t2_buf_push(&job->key, 0);
    t2_buf_append(&job->key, v->tag.data, v->tag.len_bytes);
    if (v->plugin.len_bytes == 0) {
        known = t2_map_find(job->plugins, job->key.data, job->key.len_bytes);
        return known ? t2_map_key(job->names, *known - 1) : (struct t2_slice){NULL, 0};
    }
    bool inserted;
    uint64_t *number = t2_map_at(job->names, v->plugin.data, v->plugin.len_bytes, &inserted);
    if (inserted)
        *number = t2_map_count(job->names);
    uint64_t n = *number;
    known = t2_map_at(job->plugins, job->key.data, job->key.len_bytes, &inserted);
    if (inserted)
        *known = n;
    return v->plugin;
}

static bool tag_matches(struct t2_slice tag)
{
    char *text;
    bool yes;

    if (*tag_pattern == '\0')
        return true;
    text = t2_strndup((const char *) tag.data, tag.len_bytes);
    yes = fnmatch(tag_pattern, text, 0) == 0;
    t2_free(text);
    return yes;
}

static enum t2_status show_value(struct job *job, struct rec_event_row *row, struct t2_err *err)
{
    row->plugin = plugin_of(job, row->value);
    if (!tag_matches(row->value->tag) ||
        (only_scalars && rec_event_kind(row->value, row->plugin) != REC_SCALAR))
        return T2_OK;
    if (as_json)
        rec_event_json(row, &job->text);
    else
        rec_event_line(row, &job->text);
    return *images_out ? rec_event_write_images(&job->files, row, err) : T2_OK;
}

static enum t2_status show_event(struct job *job, struct rec_event_row *row, struct t2_slice record,
                                 struct t2_err *err)
{
    struct tfr_summary_value value;
    struct tfr_event event;
    enum t2_status st;
    size_t n = 0;

    T2_TRY(tfr_event_parse(record, &event, err));
    row->event = &event;
    row->value = &value;
    if (event.kind == TFR_EVENT_SUMMARY) {
        while ((st = tfr_summary_next(&event.body, &value, err)) == T2_OK) {
            T2_TRY(show_value(job, row, err));
            n++;
        }
        if (st != T2_EOF)
            return st;
    }
    row->value = NULL;
    if (n == 0 && as_json && !only_scalars && *tag_pattern == '\0')
        rec_event_json(row, &job->text);
    return T2_OK;
}

static enum t2_status consume(void *context, const struct tfr_batch *b, void *result,
                              struct t2_err *err)
{
    struct job *job = context;
    struct rec_event_row row = {.file = b->file->path, .show_run = job->show_run};
    enum t2_status st = T2_OK;
    size_t start;

    (void) result;
    t2_buf_clear(&job->text);
    if (!job->run || job->file_number != b->file_number) {
        t2_free(job->run);
        job->run = t2_path_dir(b->file->path);
        job->file_number = b->file_number;
    }
    row.run = job->run;
    for (size_t i = 0; st == T2_OK && i < b->n; i++) {
        row.record = b->first_in_file + i;
        start = job->text.len_bytes;
        st = show_event(job, &row, b->records[i].data, err);
        if (st == T2_OK)
            continue;
        if (job->text.len_bytes > start)
            job->text.data[job->text.len_bytes = start] = 0;
        st = t2_wrap(err, "'%s': record %" PRIu64 " at offset %" PRIu64, b->file->path, row.record,
                     b->records[i].offset);
    }
    t2_out_write(job->out, job->text.data, job->text.len_bytes);
    return st == T2_OK ? t2_out_status(job->out, err) : st;
}

/* Files of more than one folder? */
static bool has_runs(const struct tfr_inputs *in)
{
    bool yes = false;
    char *first = in->n > 0 ? t2_path_dir(in->files[0].path) : NULL;

    for (size_t i = 1; i < in->n && !yes; i++) {
        char *dir = t2_path_dir(in->files[i].path);
        yes = strcmp(first, dir) != 0;
        t2_free(dir);
    }
    t2_free(first);
    return yes;
}

static enum t2_status show_all(const struct tfr_inputs *in, struct t2_err *err)
{
    struct job job = {.files = {.folder = images_out}, .show_run = has_runs(in)};
    const struct tfr_stream stream = {.inputs = in,
                                      .what = "reading",
                                      .consume = consume,
                                      .context = &job};
    struct t2_err late = T2_ERR_INIT;
    struct t2_pool *pool;
    enum t2_status st, closed;

    T2_TRY(t2_out_new("-", &job.out, err));
    job.plugins = t2_map_new();
    job.names = t2_map_new();
    pool = rec_pool_new();
    if (!as_json) {
        rec_event_heading(job.show_run, &job.text);
        t2_out_write(job.out, job.text.data, job.text.len_bytes);
    }
    st = tfr_stream_run(&stream, pool, err);
    closed = t2_out_commit(job.out, &late);
    if (st == T2_OK && closed != T2_OK) {
        *err = late;
        st = closed;
    }
    if (*images_out)
        t2_log(T2_LOG_INFO, "%" PRIu64 " images written to '%s'", job.files.n_written, images_out);
    if (job.files.n_unknown > 0)
        t2_log(T2_LOG_WARNING, "%" PRIu64 " images left out: they are of no known type",
               job.files.n_unknown);
    t2_pool_free(pool);
    t2_map_free(job.plugins);
    t2_map_free(job.names);
    rec_event_files_release(&job.files);
    t2_buf_release(&job.text);
    t2_buf_release(&job.key);
    t2_free(job.run);
    return st;
}

static enum t2_status run(int argc, char **argv, struct t2_err *err)
{
    struct tfr_inputs in = {0};
    struct t2_strs args = {NULL, 0, 0};
    enum t2_status st = t2_flags_parse(&tool, argc, argv, &args, err);

    if (st == T2_OK)
        st = rec_event_inputs(&args, &in, err);
    if (st == T2_OK)
        st = show_all(&in, err);
    t2_strs_release(&args);
    tfr_inputs_release(&in);
    return st;
}

const struct t2_command rec_cmd_events = {"events", "Shows TensorBoard's event files.", run};
