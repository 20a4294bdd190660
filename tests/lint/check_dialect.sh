# One form each for counters, increments, sizeof, tests for NULL and printf's result: dialect.pl lists them.
sh tests/lint/sources.sh c | xargs -r perl tests/lint/code.pl | perl tests/lint/dialect.pl
bad=$?
sh tests/lint/sources.sh c | xargs -r perl tests/lint/columns.pl || bad=1
exit $bad
