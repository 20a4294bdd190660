# An assertion only looks: what its condition does would go with it, and nobody reads it for work being done.  Refused
# are ++, --, assignments, and calls of functions that are not known to look only (the list is in asserts.pl).
# Tests may: there the assertion is the check of what was done.
sh tests/lint/sources.sh c | grep -Ev '^(tests|bench)/' | xargs -r perl tests/lint/code.pl | perl tests/lint/asserts.pl
