/*
 * datagen/fetch/confirm_form.h - the "too large to be checked, download anyway" page of large-file
 * hosts.
 *
 * Google Drive (and T2T's helper for it) sends such a page instead of a large file: a form whose
 * fields, sent back, give the file.  Only a form that asks to confirm is recognised, never one to
 * sign in.
 */
#ifndef DG_CONFIRM_FORM_H
#define DG_CONFIRM_FORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dg_form {
    char *action; /* URL, maybe relative to the page's; "" is the page itself */
    char *query;  /* "confirm=t&id=x", encoded */
};

/* Finds the first form that is sent by GET, has a field "confirm" and no password; false: none.  *f
 * is owned by the caller (dg_form_release). */
bool dg_confirm_form(const uint8_t *page, size_t n_bytes, struct dg_form *f);
/* The URL (of the action, resolved) with the fields in place of its own query.  Owned by the
 * caller. */
char *dg_form_url(const char *action_url, const struct dg_form *f);
void dg_form_release(struct dg_form *f);

#endif
