/*
 * tfrec/salvage.c - copies the sound records of a damaged file into a new one, and counts what is
 * lost: tfrecord/damage.h reads, tfrecord/sink.h writes.
 *
 * Records are copied as the reader gives them, those with one wrong bit put right (n_mended). Every
 * damage is a finding with its offset, lost bytes and lost records, where these can be known.
 */
#include "tfrec/salvage.h"

#include <inttypes.h>

#include "base/alloc.h"
#include "base/json_writer.h"
#include "base/progress.h"
#include "tfrecord/damage.h"

enum { PROGRESS_RECORDS = 4096 };

void rec_salvage_init(struct rec_salvage *s, const struct tfr_inputs *in, size_t max_errors)
{
    *s = (struct rec_salvage){.in = in};
    s->files = t2_alloc(in->n, sizeof *s->files);
    s->found.limit = max_errors;
}

void rec_salvage_release(struct rec_salvage *s)
{
    for (size_t i = 0; i < s->n_outputs; i++)
        t2_free(s->outputs[i].path);
    t2_free(s->outputs);
    t2_free(s->files);
    rec_findings_release(&s->found);
    *s = (struct rec_salvage){.in = NULL};
}

/* Enters a damage into the findings and into the sums of the file. */
static void bill(struct rec_salvage *s, size_t file, const struct tfr_found *f)
{
    const struct tfr_damage *d = &f->damage;
    struct rec_salvaged_file *of = &s->files[file];
    struct rec_finding *found = rec_find(&s->found, REC_DAMAGE, file,
                                         d->field == TFR_FIELD_FILE ? REC_NO_RECORD : f->number,
                                         f->offset, tfr_field_name(d->field), "%s", d->words);

    of->n_damages++;
    of->n_mended += f->is_record;
    of->n_lost += d->lost_records;
    of->lost_bytes += d->lost_bytes;
    of->raw_lost_bytes += d->raw_lost_bytes;
    if (!found)
        return;
    found->lost_bytes = d->lost_bytes;
    found->lost_records = d->lost_records;
    found->raw_offset = d->raw_offset;
}

static enum t2_status copy_records(struct rec_salvage *s, size_t file, struct tfr_damage_reader *r,
                                   struct tfr_sink *sink, struct t2_err *err)
{
    struct rec_salvaged_file *of = &s->files[file];
    struct t2_progress progress;
    struct tfr_found f;
    enum t2_status st;

    t2_progress_start(&progress, "saving", "bytes", s->in->files[file].bytes);
    while ((st = tfr_damage_next(r, &f, err)) == T2_OK) {
        if (f.is_record) {
            tfr_sink_add(sink, f.data.data, f.data.len_bytes);
            of->n_saved++;
        }
        if (f.is_damaged)
            bill(s, file, &f);
        if (of->n_saved % PROGRESS_RECORDS != 0)
            continue;
        t2_progress_update(&progress, tfr_damage_raw_bytes(r));
        if ((st = tfr_sink_status(sink, err)) != T2_OK) /* a full disk is no reason to read on */
            break;
    }
    t2_progress_end(&progress);
    return st == T2_EOF ? T2_OK : st;
}

enum t2_status rec_salvage_file(struct rec_salvage *s, size_t file, struct tfr_sink *sink,
                                struct t2_err *err)
{
    struct tfr_damage_reader *r = NULL;
    enum t2_status st;

    T2_TRY(tfr_damage_open(s->in->files[file].path, &r, err));
    st = copy_records(s, file, r, sink, err);
    tfr_damage_close(r);
    return st;
}

enum t2_status rec_salvage_commit(struct rec_salvage *s, struct tfr_sink *sink, struct t2_err *err)
{
    struct tfr_sink_report report = {NULL, 0, 0};
    enum t2_status st = tfr_sink_commit(sink, &report, err);

    if (st == T2_OK && report.n > 0) {
        s->outputs = t2_realloc(s->outputs, s->n_outputs + report.n, sizeof *s->outputs);
        for (size_t i = 0; i < report.n; i++) {
            s->outputs[s->n_outputs++] = report.files[i];
            report.files[i].path = NULL;
        }
    }
    tfr_sink_report_release(&report);
    return st;
}

/* ---- the bill ---- */

