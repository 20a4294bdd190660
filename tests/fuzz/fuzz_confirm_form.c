/*
 * tests/fuzz/fuzz_confirm_form.c - any bytes as a page: no crash; a form that is found makes a URL
 * of one line that confirms.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "datagen/fetch/confirm_form.h"
#include "datagen/fetch/file_kind.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct dg_form form;
    char title[80], *url;

    (void) dg_looks_like_html(data, size);
    dg_html_title(data, size, title);
    for (size_t i = 0; title[i]; i++)
        if (title[i] < ' ' || title[i] > '~')
            abort();
    if (!dg_confirm_form(data, size, &form))
        return 0;
    url = dg_form_url("http://h/x?y", &form);
    if (strncmp(url, "http://h/x?", 11) != 0 || !strstr(url, "confirm="))
        abort();
    for (size_t i = 0; url[i]; i++)
        if (url[i] <= ' ' || url[i] > '~' || strchr("\"'<>#", url[i]))
            abort();
    t2_free(url);
    dg_form_release(&form);
    return 0;
}
