/*
 * tests/unit/base/remote/test_aws_account.c - credentials from the environment and from profiles.
 */
#include "base/remote/aws_account.h"

#include <stdlib.h>
#include <string.h>

#include "tests/support/t.h"

static const char *const names[] = {"AWS_ACCESS_KEY_ID",   "AWS_SECRET_ACCESS_KEY",
                                    "AWS_SESSION_TOKEN",   "AWS_REGION",
                                    "AWS_DEFAULT_REGION",  "AWS_ENDPOINT_URL",
                                    "AWS_ENDPOINT_URL_S3", "AWS_PROFILE"};

static void begin(void)
{
    static const char credentials[] = "[default]\naws_access_key_id = DK\n"
                                      "aws_secret_access_key=DS\n\n[other]\n"
                                      "aws_access_key_id=OK\r\naws_secret_access_key = O=S/+ \r\n"
                                      "aws_session_token=OT\n[half]\naws_access_key_id=HK\n";
    static const char config[] = "[default]\nregion=eu-north-1\n# c\ns3 =\n  region = no\n"
                                 "[profile other]\nregion = eu-west-1\nendpoint_url=http://o\n";

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unsetenv(names[i]);
    t_write_file(t_tmp_path("credentials"), credentials, strlen(credentials));
    t_write_file(t_tmp_path("config"), config, strlen(config));
    setenv("AWS_SHARED_CREDENTIALS_FILE", t_tmp_path("credentials"), 1);
    setenv("AWS_CONFIG_FILE", t_tmp_path("config"), 1);
}

static void check(const char *key, const char *secret, const char *token, const char *region,
                  const char *endpoint)
{
    struct t2_err err = T2_ERR_INIT;
    struct t2_aws_account a;

    assert_int_equal(t2_aws_account_load(&a, &err), T2_OK);
    assert_string_equal(a.key_id ? a.key_id : "-", key);
    assert_string_equal(a.secret ? a.secret : "-", secret);
    assert_string_equal(a.token ? a.token : "-", token);
    assert_string_equal(a.region, region);
    assert_string_equal(a.endpoint ? a.endpoint : "-", endpoint);
    t2_aws_account_release(&a);
}

static void test_files(void **state)
{
    (void) state;
    begin();
    check("DK", "DS", "-", "eu-north-1", "-");
    setenv("AWS_PROFILE", "other", 1);
    check("OK", "O=S/+", "OT", "eu-west-1", "http://o");
    setenv("AWS_SHARED_CREDENTIALS_FILE", t_tmp_path("absent"), 1);
    check("-", "-", "-", "eu-west-1", "http://o");
    unsetenv("AWS_PROFILE");
    setenv("AWS_CONFIG_FILE", t_tmp_path("absent"), 1);
    check("-", "-", "-", "us-east-1", "-");
}

static void test_environment(void **state)
{
    (void) state;
    begin();
    setenv("AWS_ACCESS_KEY_ID", "EK", 1);
    setenv("AWS_SECRET_ACCESS_KEY", "ES", 1);
    setenv("AWS_DEFAULT_REGION", "r1", 1);
    check("EK", "ES", "-", "r1", "-");
    setenv("AWS_REGION", "r2", 1);
    setenv("AWS_ENDPOINT_URL", "http://all", 1);
    check("EK", "ES", "-", "r2", "http://all");
    setenv("AWS_ENDPOINT_URL_S3", "https://s3", 1);
    setenv("AWS_SESSION_TOKEN", "ET", 1);
    check("EK", "ES", "ET", "r2", "https://s3");
}

static void check_refused(const char *text)
{
    struct t2_err err = T2_ERR_INIT;
    struct t2_aws_account a;

    assert_int_equal(t2_aws_account_load(&a, &err), T2_EUSAGE);
    t_assert_contains(err.message, text);
    assert_null(strstr(err.message, "SECRET-"));
    t2_aws_account_release(&a);
}

static void test_refused(void **state)
{
    (void) state;
    begin();
    setenv("AWS_PROFILE", "none", 1);
    check_refused("there is no profile 'none' (AWS_PROFILE)");
    setenv("AWS_PROFILE", "half", 1);
    check_refused("the profile 'half' has an access key id and no secret");
    unsetenv("AWS_PROFILE");
    setenv("AWS_ACCESS_KEY_ID", "EK", 1);
    check_refused("AWS_ACCESS_KEY_ID has an access key id and no secret");
    setenv("AWS_SECRET_ACCESS_KEY", "SECRET-\nHost: x", 1);
    check_refused("a blank or a line break");
    setenv("AWS_SECRET_ACCESS_KEY", "ES", 1);
    setenv("AWS_ENDPOINT_URL", "ftp://x", 1);
    check_refused("has to begin with http");
    setenv("AWS_ENDPOINT_URL", "http://me:SECRET-@x", 1);
    check_refused("may not hold a password");
}

T_MAIN(cmocka_unit_test(test_files), cmocka_unit_test(test_environment),
       cmocka_unit_test(test_refused))
