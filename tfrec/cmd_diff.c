/*
 * tfrec/cmd_diff.c - tfrec diff: are the records of two sets equal?
 */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/json_writer.h"
#include "base/pool.h"
#include "base/shown.h"
#include "tfrec/commands.h"
#include "tfrec/diff.h"
#include "tfrec/rewrite.h"

enum { LEAST_MEMORY = 1 << 20 };

static const char *by = "bytes";
static bool as_set, as_json;

/* clang-format off */
static const struct t2_flag table[] = {
    {"by", T2_FLAG_STRING, &by, "bytes|example",
     "What is compared: payloads, or the Examples in them however they are written.", NULL},
    {"set", T2_FLAG_BOOL, &as_set, NULL,
     "The order does not matter: each record is there as often in both.", NULL},
    {"json", T2_FLAG_BOOL, &as_json, NULL, "Prints one JSON object.", NULL},
    REC_EXTERNAL_FLAGS,
};
/* clang-format on */

static const struct t2_tool tool = {
    .name = "tfrec diff",
    .usage = "[flags] A B",
    .summary =
        "Compares the records of A and B, each any INPUT: how they are sharded and compressed "
        "does not matter. Shows the first difference field by field. With --set, by 128-bit "
        "hashes in --max_memory. Exit code 1: they differ.",
    .examples = "  tfrec diff old.tfrecord new.tfrecord.gz\n"
                "  tfrec diff --set --by=example data/x-train@10 other/x-train@100\n",
    .flags = table,
    .n_flags = sizeof table / sizeof *table,
};

static bool is_equal(const struct rec_diff *d)
{
    return d->n_different == 0 && d->n_only_a == 0 && d->n_only_b == 0;
}

/* ---- text ---- */

static void print_place(struct t2_buf *text, const char *side, const struct rec_place *p)
{
    t2_buf_printf(text, "  %s '%s': record %" PRIu64 "\n", side, p->path, p->in_file);
}

static void print_differences(struct t2_buf *text, const struct rec_differences *d)
{
    for (size_t i = 0; i < d->n; i++) {
        const struct rec_difference *x = &d->items[i];
        t2_buf_printf(text, "    %s%s%s: %s | %s\n", !x->feature ? x->what : x->feature,
                      x->feature || *x->at == '\0' ? "" : " at ", x->at, x->a, x->b);
    }
    if (d->n_more > 0)
        t2_buf_printf(text, "    and %zu more\n", d->n_more);
}

static void print_only(struct t2_buf *text, const char *side, uint64_t n,
                       const struct rec_place *examples)
{
    if (n == 0)
        return;
    t2_buf_printf(text, "%" PRIu64 " record%s only in %s", n, n == 1 ? "" : "s", side);
    t2_buf_puts(text, as_set ? ":\n" : "\n");
    for (size_t i = 0; as_set && i < REC_DIFF_EXAMPLES; i++) {
        if (examples[i].path)
            print_place(text, side, &examples[i]);
    }
}

static void print_text(const struct rec_diff *d, struct t2_buf *text)
{
    if (is_equal(d)) {
        t2_buf_printf(text, "equal: %" PRIu64 " records\n", d->n_a);
        return;
    }
    t2_buf_printf(text, "A has %" PRIu64 " records, B %" PRIu64 "; %" PRIu64 " are equal\n", d->n_a,
                  d->n_b, d->n_equal);
    if (d->n_different > 0) {
        t2_buf_printf(text, "%" PRIu64 " differ", d->n_different);
        if (d->n_written_differently > 0)
            t2_buf_printf(text,
                          ", %" PRIu64 " of them in bytes only: they hold equal Examples "
                          "(--by=example)",
                          d->n_written_differently);
        t2_buf_puts(text, "; the first:\n");
        print_place(text, "A", &d->first_a);
        print_place(text, "B", &d->first_b);
        print_differences(text, &d->first);
    }
    print_only(text, "A", d->n_only_a, d->only_a);
    print_only(text, "B", d->n_only_b, d->only_b);
}

/* ---- JSON ---- */

static void put_place(struct t2_json *j, const char *key, const struct rec_place *p)
{
    if (key)
        t2_json_key(j, key);
    t2_json_object(j);
    t2_json_kv_string(j, "path", p->path);
    t2_json_kv_u64(j, "record", p->in_file);
    t2_json_end_object(j);
}

static void put_first(struct t2_json *j, const struct rec_diff *d)
{
    t2_json_key(j, "first");
    t2_json_object(j);
    put_place(j, "a", &d->first_a);
    put_place(j, "b", &d->first_b);
    t2_json_key(j, "differences");
    t2_json_array(j);
    for (size_t i = 0; i < d->first.n; i++) {
        const struct rec_difference *x = &d->first.items[i];
        t2_json_object(j);
        t2_json_key(j, "feature");
        if (x->feature)
            t2_json_string(j, x->feature);
        else
            t2_json_null(j);
        t2_json_kv_string(j, "what", x->what);
        t2_json_kv_string(j, "at", x->at);
        t2_json_kv_string(j, "a", x->a);
        t2_json_kv_string(j, "b", x->b);
        t2_json_end_object(j);
    }
    t2_json_end_array(j);
    t2_json_end_object(j);
}

