#!/usr/bin/perl
# tests/lint/code.pl - prints C files as `file:line:text` with comments blanked and the inside of string
# and character literals removed (not in #include lines), so that checks look at code only.
use strict;
use warnings;
for my $file (@ARGV) {
    open(my $in, '<', $file) or die "$file: $!\n";
    local $/;
    my $text = <$in>;
    close $in;
    $text =~ s{(^[ \t]*\#[ \t]*include[^\n]*)|(/\*.*?\*/|//[^\n]*)|"((?:[^"\\\n]|\\.)*)"|'((?:[^'\\\n]|\\.)*)'}{
        defined $1 ? $1 : defined $2 ? $2 =~ s/[^\n]/ /gr : defined $3 ? '""' : "''"}gemsx;
    my $line = 0;
    print "$file:", ++$line, ":$_\n" for split /\n/, $text, -1;
}
