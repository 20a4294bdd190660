/*
 * datagen/problems/revision_report.c - the report of a shard.
 */
#include "datagen/problems/revision_report.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void dg_put_python_float(double x, struct t2_buf *text)
{
    char digits[40] = "";
    double again = 0;

    for (int n = 1; n <= 17; n++) {
        snprintf(digits, sizeof digits, "%.*g", n, x);
        if (t2_parse_double(digits, &again) && again == x)
            break;
    }
    if (strchr(digits, 'e') && x > -1e16 && x < 1e16 && (x >= 1e-4 || x <= -1e-4))
        snprintf(digits, sizeof digits, "%.0f", x); /* Python's exponents begin later */
    t2_buf_puts(text, digits);
    if (strspn(digits, "-0123456789") == strlen(digits))
        t2_buf_puts(text, ".0");
}

/* a / b, 0 where there is no b. */
static double per(uint64_t a, uint64_t b)
{
    return b ? (double) a / (double) b : 0;
}

static void put_spec(const struct dg_revision_spec *w, struct t2_buf *text)
{
    t2_buf_printf(text,
                  "Flags for job:\nDev shards: %" PRId64 "\nTrain shards: %" PRId64
                  "\nRevision skip factor: ",
                  w->num_dev_shards, w->num_train_shards);
    dg_put_python_float(w->revision_skip_factor, text);
    t2_buf_printf(text, "\nMax page size: 2**%" PRId64 "\nIntroduce errors: %s\nMax edit ratio: ",
                  w->max_page_size_exp, w->introduce_errors ? "True" : "False");
    dg_put_python_float(w->max_equal_to_diff_ratio, text);
    t2_buf_puts(text, "\nPercent Identical Examples: ");
    dg_put_python_float(w->percent_identical_examples, text);
    t2_buf_puts(text, "\n\n");
}

static void put_files(const struct dg_revision_report *r, struct t2_buf *text)
{
    t2_buf_printf(text, "corpus files: %zu\n\tnames: [", r->files.n);
    for (size_t i = 0; i < r->files.n; i++)
        t2_buf_printf(text, "%s'%s'", i ? ", " : "", r->files.items[i]);
    t2_buf_printf(text, "]\n\tpages per input file: %.1f\n\n", per(r->pages, r->files.n));
}

static void put_pages(const struct dg_revision_report *r, struct t2_buf *text)
{
    t2_buf_printf(text,
                  "pages processed: %" PRIu64 "\n\trevisions per page: %.2f, total: %" PRIu64
                  "\n\trevisions admitted per page: %.2f, percent of total: %.2f\n\n",
                  r->pages, per(r->revisions, r->pages), r->revisions,
                  per(r->revisions_admitted, r->pages),
                  100 * per(r->revisions_admitted, r->revisions));
    t2_buf_printf(text,
                  "revisions admitted: %" PRIu64 "\n\texamples generated per revision: %.2f\n\n",
                  r->revisions_admitted, per(r->counts.pairs, r->revisions_admitted));
}

static void put_pairs(const struct dg_revision_report *r, struct t2_buf *text)
{
    const struct dg_pair_counts *c = &r->counts;

    t2_buf_printf(text,
                  "examples generated: %" PRIu64 "\n\twith error introduced: %" PRIu64
                  ", percent of total: %.2f\n\ttotal errors introduced: %" PRIu64
                  ", errors per errorred example: %.2f\n",
                  c->pairs, c->with_errors, 100 * per(c->with_errors, c->pairs), c->errors,
                  per(c->errors, c->with_errors));
    t2_buf_printf(text,
                  "\texamples thrown out: %" PRIu64 "\n\t\ttoo long: %" PRIu64
                  "\n\t\tidentity: %" PRIu64 "\n\t\tedit distance: %" PRIu64
                  "\n\tremaining identity examples: %" PRIu64
                  "\n\tratio identity (actual, desired): %.3f, ",
                  c->too_long + c->thrown_identical + c->thrown_distance, c->too_long,
                  c->thrown_identical, c->thrown_distance, c->identical,
                  per(c->identical, c->pairs));
    dg_put_python_float(r->spec->percent_identical_examples, text);
    t2_buf_puts(text, "\n\n");
}

static void put_tokens(const struct dg_pair_counts *c, struct t2_buf *text)
{
    uint64_t all = c->source_tokens + c->target_tokens;

    t2_buf_printf(text,
                  "tokens generated: %" PRIu64 "\n\tsource: %" PRIu64 "\n\ttarget: %" PRIu64
                  "\n\tper example: %.2f\n\t\tsource: %.2f\n\t\ttarget: %.2f\n",
                  all, c->source_tokens, c->target_tokens, per(all, c->pairs),
                  per(c->source_tokens, c->pairs), per(c->target_tokens, c->pairs));
}

void dg_revision_report_put(const struct dg_revision_report *r, struct t2_buf *text)
{
    put_spec(r->spec, text);
    put_files(r, text);
    put_pages(r, text);
    put_pairs(r, text);
    put_tokens(&r->counts, text);
}
