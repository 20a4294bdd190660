# Data goes through base/io.h: a bare open, read, pread, write or pwrite forgets EINTR or a short count sooner
# or later, and a bare mmap dies without a word of a file that is cut.  base/io.c is the place; log.c and
# run_tool.c write one line to stderr, also in a signal handler; files of /proc and /sys have no such trouble;
# alloc.c and spool.c map memory and a file without a name; line_editor.c takes a byte of a terminal, and ends at
# a signal.
found=$(sh tests/lint/sources.sh c | grep -Ev '^(tests|bench|fixtures|scripts)/' |
    grep -vE '^(base/(io|log|run_tool|cgroup|memory_available)|train/decode/line_editor)\.c$' | xargs -r perl tests/lint/code.pl |
    grep -E '(^|[^A-Za-z0-9_>.*])(open|openat|creat|pread|pwrite|fopen|freopen)\(|= (read|write)\(|[(!] ?(read|write)\([a-z>-]*fd' |
    grep -vE 'enum t2_status |(st = |T2_TRY\(|T2_GOTO\(st, [a-z]*, )(read|write|open)\(' |
    sed 's/$/   <- use base\/io.h/'
    sh tests/lint/sources.sh c | grep -Ev '^(tests|bench|fixtures|scripts)/' |
        grep -vE '^base/(alloc|spool|mapping)\.c$|^train/device/far/far_memory\.c$' | xargs -r perl tests/lint/code.pl |
        grep -E '[^_a-z]mmap\(' | sed 's/$/   <- use t2_map_file/')
[ -z "$found" ] || { printf '%s\n' "$found"; exit 1; }
