/*
 * tfrec/verify_print.c - the report of `tfrec verify`, as text and as JSON.
 */
#include <inttypes.h>

#include "base/json_writer.h"
#include "tfrec/verify.h"

uint64_t rec_verified_errors(const struct rec_verified *v, bool strict)
{
    const uint64_t *n = v->found.counts;

    return n[REC_DAMAGE] + n[REC_PAYLOAD_ERROR] + (strict ? n[REC_PAYLOAD_WARNING] : 0);
}

static uint64_t n_warnings(const struct rec_verified *v, bool strict)
{
    return strict ? 0 : v->found.counts[REC_PAYLOAD_WARNING];
}

/* Of the records of a file: those that are there, whole and right. */
static uint64_t n_sound(const struct rec_verified_file *f)
{
    uint64_t unsound = f->n_mended + f->n_bad;

    return f->n_read > unsound ? f->n_read - unsound : 0;
}

static uint64_t n_damaged(const struct rec_verified_file *f)
{
    return f->n_lost + f->n_read - n_sound(f);
}

struct sums {
    uint64_t sound, damaged, bad_files;
};

static struct sums sum_up(const struct tfr_inputs *in, const struct rec_verified *v)
{
    struct sums s = {0, 0, 0};

    for (size_t i = 0; i < in->n; i++) {
        s.sound += n_sound(&v->files[i]);
        s.damaged += n_damaged(&v->files[i]);
        s.bad_files += v->files[i].n_damages + n_damaged(&v->files[i]) > 0;
    }
    return s;
}

static const char *payload_name(const struct rec_verify_options *o,
                                const struct rec_verified_file *f)
{
    if (!f->are_examples)
        return "any";
    return o->payload == REC_PAYLOAD_SEQUENCE ? "sequence_example" : "example";
}

/* ---- text ---- */

static void print_findings(const struct tfr_inputs *in, const struct rec_verified *v, bool strict,
                           struct t2_buf *out)
{
    uint64_t all = 0;

    for (size_t i = 0; i < v->found.n; i++)
        rec_finding_print(&v->found.items[i], in, strict, out);
    for (int s = 0; s < REC_N_SEVERITIES; s++)
        all += v->found.counts[s];
    if (all > v->found.n)
        t2_buf_printf(out, "... and %" PRIu64 " more\n", all - v->found.n);
}

static void print_count(struct t2_buf *out, uint64_t n, const char *what)
{
    t2_buf_printf(out, "%" PRIu64 " %s%s", n, what, n == 1 ? "" : "s");
}

/* Not only that it differs from its manifest? */
static bool is_framing_damaged(const struct rec_verified *v)
{
    for (size_t i = 0; i < v->found.n; i++) {
        if (v->found.items[i].severity == REC_DAMAGE && v->found.items[i].record != REC_NO_RECORD)
            return true;
    }
    return false;
}

/* One line a file that is not sound, and one for all. */
static void print_sums(const struct tfr_inputs *in, const struct rec_verified *v, bool strict,
                       struct t2_buf *out)
{
    struct sums s = sum_up(in, v);
    uint64_t warnings = n_warnings(v, strict);

    for (size_t i = 0; in->n > 1 && i < in->n; i++) {
        const struct rec_verified_file *f = &v->files[i];
        if (n_damaged(f) > 0)
            t2_buf_printf(out, "%s: %" PRIu64 " records sound, %" PRIu64 " damaged or lost\n",
                          in->files[i].path, n_sound(f), n_damaged(f));
    }
    if (in->n == 1)
        t2_buf_printf(out, "%s: ", in->files[0].path);
    else
        t2_buf_printf(out, "%zu files: ", in->n);
    if (rec_verified_errors(v, strict) == 0) {
        print_count(out, s.sound, "record");
        t2_buf_puts(out, ", sound");
    } else {
        print_count(out, s.sound, "record");
        t2_buf_printf(out, " sound, %" PRIu64 " damaged or lost", s.damaged);
        if (in->n > 1)
            t2_buf_printf(out, ", in %" PRIu64 " of the files", s.bad_files);
    }
    if (warnings > 0) {
        t2_buf_puts(out, "; ");
        print_count(out, warnings, "warning");
    }
    t2_buf_push(out, '\n');
    if (is_framing_damaged(v) && s.sound > 0)
        t2_buf_puts(out, "`tfrec salvage` can save the sound records of a damaged file\n");
}

static void print_others(const struct tfr_inputs *in, const struct rec_verified *v,
                         struct t2_buf *out)
{
    for (size_t i = 0; i < in->n; i++) {
        if (!v->files[i].are_examples && v->files[i].n_read > 0)
            t2_buf_printf(out,
                          "%s: most payloads are no tf.train.Example: only the framing was checked "
                          "(see --payload)\n",
                          in->files[i].path);
    }
}

void rec_verify_print(const struct tfr_inputs *in, const struct rec_verify_options *o,
                      const struct rec_verified *v, bool strict, struct t2_buf *out)
{
    print_findings(in, v, strict, out);
    if (v->n_other_files > 0 && o->payload == REC_PAYLOAD_AUTO)
        print_others(in, v, out);
    if (v->too_many_features)
        t2_buf_printf(out, "more than %d features: the kinds of the others were not compared\n",
                      REC_MAX_FEATURES);
    print_sums(in, v, strict, out);
}

/* ---- JSON ---- */

static void json_counts(struct t2_json *j, uint64_t sound, uint64_t damaged)
{
    t2_json_kv_u64(j, "records", sound + damaged);
    t2_json_kv_u64(j, "sound", sound);
    t2_json_kv_u64(j, "damaged", damaged);
}

void rec_verify_json(const struct tfr_inputs *in, const struct rec_verify_options *o,
                     const struct rec_verified *v, bool strict, struct t2_buf *out)
{
    struct sums s = sum_up(in, v);
    struct t2_json j;

    t2_json_init(&j, out, 0);
    t2_json_object(&j);
    t2_json_key(&j, "files");
    t2_json_array(&j);
    for (size_t i = 0; i < in->n; i++) {
        t2_json_object(&j);
        t2_json_kv_string(&j, "path", in->files[i].path);
        t2_json_kv_u64(&j, "bytes", in->files[i].bytes);
        json_counts(&j, n_sound(&v->files[i]), n_damaged(&v->files[i]));
        t2_json_kv_u64(&j, "damages", v->files[i].n_damages);
        t2_json_kv_string(&j, "payload", payload_name(o, &v->files[i]));
        t2_json_end_object(&j);
    }
    t2_json_end_array(&j);
    json_counts(&j, s.sound, s.damaged);
    t2_json_kv_u64(&j, "errors", rec_verified_errors(v, strict));
    t2_json_kv_u64(&j, "warnings", n_warnings(v, strict));
    t2_json_key(&j, "list");
    t2_json_array(&j);
    for (size_t i = 0; i < v->found.n; i++)
        rec_finding_json(&v->found.items[i], in, strict, &j);
    t2_json_end_array(&j);
    t2_json_end_object(&j);
    t2_buf_push(out, '\n');
}
