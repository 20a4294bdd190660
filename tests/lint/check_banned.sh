# Calls that base/ has something better for, and features asked for with #if (they are defined or not).
found=$(sh tests/lint/sources.sh c | xargs -r perl tests/lint/code.pl |
    grep -E '(^|[^A-Za-z0-9_])(strcpy|strcat|sprintf|vsprintf|strtok|strncpy|strncat|atoi|atol|atof|gets|rand|srand|localtime|gmtime|system|alloca)[ ]*\(' |
    sed 's/$/   <- banned call/'
    sh tests/lint/sources.sh c | xargs -r perl tests/lint/code.pl | grep -E '#[ ]*(if|elif)[ ]+!?T2_HAVE_' |
        sed 's/$/   <- #ifdef, or defined()/'
    # The library never prints and never exits: that is for base/log, base/flags, base/progress and the tools.
    sh tests/lint/sources.sh c | grep -Ev '^(tests|bench|fixtures)/|_main\.c$' |
        grep -vE '^base/(log|flags|progress|version|err|signals|alloc)\.[ch]$' |
        # all ranks end where one is lost, in the middle of whatever they wait for
        grep -vE '^train/dist/comm_mpi\.c$' |
        # the child of a fork that cannot become the program must end there
        grep -vE '^(base/run_program|train/tune/trial_process)\.c$' |
        # run_tool.c is main() of the tools: where mapped bytes are gone no code can go on, a handler ends the run.
        grep -vE '^base/run_tool\.c$' | xargs -r perl tests/lint/code.pl |
        grep -E '(^|[^A-Za-z0-9_.>])(printf|puts|putchar|perror|exit|_exit)[ ]*\(|fprintf\((stderr|stdout)' |
        sed 's/$/   <- the library does not print or exit/')
[ -z "$found" ] || { printf '%s\n' "$found"; exit 1; }
