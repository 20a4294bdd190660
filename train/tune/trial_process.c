/*
 * train/tune/trial_process.c - vfork and exec of a trainer.
 *
 * Everything that can fail or allocate happens before vfork; behind it there are only system calls.
 * Why not fork: it copies the page tables of a program that maps a hundred libraries, which takes
 * longer than all else between two trials.  Why not posix_spawn: it cannot ask for a signal when
 * the parent dies.
 */
#include "train/tune/trial_process.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/io.h"

char *tune_trial_dir(const char *study_dir, int64_t trial)
{
    return t2_asprintf("%s/trials/%04" PRId64, study_dir, trial);
}

static void add_args(const struct tune_start *s, const char *dir, struct t2_strs *args)
{
    const struct tune_study *study = s->study;
    struct t2_buf hparams = {0};

    t2_strs_push(args, s->trainer);
    for (size_t i = 0; i < study->args.n; i++)
        t2_strs_push(args, study->args.items[i]);
    t2_strs_printf(args, "--output_dir=%s", dir);
    tune_study_hparams(study, s->hparams, &hparams);
    t2_strs_printf(args, "--hparams=%s", t2_buf_cstr(&hparams));
    t2_buf_release(&hparams);
    if (s->rung < study->n_rungs - 1)
        t2_strs_printf(args, "--pause_at_step=%" PRId64, study->rungs[s->rung]);
    if (s->num_threads > 0)
        t2_strs_printf(args, "--num_threads=%d", s->num_threads);
    if (s->max_memory > 0)
        t2_strs_printf(args, "--max_memory=%" PRIu64, s->max_memory);
    t2_strs_take(args, NULL); /* the end of argv */
}

/* A trial is one process: it must not take itself for a rank of the job that the search is. */
static void add_environment(const struct tune_start *s, struct t2_strs *env)
{
    static const char *const of_ranks[] = {"OMPI_",         "PMI_",          "PMIX_",
                                           "SLURM_PROCID=", "SLURM_NTASKS=", "T2_TUNE_"};

    for (char **e = environ; *e; e++) {
        bool is_kept = true;

        for (size_t i = 0; i < sizeof of_ranks / sizeof *of_ranks; i++)
            is_kept &= !t2_starts_with(*e, of_ranks[i]);
        if (is_kept)
            t2_strs_push(env, *e);
    }
    t2_strs_printf(env, "T2_TUNE_TRIAL=%" PRId64, s->trial);
    t2_strs_printf(env, "T2_TUNE_SLOT=%d", s->slot);
    t2_strs_take(env, NULL);
}

static void say(const char *text)
{
    (void) t2_io_write(STDERR_FILENO, text, strlen(text), NULL);
}

/* A signal that came since vfork must end the child: this program's handler would only remember it,
 * until exec forgets it. */
static void take_signals(void)
{
    static const int numbers[] = {SIGINT, SIGTERM};
    sigset_t none;

    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct sigaction action;

        if (sigaction(numbers[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN)
            (void) signal(numbers[i], SIG_DFL);
    }
    sigemptyset(&none);
    (void) sigprocmask(SIG_SETMASK, &none, NULL);
}

/* In the child, which has the parent's memory until exec, and writes to nothing but its own stack;
 * log_fd is its stdout and stderr. */
static _Noreturn void become_trainer(const struct tune_start *s, pid_t parent, int log_fd,
                                     char **argv, char **env)
{
    int null = -1;

    take_signals();
    if (t2_io_open("/dev/null", O_RDONLY, 0, &null) == 0)
        (void) dup2(null, STDIN_FILENO);
    (void) dup2(log_fd, STDOUT_FILENO);
    (void) dup2(log_fd, STDERR_FILENO);
    (void) fcntl(s->lock_fd, F_SETFD, 0); /* stays open behind exec, and with it the lock */
    if (prctl(PR_SET_PDEATHSIG, SIGTERM) == 0 && getppid() != parent)
        _exit(1); /* it died before */
    if (chdir(s->study->cwd) != 0) {
        say("error: cannot enter the folder that the search was started in: ");
        say(s->study->cwd);
    } else {
        (void) execvpe(argv[0], argv, env);
        say("error: cannot start ");
        say(argv[0]);
    }
    say(": ");
    say(strerror(errno));
    say("\n");
    _exit(127);
}

/* As vfork: the child, or -1 with errno. */
static pid_t start_trainer(const struct tune_start *s, pid_t parent, int log_fd, char **argv,
                           char **env)
{
    pid_t pid = vfork();

    if (pid == 0)
        become_trainer(s, parent, log_fd, argv, env);
    return pid;
}

static enum t2_status open_log(const char *dir, int *fd, struct t2_err *err)
{
    char *path = t2_path_join(dir, "log.txt");
    int errnum = t2_io_open(path, O_WRONLY | O_CREAT | O_APPEND, 0666, fd);
    enum t2_status st = T2_OK;

    if (errnum)
        st = t2_fail_errno(err, errnum, "cannot write '%s'", path);
    t2_free(path);
    return st;
}

enum t2_status tune_process_start(const struct tune_start *s, pid_t *pid, struct t2_err *err)
{
    char *dir = tune_trial_dir(s->study_dir, s->trial);
    struct t2_strs args = {0}, env = {0};
    pid_t parent = getpid();
    sigset_t all, before;
    enum t2_status st;
    int log_fd = -1;

    *pid = -1;
    T2_GOTO(st, out, t2_make_dirs(dir, err));
    T2_GOTO(st, out, open_log(dir, &log_fd, err));
    add_args(s, dir, &args);
    add_environment(s, &env);
    sigfillset(&all);
    (void) sigprocmask(SIG_BLOCK, &all, &before);
    *pid = start_trainer(s, parent, log_fd, args.items, env.items);
    (void) sigprocmask(SIG_SETMASK, &before, NULL);
    if (*pid < 0)
        st = t2_fail_errno(err, errno, "cannot start a process for trial %" PRId64, s->trial);
out:
    if (log_fd >= 0)
        (void) t2_io_close(log_fd);
    t2_strs_release(&args);
    t2_strs_release(&env);
    t2_free(dir);
    return st;
}

/* ---- what it said ---- */

char *tune_last_words(const char *trial_dir)
{
    enum { TAIL_BYTES = 8192 };
    static const char mark[] = "error: ";
    char *path = t2_path_join(trial_dir, "log.txt"), *words;
    char tail[TAIL_BYTES + 1];
    size_t n = 0, from, to;
    uint64_t bytes = 0;
    struct t2_err ignored = T2_ERR_INIT;
    const char *found = NULL;
    int fd = -1;

    if (t2_file_size(path, &bytes, &ignored) == T2_OK && t2_io_open(path, O_RDONLY, 0, &fd) == 0)
        (void) t2_io_pread(fd, tail, TAIL_BYTES, bytes > TAIL_BYTES ? bytes - TAIL_BYTES : 0, &n);
    if (fd >= 0)
        (void) t2_io_close(fd);
    t2_free(path);
    while (n > 0 && (tail[n - 1] == '\n' || tail[n - 1] == '\0'))
        n--;
    tail[n] = '\0';
    for (const char *p = tail; (p = strstr(p, mark)) != NULL; p++)
        found = p + sizeof mark - 1;
    if (found) {
        words = t2_strndup(found, strcspn(found, "\n"));
        return words;
    }
    for (to = n, from = n; from > 0 && tail[from - 1] != '\n'; from--)
        ;
    return t2_strndup(tail + from, to - from);
}
