/*
 * tfrec/findings.c - the list behind findings.h.
 */
#include "tfrec/findings.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/json_writer.h"

enum { FIRST_CAPACITY = 16, WORDS_BYTES = 1024 };

static void push(struct rec_findings *l, struct rec_finding f)
{
    if (l->n == l->capacity) {
        l->capacity = l->capacity == 0 ? FIRST_CAPACITY : 2 * l->capacity;
        l->items = t2_realloc(l->items, l->capacity, sizeof *l->items);
    }
    l->kept[f.severity]++;
    l->items[l->n++] = f;
}

struct rec_finding *rec_find(struct rec_findings *l, enum rec_severity severity, size_t file,
                             uint64_t record, uint64_t offset, const char *field,
                             const char *format, ...)
{
    char words[WORDS_BYTES];
    va_list args;

    l->counts[severity]++;
    if (l->kept[severity] >= l->limit)
        return NULL;
    va_start(args, format);
    vsnprintf(words, sizeof words, format, args);
    va_end(args);
    push(l, (struct rec_finding){.severity = severity,
                                 .file = file,
                                 .record = record,
                                 .offset = offset,
                                 .field = t2_strdup(field),
                                 .words = t2_strdup(words)});
    return &l->items[l->n - 1];
}

static void release_one(struct rec_finding *f)
{
    t2_free(f->field);
    t2_free(f->words);
}

static void reset(struct rec_findings *l)
{
    l->n = 0;
    for (int s = 0; s < REC_N_SEVERITIES; s++)
        l->kept[s] = l->counts[s] = 0;
}

void rec_findings_move(struct rec_findings *into, struct rec_findings *from)
{
    for (size_t i = 0; i < from->n; i++) {
        if (into->kept[from->items[i].severity] < into->limit)
            push(into, from->items[i]);
        else
            release_one(&from->items[i]);
    }
    for (int s = 0; s < REC_N_SEVERITIES; s++)
        into->counts[s] += from->counts[s];
    reset(from);
}

void rec_findings_clear(struct rec_findings *l)
{
    for (size_t i = 0; i < l->n; i++)
        release_one(&l->items[i]);
    reset(l);
}

void rec_findings_release(struct rec_findings *l)
{
    rec_findings_clear(l);
    t2_free(l->items);
    *l = (struct rec_findings){.items = NULL};
}

void rec_findings_drop_payload(struct rec_findings *l)
{
    size_t n = 0;

    for (size_t i = 0; i < l->n; i++) {
        if (l->items[i].severity == REC_DAMAGE)
            l->items[n++] = l->items[i];
        else
            release_one(&l->items[i]);
    }
    l->n = n;
    for (int s = REC_DAMAGE + 1; s < REC_N_SEVERITIES; s++)
        l->kept[s] = l->counts[s] = 0;
}

/* Ties are broken by the place in the list, so that equal keys keep their order. */
struct keyed {
    struct rec_finding finding;
    size_t place;
};

static int compare(const void *a, const void *b)
{
    const struct keyed *x = a, *y = b;

    if (x->finding.file != y->finding.file)
        return x->finding.file < y->finding.file ? -1 : 1;
    if (x->finding.offset != y->finding.offset)
        return x->finding.offset < y->finding.offset ? -1 : 1;
    return x->place < y->place ? -1 : 1;
}

void rec_findings_sort(struct rec_findings *l)
{
    struct keyed *all;

    if (l->n < 2)
        return;
    all = t2_alloc(l->n, sizeof *all);
    for (size_t i = 0; i < l->n; i++)
        all[i] = (struct keyed){l->items[i], i};
    qsort(all, l->n, sizeof *all, compare);
    for (size_t i = 0; i < l->n; i++)
        l->items[i] = all[i].finding;
    t2_free(all);
}

static bool is_warning(const struct rec_finding *f, bool strict)
{
    return f->severity == REC_PAYLOAD_WARNING && !strict;
}

void rec_finding_print(const struct rec_finding *f, const struct tfr_inputs *in, bool strict,
                       struct t2_buf *out)
{
    t2_buf_printf(out, "%s: ", in->files[f->file].path);
    if (f->record != REC_NO_RECORD)
        t2_buf_printf(out, "record %" PRIu64 " at offset %" PRIu64 ": ", f->record, f->offset);
    t2_buf_printf(out, "%s%s: %s", is_warning(f, strict) ? "warning: " : "", f->field, f->words);
    if (f->lost_records == 1)
        t2_buf_printf(out, "; %" PRIu64 " bytes lost", f->lost_bytes);
    else if (f->lost_records > 1)
        t2_buf_printf(out, "; %" PRIu64 " bytes lost, about %" PRIu64 " records", f->lost_bytes,
                      f->lost_records);
    t2_buf_push(out, '\n');
}

void rec_finding_json(const struct rec_finding *f, const struct tfr_inputs *in, bool strict,
                      struct t2_json *j)
{
    t2_json_object(j);
    t2_json_kv_string(j, "file", in->files[f->file].path);
    if (f->record != REC_NO_RECORD) {
        t2_json_kv_u64(j, "record", f->record);
        t2_json_kv_u64(j, "offset", f->offset);
    }
    t2_json_kv_string(j, "field", f->field);
    t2_json_kv_string(j, "severity", is_warning(f, strict) ? "warning" : "error");
    t2_json_kv_string(j, "message", f->words);
    if (f->severity == REC_DAMAGE && f->record != REC_NO_RECORD) {
        t2_json_kv_u64(j, "lost_bytes", f->lost_bytes);
        t2_json_kv_u64(j, "lost_records", f->lost_records);
    }
    if (f->raw_offset > 0)
        t2_json_kv_u64(j, "compressed_offset", f->raw_offset);
    t2_json_end_object(j);
}
