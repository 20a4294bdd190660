/*
 * tfrec/event_line.c - values of events as lines of a table, columns parted by tabs.
 */
#include <inttypes.h>
#include <math.h>
#include <time.h>

#include "base/alloc.h"
#include "tfrec/event_values.h"
#include "tfrec/rows.h"
#include "tfrec/text_table.h"

enum { TEXT_COLUMNS = 100 };

static void put_visible(struct t2_slice text, size_t max_columns, struct t2_buf *out)
{
    if (text.len_bytes > 0)
        rec_visible(text.data, text.len_bytes, max_columns, out);
}

/* 2026-11-21 06:57:35.863, UTC. */
static void put_time(double wall_time, struct t2_buf *out)
{
    static const double last = 253402300799.0; /* of the year 9999 */
    struct tm tm;
    time_t seconds;

    if (!(wall_time >= 0 && wall_time <= last)) {
        rec_put_event_number((struct rec_number){wall_time, false, false}, false, out);
        return;
    }
    int64_t ms = llround(wall_time * 1000);
    seconds = (time_t) (ms / 1000);
    if (!gmtime_r(&seconds, &tm))
        return;
    t2_buf_printf(out, "%04d-%02d-%02d %02d:%02d:%02d.%03d", tm.tm_year + 1900, tm.tm_mon + 1,
                  tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec, (int) (ms % 1000));
}

static void put_plain(double v, struct t2_buf *out)
{
    rec_put_event_number((struct rec_number){v, false, v == trunc(v)}, false, out);
}

static void put_histogram(const struct tfr_summary_value *v, struct t2_buf *out)
{
    struct rec_histogram h;

    if (!rec_event_histogram(v, &h)) {
        t2_buf_puts(out, "<histogram, damaged>");
        return;
    }
    t2_buf_puts(out, "<histogram of ");
    put_plain(h.num, out);
    t2_buf_puts(out, " values, ");
    put_plain(h.min, out);
    t2_buf_puts(out, " to ");
    put_plain(h.max, out);
    t2_buf_puts(out, ">");
    t2_free(h.rows);
}

static void put_image(const struct tfr_summary_value *v, struct t2_buf *out)
{
    struct rec_event_image p;

    rec_event_image(v, &p);
    if (p.n != 1)
        t2_buf_printf(out, "<%zu images %" PRIu64 "x%" PRIu64 ">", p.n, p.width, p.height);
    else
        rec_bytes_summary(p.first, out);
}

static void put_tensor(const struct tfr_summary_value *v, struct t2_buf *out)
{
    struct t2_err unseen = T2_ERR_INIT;
    struct t2_slice s;
    struct tfr_tensor t;

    if (v->form != TFR_VALUE_TENSOR || tfr_tensor_parse(v->body, &t, &unseen) != T2_OK) {
        t2_buf_puts(out, "<no tensor>");
        return;
    }
    if (tfr_tensor_strings(&t, &s, 1) == 1) {
        put_visible(s, TEXT_COLUMNS, out);
        return;
    }
    t2_buf_printf(out, "<%s tensor [", tfr_tensor_type_name(t.dtype));
    for (int i = 0; i < t.n_dims; i++)
        t2_buf_printf(out, "%s%" PRId64, i > 0 ? "," : "", t.dims[i]);
    t2_buf_puts(out, "]>");
}

static void put_value(const struct rec_event_row *row, struct t2_buf *out)
{
    const struct tfr_summary_value *v = row->value;
    struct rec_number n;

    switch (rec_event_kind(v, row->plugin)) {
    case REC_SCALAR:
        if (rec_event_scalar(v, &n))
            rec_put_event_number(n, false, out);
        else
            t2_buf_puts(out, "<scalar without a value>");
        break;
    case REC_HISTOGRAM:
        put_histogram(v, out);
        break;
    case REC_EVENT_IMAGE:
        put_image(v, out);
        break;
    case REC_AUDIO:
        t2_buf_puts(out, "<audio>");
        break;
    case REC_HPARAMS:
        t2_buf_printf(out, "<hparams, %zu B>", v->content.len_bytes);
        break;
    case REC_EVENT_TEXT:
    case REC_TENSOR:
        put_tensor(v, out);
        break;
    case REC_NO_DATA:
        t2_buf_puts(out, "<no data>");
        break;
    }
}

void rec_event_heading(bool show_run, struct t2_buf *out)
{
    t2_buf_puts(out,
                show_run ? "run\tstep\twall_time\ttag\tvalue\n" : "step\twall_time\ttag\tvalue\n");
}

void rec_event_line(const struct rec_event_row *row, struct t2_buf *out)
{
    if (row->show_run) {
        put_visible(t2_slice_of(row->run), 0, out);
        t2_buf_push(out, '\t');
    }
    t2_buf_printf(out, "%" PRId64 "\t", row->event->step);
    put_time(row->event->wall_time, out);
    t2_buf_push(out, '\t');
    put_visible(row->value->tag, 0, out);
    t2_buf_push(out, '\t');
    put_value(row, out);
    t2_buf_push(out, '\n');
}
