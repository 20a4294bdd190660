/*
 * base/remote/remote_refusal.h - what to say of an answer that is no success, with the way out.
 */
#ifndef T2_BASE_REMOTE_REMOTE_REFUSAL_H
#define T2_BASE_REMOTE_REMOTE_REFUSAL_H

#include "base/remote/remote_call.h"

/* What a server says of itself: the code of S3's XML or the reason of Google's JSON ("" when it
 * says nothing that can be read), and its sentence. */
struct t2_server_words {
    char code[64];
    char message[256];
};
void t2_server_words(const struct t2_call *c, struct t2_server_words *w);

/* Whether the same request may succeed later. */
bool t2_refusal_may_pass(const struct t2_call *c, const struct t2_server_words *w);
/* Records the sentence; returns its status. */
enum t2_status t2_refusal(const struct t2_call *c, const struct t2_server_words *w,
                          struct t2_err *err);

#endif
