/*
 * base/shown.h - text from files as a terminal may see it.
 *
 * Names of files, members, features and URLs come from elsewhere and may hold control characters,
 * which a terminal obeys: they would clear the screen, hide a line, or write a command line.
 * Messages on stderr go through here in log.c; commands that list names on stdout call t2_show_out.
 * JSON has escapes of its own, and records are data, so neither goes through here.
 */
#ifndef T2_BASE_SHOWN_H
#define T2_BASE_SHOWN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

struct t2_out;

/*
 * Copies n bytes to `to`, at most to_bytes; returns how many were written, whole escapes only.
 * Control characters (C0 but tab, DEL, C1) and bytes that are not UTF-8 become \xNN, a carriage
 * return \r, and a line feed \n, unless a blank or the end follows: continued lines are indented,
 * so no name can begin one.
 */
size_t t2_show(char *to, size_t to_bytes, const char *s, size_t n);

/* The same of a listing, whose line feeds are its own. */
void t2_show_lines(struct t2_slice text, struct t2_buf *shown);
void t2_show_out(struct t2_slice text, bool is_json, struct t2_out *out); /* JSON as it is */
void t2_show_stdout(struct t2_slice text);                                /* through stdio */

#endif
