/*
 * tests/fuzz/fuzz_listing.c - base/remote/s3_listing.c, gcs_listing.c: whatever a server answers is
 * names of one folder, or refused.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/remote/gcs_listing.h"
#include "base/remote/s3_listing.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static enum t2_status entry(void *context, const char *name, const struct t2_object *o,
                            struct t2_err *err)
{
    (void) context, (void) err;
    if (*name == '\0' || strchr(name, '/') || strcmp(name, ".") == 0 || strcmp(name, "..") == 0 ||
        (o && !o->is_there))
        abort();
    return T2_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char prefix[] = "x/";
    struct t2_s3_page page = {.prefix = prefix};
    struct t2_err err = T2_ERR_INIT;
    char *text = t2_bytes_dup(data, size), *token = NULL;

    if (t2_s3_page_read(&page, text, size, "s3://b/x", entry, NULL, &err) != T2_OK &&
        page.next_token)
        abort();
    t2_free(page.next_token);
    (void) !t2_gcs_page_read(text, size, "x/", "gs://b/x", entry, NULL, &token, &err);
    t2_free(token);
    t2_free(text);
    return 0;
}
