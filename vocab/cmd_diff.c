/*
 * vocab/cmd_diff.c - t2t-vocab diff: which entries two vocabularies share, and under which ids.
 */
#include <inttypes.h>
#include <string.h>

#include "base/file.h"
#include "base/flags.h"
#include "base/json_writer.h"
#include "base/map.h"
#include "base/shown.h"
#include "tokenizer/encoder.h"
#include "vocab/entry_text.h"
#include "vocab/vocab_commands.h"

static bool as_json;
static int64_t n_shown = 10;

/* clang-format off */
static const struct t2_flag table[] = {
    {"n", T2_FLAG_INT, &n_shown, "N", "How many entries are listed of each sort.", NULL},
    {"json", T2_FLAG_BOOL, &as_json, NULL, "One JSON object.", NULL},
};
/* clang-format on */

static const struct t2_tool tool = {
    .name = "t2t-vocab diff",
    .usage = "[flags] A B",
    .summary =
        "Compares the entries of two vocabularies: in both under one id, in both under different "
        "ids, in one only. Exit code 1 when they differ. Whether they cut text alike says "
        "`t2t-vocab verify`.",
    .examples = "  t2t-vocab diff old.subwords new.subwords\n"
                "  t2t-vocab diff --json a.model b.model\n",
    .flags = table,
    .n_flags = sizeof table / sizeof *table,
};

enum sort { MOVED, ONLY_A, ONLY_B, N_SORTS };

struct difference {
    const struct tok_encoder *a, *b;
    uint64_t n_same;
    uint64_t n[N_SORTS];
    struct tok_ids shown[N_SORTS]; /* ids in A, or in B for ONLY_B; of MOVED: pairs */
};

static struct t2_map *index_entries(const struct tok_encoder *e)
{
    struct t2_map *map = t2_map_new();

    for (int32_t i = 0; i < tok_size(e); i++)
        *t2_map_at(map, tok_entry(e, i).data, tok_entry(e, i).len_bytes, NULL) = (uint64_t) i;
    return map;
}

static void add(struct difference *d, enum sort sort, int32_t id, int32_t other)
{
    if (d->n[sort]++ >= (uint64_t) n_shown)
        return;
    tok_ids_push(&d->shown[sort], id);
    if (sort == MOVED)
        tok_ids_push(&d->shown[sort], other);
}

static void compare(struct difference *d)
{
    struct t2_map *in_a = index_entries(d->a), *in_b = index_entries(d->b);

    for (int32_t i = 0; i < tok_size(d->a); i++) {
        struct t2_slice entry = tok_entry(d->a, i);
        const uint64_t *id = t2_map_find(in_b, entry.data, entry.len_bytes);
        if (t2_slice_eq(entry, tok_entry(d->b, i)) && i < tok_size(d->b))
            d->n_same++;
        else if (id)
            add(d, MOVED, i, (int32_t) *id);
        else
            add(d, ONLY_A, i, 0);
    }
    for (int32_t i = 0; i < tok_size(d->b); i++) {
        struct t2_slice entry = tok_entry(d->b, i);
        if (!t2_map_find(in_a, entry.data, entry.len_bytes))
            add(d, ONLY_B, i, 0);
    }
    t2_map_free(in_a);
    t2_map_free(in_b);
}

static void put_text(const struct difference *d, const char *a, const char *b, struct t2_buf *out)
{
    const char *const names[N_SORTS] = {"under another id", a, b};

    t2_buf_printf(out, "%10" PRIu64 " entries under the same id\n", d->n_same);
    for (int s = 0; s < N_SORTS; s++) {
        t2_buf_printf(out, "%10" PRIu64 " %s%s%s\n", d->n[s], s == MOVED ? "" : "only in '",
                      names[s], s == MOVED ? "" : "'");
        for (size_t i = 0; i < d->shown[s].n; i += s == MOVED ? 2 : 1) {
            const int32_t *id = d->shown[s].items + i;
            struct t2_slice entry = tok_entry(s == ONLY_B ? d->b : d->a, id[0]);
            if (s == MOVED)
                t2_buf_printf(out, "           %" PRId32 " -> %" PRId32 "  '", id[0], id[1]);
            else
                t2_buf_printf(out, "           %" PRId32 "  '", id[0]);
            voc_put_entry(out, entry, false);
            t2_buf_puts(out, "'\n");
        }
    }
}

static void put_json(const struct difference *d, const char *a, const char *b, struct t2_buf *out)
{
    static const char *const names[N_SORTS] = {"moved", "only_a", "only_b"};
    struct t2_json j;

    t2_json_init(&j, out, 0);
    t2_json_object(&j);
    t2_json_kv_string(&j, "a", a);
    t2_json_kv_string(&j, "b", b);
    t2_json_kv_u64(&j, "same", d->n_same);
    for (int s = 0; s < N_SORTS; s++)
        t2_json_kv_u64(&j, names[s], d->n[s]);
    for (int s = ONLY_A; s < N_SORTS; s++) {
        t2_json_key(&j, s == ONLY_A ? "first_only_a" : "first_only_b");
        t2_json_array(&j);
        for (size_t i = 0; i < d->shown[s].n; i++) {
            struct t2_slice entry = tok_entry(s == ONLY_B ? d->b : d->a, d->shown[s].items[i]);
            t2_json_bytes(&j, entry.data, entry.len_bytes);
        }
        t2_json_end_array(&j);
    }
    t2_json_end_object(&j);
    t2_buf_push(out, '\n');
}

static enum t2_status report(const struct difference *d, const struct t2_strs *args,
                             struct t2_err *err)
{
    struct t2_buf text = {NULL, 0, 0};
    struct t2_out *out = NULL;
    enum t2_status st = t2_out_new("-", &out, err);

    if (st != T2_OK)
        return st;
    if (as_json)
        put_json(d, args->items[0], args->items[1], &text);
    else
        put_text(d, args->items[0], args->items[1], &text);
    t2_show_out(t2_buf_slice(&text), as_json, out);
    t2_buf_release(&text);
    return t2_out_commit(out, err);
}

static enum t2_status diff(const struct t2_strs *args, struct t2_err *err)
{
    struct tok_encoder *a = NULL, *b = NULL;
    struct difference d = {.n_same = 0};
    enum t2_status st;

    if (args->n != 2)
        return t2_fail(err, T2_EUSAGE, "give two vocabulary files");
    if (n_shown < 0)
        return t2_fail(err, T2_EUSAGE, "-n cannot be negative");
    T2_TRY(tok_load(args->items[0], &a, err));
    st = tok_load(args->items[1], &b, err);
    if (st == T2_OK) {
        d.a = a;
        d.b = b;
        compare(&d);
        st = report(&d, args, err);
    }
    for (int s = 0; s < N_SORTS; s++)
        tok_ids_release(&d.shown[s]);
    tok_free(a);
    tok_free(b);
    return st == T2_OK && d.n[MOVED] + d.n[ONLY_A] + d.n[ONLY_B] > 0 ? T2_EOF : st;
}

static enum t2_status run(int argc, char **argv, struct t2_err *err)
{
    struct t2_strs args = {NULL, 0, 0};
    enum t2_status st = t2_flags_parse(&tool, argc, argv, &args, err);

    if (st == T2_OK)
        st = diff(&args, err);
    t2_strs_release(&args);
    return st;
}

const struct t2_command voc_cmd_diff = {"diff", "Compares the entries of two vocabularies.", run};