static void put_examples(struct t2_json *j, const char *key, const struct rec_place *examples)
{
    t2_json_key(j, key);
    t2_json_array(j);
    for (size_t i = 0; i < REC_DIFF_EXAMPLES; i++) {
        if (examples[i].path)
            put_place(j, NULL, &examples[i]);
    }
    t2_json_end_array(j);
}

static void print_json(const struct rec_diff *d, struct t2_buf *text)
{
    struct t2_json j;

    t2_json_init(&j, text, 0);
    t2_json_object(&j);
    t2_json_kv_bool(&j, "equal", is_equal(d));
    t2_json_kv_u64(&j, "records_a", d->n_a);
    t2_json_kv_u64(&j, "records_b", d->n_b);
    t2_json_kv_u64(&j, "equal_records", d->n_equal);
    if (!as_set) {
        t2_json_kv_u64(&j, "different", d->n_different);
        t2_json_kv_u64(&j, "different_in_bytes_only", d->n_written_differently);
    }
    t2_json_kv_u64(&j, "only_a", d->n_only_a);
    t2_json_kv_u64(&j, "only_b", d->n_only_b);
    if (as_set) {
        put_examples(&j, "examples_a", d->only_a);
        put_examples(&j, "examples_b", d->only_b);
    } else if (d->n_different > 0) {
        put_first(&j, d);
    }
    t2_json_end_object(&j);
    t2_buf_push(text, '\n');
}

/* ---- the command ---- */

static enum t2_status print(const struct rec_diff *d, struct t2_err *err)
{
    struct t2_buf text = {NULL, 0, 0};
    struct t2_out *out = NULL;
    enum t2_status st = t2_out_new("-", &out, err);

    if (st != T2_OK)
        return st;
    if (as_json)
        print_json(d, &text);
    else
        print_text(d, &text);
    t2_show_out(t2_buf_slice(&text), as_json, out);
    t2_buf_release(&text);
    T2_TRY(t2_out_commit(out, err));
    return is_equal(d) ? T2_OK : T2_EOF;
}

static enum t2_status find_side(const char *arg, struct tfr_inputs *in, struct t2_err *err)
{
    struct t2_strs args = {NULL, 0, 0};
    enum t2_status st;

    t2_strs_push(&args, arg);
    st = tfr_inputs_find(&args, in, err);
    t2_strs_release(&args);
    return st;
}

static enum t2_status read_flags(const struct t2_strs *args, struct rec_diff *d, struct t2_err *err)
{
    if (args->n != 2)
        return t2_fail(err, T2_EUSAGE,
                       "%zu inputs; diff compares two (quote a glob to make one of it)", args->n);
    if (strcmp(args->items[0], "-") == 0 && strcmp(args->items[1], "-") == 0)
        return t2_fail(err, T2_EUSAGE, "the standard input can be one side only");
    if (strcmp(by, "bytes") != 0 && strcmp(by, "example") != 0)
        return t2_fail(err, T2_EUSAGE, "--by='%s': bytes or example", by);
    d->by_example = strcmp(by, "example") == 0;
    d->max_memory = rec_rewrite_given.max_memory;
    return rec_rewrite_check_memory(LEAST_MEMORY, err);
}

static enum t2_status compare(struct rec_diff *d, const struct tfr_inputs *a,
                              const struct tfr_inputs *b, struct t2_err *err)
{
    struct t2_pool *pool = rec_pool_new();
    enum t2_status st =
        as_set ? rec_diff_sets(d, a, b, pool, err) : rec_diff_ordered(d, a, b, pool, err);

    t2_pool_free(pool);
    return st == T2_OK ? print(d, err) : st;
}

static enum t2_status run(int argc, char **argv, struct t2_err *err)
{
    struct t2_strs args = {NULL, 0, 0};
    struct tfr_inputs a = {NULL, 0, 0}, b = {NULL, 0, 0};
    struct rec_diff d = {.tmp_dir = NULL};
    char *tmp_dir = NULL;
    enum t2_status st = t2_flags_parse(&tool, argc, argv, &args, err);

    if (st == T2_OK)
        st = read_flags(&args, &d, err);
    if (st == T2_OK)
        st = find_side(args.items[0], &a, err);
    if (st == T2_OK)
        st = find_side(args.items[1], &b, err);
    if (st == T2_OK) {
        tmp_dir = rec_rewrite_tmp_dir();
        d.tmp_dir = tmp_dir;
        st = compare(&d, &a, &b, err);
    }
    rec_differences_release(&d.first);
    t2_free(tmp_dir);
    tfr_inputs_release(&a);
    tfr_inputs_release(&b);
    t2_strs_release(&args);
    return st;
}

const struct t2_command rec_cmd_diff = {"diff", "Compares the records of two sets.", run};