static void print_file(const struct rec_salvage *s, size_t file, struct t2_buf *out)
{
    const struct rec_salvaged_file *f = &s->files[file];

    t2_buf_printf(out, "%s: %" PRIu64 " record%s saved", s->in->files[file].path, f->n_saved,
                  f->n_saved == 1 ? "" : "s");
    if (f->n_mended > 0)
        t2_buf_printf(out, " (%" PRIu64 " with a damaged header)", f->n_mended);
    if (f->n_lost > 0)
        t2_buf_printf(out, ", about %" PRIu64 " lost", f->n_lost);
    if (f->lost_bytes > 0)
        t2_buf_printf(out, ", %" PRIu64 " bytes lost", f->lost_bytes);
    if (f->raw_lost_bytes > 0)
        t2_buf_printf(out, ", %" PRIu64 " compressed bytes passed over", f->raw_lost_bytes);
    t2_buf_puts(out, f->n_damages == 0 ? ", no damage\n" : "\n");
}

void rec_salvage_print(const struct rec_salvage *s, struct t2_buf *out)
{
    for (size_t i = 0; i < s->found.n; i++)
        rec_finding_print(&s->found.items[i], s->in, true, out);
    if (s->found.counts[REC_DAMAGE] > s->found.n)
        t2_buf_printf(out, "... and %" PRIu64 " more\n", s->found.counts[REC_DAMAGE] - s->found.n);
    for (size_t i = 0; i < s->in->n; i++)
        print_file(s, i, out);
    for (size_t i = 0; i < s->n_outputs; i++)
        t2_buf_printf(out, "wrote %s: %" PRIu64 " records, %" PRIu64 " bytes\n", s->outputs[i].path,
                      s->outputs[i].n_records, s->outputs[i].bytes);
}

static void json_sums(struct t2_json *j, const struct rec_salvaged_file *f)
{
    t2_json_kv_u64(j, "saved", f->n_saved);
    t2_json_kv_u64(j, "mended", f->n_mended);
    t2_json_kv_u64(j, "lost", f->n_lost);
    t2_json_kv_u64(j, "lost_bytes", f->lost_bytes);
    t2_json_kv_u64(j, "lost_compressed_bytes", f->raw_lost_bytes);
    t2_json_kv_u64(j, "damages", f->n_damages);
}

static void json_files(const struct rec_salvage *s, struct t2_json *j)
{
    struct rec_salvaged_file all = {.n_saved = 0};

    t2_json_key(j, "files");
    t2_json_array(j);
    for (size_t i = 0; i < s->in->n; i++) {
        const struct rec_salvaged_file *f = &s->files[i];
        t2_json_object(j);
        t2_json_kv_string(j, "path", s->in->files[i].path);
        json_sums(j, f);
        t2_json_end_object(j);
        all.n_saved += f->n_saved;
        all.n_mended += f->n_mended;
        all.n_lost += f->n_lost;
        all.lost_bytes += f->lost_bytes;
        all.raw_lost_bytes += f->raw_lost_bytes;
        all.n_damages += f->n_damages;
    }
    t2_json_end_array(j);
    json_sums(j, &all);
}

void rec_salvage_json(const struct rec_salvage *s, struct t2_buf *out)
{
    struct t2_json j;

    t2_json_init(&j, out, 0);
    t2_json_object(&j);
    json_files(s, &j);
    t2_json_key(&j, "outputs");
    t2_json_array(&j);
    for (size_t i = 0; i < s->n_outputs; i++) {
        t2_json_object(&j);
        t2_json_kv_string(&j, "path", s->outputs[i].path);
        t2_json_kv_u64(&j, "records", s->outputs[i].n_records);
        t2_json_kv_u64(&j, "bytes", s->outputs[i].bytes);
        t2_json_kv_string(&j, "sha256", s->outputs[i].sha256);
        t2_json_end_object(&j);
    }
    t2_json_end_array(&j);
    t2_json_key(&j, "list");
    t2_json_array(&j);
    for (size_t i = 0; i < s->found.n; i++)
        rec_finding_json(&s->found.items[i], s->in, true, &j);
    t2_json_end_array(&j);
    t2_json_end_object(&j);
    t2_buf_push(out, '\n');
}
