/*
 * bench/plain_get.c - the least that bringing an object can cost: a socket, recv and write, and
 * nothing else.  What any client has to spend on a machine, for bench_remote.py --plain.
 *
 *   plain_get PORT KEY FILE [PIECE_BYTES [write|map|drop]]
 *
 * One request for the whole object on one connection; pieces of PIECE_BYTES (128 KiB) are written
 * to the file, or received into a mapping of it, or dropped.  No checksum, no retry, no ranges.
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MOST_HEAD = 16 << 10 };

static _Noreturn void fail(const char *what)
{
    perror(what);
    exit(1);
}

static int connect_to(int port)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons((uint16_t) port)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (fd < 0 || connect(fd, (struct sockaddr *) &at, sizeof at) != 0)
        fail("connect");
    return fd;
}

/* Asks for the object; returns its size.  *body is what came of it with the head, (*n_body). */
static size_t ask(int fd, const char *key, char *head, char **body, size_t *n_body)
{
    char request[1024];
    size_t n = 0;
    char *end = NULL;

    snprintf(request, sizeof request, "GET /%s HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", key);
    if (write(fd, request, strlen(request)) != (ssize_t) strlen(request))
        fail("write");
    while (!end) {
        ssize_t got = n < MOST_HEAD ? read(fd, head + n, MOST_HEAD - n) : 0;

        if (got <= 0)
            fail("answer");
        n += (size_t) got;
        head[n] = '\0';
        end = strstr(head, "\r\n\r\n");
    }
    *body = end + 4;
    *n_body = n - (size_t) (*body - head);
    for (char *line = strstr(head, "\r\n"); line && line < end; line = strstr(line + 2, "\r\n"))
        if (strncasecmp(line + 2, "Content-Length:", 15) == 0)
            return strtoull(line + 17, NULL, 10);
    fail("no Content-Length");
}

static void write_all(int fd, const char *data, size_t n)
{
    while (n > 0) {
        ssize_t done = write(fd, data, n);

        if (done <= 0)
            fail("write");
        data += done;
        n -= (size_t) done;
    }
}

int main(int argc, char **argv)
{
    size_t piece = argc > 4 ? strtoull(argv[4], NULL, 10) : 128 << 10, at, size, n_body;
    const char *way = argc > 5 ? argv[5] : "write";
    static char head[MOST_HEAD + 1];
    char *body, *buffer, *map = NULL;
    int from, to;

    if (argc < 4 || piece == 0) {
        fprintf(stderr, "usage: plain_get PORT KEY FILE [PIECE_BYTES [write|map|drop]]\n");
        return 2;
    }
    from = connect_to((int) strtol(argv[1], NULL, 10));
    to = open(argv[3], O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    buffer = malloc(piece);
    if (to < 0 || !buffer)
        fail(argv[3]);
    size = ask(from, argv[2], head, &body, &n_body);
    if (ftruncate(to, (off_t) size) != 0)
        fail("ftruncate");
    if (strcmp(way, "map") == 0) {
        map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, to, 0);
        if (map == MAP_FAILED)
            fail("mmap");
        memcpy(map, body, n_body);
    } else if (strcmp(way, "write") == 0) {
        write_all(to, body, n_body);
    }
    for (at = n_body; at < size;) {
        size_t want = size - at < piece ? size - at : piece;
        ssize_t got = recv(from, map ? map + at : buffer, want, map ? 0 : MSG_WAITALL);

        if (got <= 0)
            fail("recv");
        if (strcmp(way, "write") == 0)
            write_all(to, buffer, (size_t) got);
        at += (size_t) got;
    }
    free(buffer);
    return close(to) == 0 ? 0 : 1;
}
