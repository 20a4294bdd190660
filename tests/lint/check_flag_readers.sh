# Flags: what a flag sets is read by somebody: the variable of its row, or the one that says it was given.
# A flag that is parsed and that nobody reads is accepted and ignored.
sources=$(sh tests/lint/sources.sh c h | grep -Ev '^(tests|bench|fixtures)/')
perl tests/lint/code.pl $sources | perl tests/lint/flag_readers.pl
