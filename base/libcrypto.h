/*
 * base/libcrypto.h - OpenSSL's libcrypto, made ready before its first use.
 */
#ifndef T2_BASE_LIBCRYPTO_H
#define T2_BASE_LIBCRYPTO_H

/* Gives the library our allocator, and takes it out of exit(): its own handler there frees what
 * belongs to threads while they, too, free it (those which bring objects are not waited for).
 * Whoever calls the library calls this before; any thread, any number of times.  What somebody else
 * in the process (a plug-in) has made of the library before stays. */
void t2_libcrypto_begin(void);

/* For OPENSSL_init_crypto of a library that was opened at run time and may have its own. */
enum { T2_LIBCRYPTO_STAY = 0x00080000 }; /* OPENSSL_INIT_NO_ATEXIT */

#endif
