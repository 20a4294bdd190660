/*
 * train/eval/python_text.h - numbers and strings as Python's json writes them.
 */
#ifndef EV_PYTHON_TEXT_H
#define EV_PYTHON_TEXT_H

#include "base/buf.h"

/* Appends repr(float): the fewest digits that read back the same, "37.0", "1e-05". */
void ev_python_repr(double v, struct t2_buf *out);
/* Appends a quoted JSON string; what is not ASCII as \uXXXX (json's ensure_ascii). */
void ev_python_json_string(const char *s, struct t2_buf *out);

#endif
