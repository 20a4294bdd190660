/*
 * train/runs/hp_flags.c - see the header.
 */
#include "train/runs/hp_flags.h"

#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"

static const char hp[] = "--hp_", hparams[] = "--hparams";

/* One pair, which may take two arguments: *i is at its last. */
static enum t2_status add_pair(int argc, char *const *argv, int *i, struct t2_buf *pairs,
                               struct t2_err *err)
{
    const char *name = argv[*i] + strlen(hp);
    size_t n = strcspn(name, "=");
    const char *value = name[n] == '=' ? name + n + 1 : *i + 1 < argc ? argv[++*i] : NULL;

    if (n == 0 || !value)
        return t2_fail(err, T2_EUSAGE, "--hp_%.*s: hparams are given as --hp_NAME VALUE", (int) n,
                       name);
    t2_buf_printf(pairs, "%s%.*s=%s", pairs->len_bytes > 0 ? "," : "", (int) n, name, value);
    return T2_OK;
}

enum t2_status tr_join_hp_flags(int argc, char *const *argv, struct t2_strs *args,
                                struct t2_err *err)
{
    struct t2_buf pairs = {0}, given = {0};
    struct t2_strs others = {0};
    bool flags = true;
    enum t2_status st = T2_OK;

    for (int i = 1; i < argc && st == T2_OK; i++) {
        const char *arg = argv[i];
        size_t n = strlen(hparams);

        flags &= strcmp(arg, "--") != 0;
        if (flags && strncmp(arg, hp, strlen(hp)) == 0) {
            st = add_pair(argc, argv, &i, &pairs, err);
        } else if (flags && strncmp(arg, hparams, n) == 0 &&
                   (arg[n] == '=' || (arg[n] == '\0' && i + 1 < argc))) {
            t2_buf_clear(&given);
            t2_buf_puts(&given, arg[n] == '=' ? arg + n + 1 : argv[++i]);
        } else {
            t2_strs_push(&others, arg);
        }
    }
    t2_strs_push(args, argv[0]);
    if (given.len_bytes + pairs.len_bytes > 0)
        t2_strs_printf(args, "%s=%s%s%s", hparams, t2_buf_cstr(&given),
                       given.len_bytes > 0 && pairs.len_bytes > 0 ? "," : "", t2_buf_cstr(&pairs));
    for (size_t i = 0; i < others.n; i++)
        t2_strs_push(args, others.items[i]);
    t2_strs_release(&others);
    t2_buf_release(&pairs);
    t2_buf_release(&given);
    return st;
}
