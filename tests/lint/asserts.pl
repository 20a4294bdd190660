#!/usr/bin/perl
# tests/lint/asserts.pl - of code.pl's lines: assertions whose condition does something.
use strict;
use warnings;
# Functions that change nothing and cannot fail.
my %pure = map { $_ => 1 } qw(
  sizeof strlen strcmp strncmp memcmp strchr strstr fabs fabsf isfinite isnan
  channels dec_can_stream dec_run_sources dec_streams delimited dg_bins_count dg_record_find gr_late_possible ids_delimited in_order_samples mdl_count mdl_decoder_refills needed_bytes opt_share_of row_bytes
  t2_is_remote
);
my (%lines, @order);
while (<STDIN>) {
    my ($file, $text) = /^([^:]+):\d+:(.*)$/s or next;
    push @order, $file if !$lines{$file};
    $lines{$file} .= $text;
}
my $found = 0;
for my $file (@order) {
    my $code = $lines{$file};
    while ($code =~ /\bT2_D?ASSERT\s*(\((?:[^()]++|(?1))*\))/g) {
        my ($condition, $line) = ($1, 1 + (substr($code, 0, $-[0]) =~ tr/\n//));
        my @unknown = grep { !$pure{$_} } $condition =~ /\b([a-z_]\w*)\s*\(/g;
        my $why =
            $condition =~ /\+\+|--/ ? 'it counts'
          : $condition =~ /(?<![=!<>])=(?!=)|<<=|>>=/ ? 'it assigns'
          : @unknown ? "$unknown[0]() is not among the functions of asserts.pl that only look"
          :            next;
        print "$file:$line: an assertion that does something: $why\n";
        $found = 1;
    }
}
exit $found;
