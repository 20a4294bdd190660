#!/usr/bin/perl
# tests/lint/columns.pl - lines of C beyond 100 columns: none in headers nor with a comment; in sources a table that
# is aligned by hand (clang-format off) may be wider.
use strict;
use warnings;
use open qw(:std :utf8);

my $bad = 0;
for my $file (@ARGV) {
    my $table = 0;
    open(my $in, '<', $file) or die "$file: $!\n";
    while (my $line = <$in>) {
        chomp $line;
        $table = $1 eq 'off' if $line =~ /clang-format (on|off)/;
        next if length $line <= 100 || ($table && $file =~ /\.c$/ && $line !~ m{/\*(?!\.)|^\s*\* });
        print "$file:$.: ", length $line, " columns\n";
        $bad = 1;
    }
}
exit $bad;
