/*
 * base/remote/aws_account.c - credentials from the environment and from profiles.
 */
#include "base/remote/aws_account.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"

enum { MOST_FILE_BYTES = 1 << 20 };

static void wipe(char *s)
{
    if (s)
        explicit_bzero(s, strlen(s));
    t2_free(s);
}

void t2_aws_account_release(struct t2_aws_account *a)
{
    wipe(a->key_id);
    wipe(a->secret);
    wipe(a->token);
    t2_free(a->region);
    t2_free(a->endpoint);
    t2_free(a->who);
    *a = (struct t2_aws_account){0};
}

static const char *variable(const char *name)
{
    const char *value = getenv(name);

    return value && *value ? value : NULL;
}

/* The first that is set. */
static void take(char **to, const char *value)
{
    if (!*to && value)
        *to = t2_strdup(value);
}

/* Cuts blanks at both ends of [s, end). */
static char *trimmed(const char *s, const char *end)
{
    while (s < end && strchr(" \t\r", *s))
        s++;
    while (end > s && strchr(" \t\r", end[-1]))
        end--;
    return t2_strndup(s, (size_t) (end - s));
}

/* "[profile x]" of the configuration, "[x]" of the credentials; both may have "[default]". */
static bool is_section(const char *line, const char *profile)
{
    const char *end = strchr(line, ']');
    char *name = end ? trimmed(line + 1, end) : t2_strdup("");
    bool yes = strcmp(name, profile) == 0 || (t2_starts_with(name, "profile ") &&
                                              strcmp(name + strlen("profile "), profile) == 0);

    t2_free(name);
    return yes;
}

static void take_line(struct t2_aws_account *a, const char *line)
{
    const char *equals = strchr(line, '=');
    char *key, *value;

    if (!equals || *line == ' ' || *line == '\t' || *line == '#' || *line == ';')
        return; /* indented lines belong to a key of several values */
    key = trimmed(line, equals);
    value = trimmed(equals + 1, equals + strlen(equals));
    if (strcmp(key, "aws_access_key_id") == 0)
        take(&a->key_id, value);
    else if (strcmp(key, "aws_secret_access_key") == 0)
        take(&a->secret, value);
    else if (strcmp(key, "aws_session_token") == 0)
        take(&a->token, value);
    else if (strcmp(key, "region") == 0)
        take(&a->region, value);
    else if (strcmp(key, "endpoint_url") == 0)
        take(&a->endpoint, value);
    wipe(key);
    wipe(value);
}

/* Adds what the profile says; *found: the file has it. */
static enum t2_status read_profile(const char *path, const char *profile, struct t2_aws_account *a,
                                   bool *found, struct t2_err *err)
{
    struct t2_buf text = {0};
    bool is_ours = false;
    enum t2_status st;

    if (!t2_exists(path))
        return T2_OK;
    st = t2_read_file(path, MOST_FILE_BYTES, &text, err);
    for (char *line = (char *) text.data, *next; st == T2_OK && line && *line; line = next) {
        next = line + strcspn(line, "\n");
        if (*next)
            *next++ = '\0';
        if (*line == '[')
            is_ours = is_section(line, profile);
        else if (is_ours)
            take_line(a, line);
        *found |= is_ours;
    }
    if (text.data)
        explicit_bzero(text.data, text.len_bytes);
    t2_buf_release(&text);
    return st;
}

static enum t2_status read_files(struct t2_aws_account *a, struct t2_err *err)
{
    const char *named = variable("AWS_PROFILE");
    const char *profile = named ? named : "default";
    const char *first = variable("AWS_SHARED_CREDENTIALS_FILE");
    const char *second = variable("AWS_CONFIG_FILE");
    char *credentials = t2_path_expand(first ? first : "~/.aws/credentials");
    char *config = t2_path_expand(second ? second : "~/.aws/config");
    struct t2_aws_account ours = {0};
    bool found = false;
    enum t2_status st = read_profile(credentials, profile, &ours, &found, err);

    if (st == T2_OK)
        st = read_profile(config, profile, &ours, &found, err);
    if (st == T2_OK && named && !found && !a->key_id)
        st = t2_fail(err, T2_EUSAGE, "there is no profile '%s' (AWS_PROFILE) in '%s' or '%s'",
                     named, credentials, config);
    if (!a->key_id && ours.key_id) { /* a key, its secret and its token belong together */
        take(&a->key_id, ours.key_id);
        take(&a->secret, ours.secret);
        take(&a->token, ours.token);
        a->who = t2_asprintf("the profile '%s'", profile);
    }
    take(&a->region, ours.region);
    take(&a->endpoint, ours.endpoint);
    t2_aws_account_release(&ours);
    t2_free(credentials);
    t2_free(config);
    return st;
}

/* Line breaks would begin another header. */
static bool is_clean(const char *s)
{
    for (; s && *s; s++)
        if ((unsigned char) *s <= ' ' || (unsigned char) *s >= 0x7F)
            return false;
    return true;
}

static enum t2_status check(const struct t2_aws_account *a, struct t2_err *err)
{
    if (a->key_id && !a->secret)
        return t2_fail(err, T2_EUSAGE,
                       "%s has an access key id and no secret access key: give "
                       "both (AWS_SECRET_ACCESS_KEY)",
                       a->who);
    if (!is_clean(a->key_id) || !is_clean(a->secret) || !is_clean(a->token) || !is_clean(a->region))
        return t2_fail(err, T2_EUSAGE,
                       "a blank or a line break in the AWS credentials or region "
                       "(AWS_*): copy them again");
    if (a->endpoint && !t2_starts_with(a->endpoint, "http://") &&
        !t2_starts_with(a->endpoint, "https://"))
        return t2_fail(err, T2_EUSAGE,
                       "the endpoint of S3 (AWS_ENDPOINT_URL) has to begin with "
                       "http:// or https://");
    if (a->endpoint && strchr(a->endpoint, '@'))
        return t2_fail(err, T2_EUSAGE,
                       "the endpoint of S3 (AWS_ENDPOINT_URL) may not hold a "
                       "password: give AWS_ACCESS_KEY_ID and "
                       "AWS_SECRET_ACCESS_KEY");
    return T2_OK;
}

enum t2_status t2_aws_account_load(struct t2_aws_account *a, struct t2_err *err)
{
    *a = (struct t2_aws_account){0};
    take(&a->key_id, variable("AWS_ACCESS_KEY_ID"));
    if (a->key_id) {
        take(&a->secret, variable("AWS_SECRET_ACCESS_KEY"));
        take(&a->token, variable("AWS_SESSION_TOKEN"));
        a->who = t2_strdup("AWS_ACCESS_KEY_ID");
    }
    take(&a->region, variable("AWS_REGION"));
    take(&a->region, variable("AWS_DEFAULT_REGION"));
    take(&a->endpoint, variable("AWS_ENDPOINT_URL_S3"));
    take(&a->endpoint, variable("AWS_ENDPOINT_URL"));
    T2_TRY(read_files(a, err));
    take(&a->region, "us-east-1");
    return check(a, err);
}
