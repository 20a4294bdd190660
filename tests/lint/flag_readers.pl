#!/usr/bin/perl
# tests/lint/flag_readers.pl - takes the output of code.pl; prints the rows of flag tables whose variables
# are used nowhere but in tables and declarations of their folder.
use strict;
use warnings;
my (%text, @rows);
while (<>) {
    my ($file, $line, $code) = /^([^:]*):(\d+):(.*)$/s or next;
    $text{$file} .= $code;
}
my %used; # folder -> its code without rows and declarations
for my $file (sort keys %text) {
    (my $folder = $file) =~ s{/.*}{};
    my ($code, $rest) = ($text{$file}, '');
    while ($code =~ /\{\s*"",\s*T2_FLAG_(?!GROUP)[A-Z]+,\s*&([^,]+),(.*?)(?:&([\w.]+)|NULL)\s*\}/sg) {
        my ($value, $given, $at) = ($1, $3, 1 + (substr($code, 0, $-[0]) =~ tr/\n//));
        push @rows, [$file, $at, $folder, $value, $given];
    }
    while ($code =~ /\bROW\((?!LATER)\w+,\s*"",\s*[A-Z]+,\s*&([\w.]+),/g) { # a table that is made twice; LATER: refused by its role
        push @rows, [$file, 1 + (substr($code, 0, $-[0]) =~ tr/\n//), $folder, $1, undef];
    }
    ($rest = $code) =~ s/\{\s*"",\s*T2_FLAG_[A-Z]+,.*?\}//sg;
    $rest =~ s/\bROW\(\w+,\s*"",\s*[A-Z]+,\s*&[\w.]+,//g;
    $rest =~ s/^\s*(?:static|extern)\s[^;{()]*;//mg;
    $used{$folder} .= $rest;
}
die "no rows of flags were found\n" if @rows < 200;

# A member of a struct that is handed on as a whole is read by its name alone.
sub is_read
{
    my ($variable, $code) = @_;
    $variable =~ s/\[.*//;
    return $code =~ /(?<![&\w.])\Q$variable\E\b|[(,]\s*&\Q$variable\E\b/ if $variable =~ /^(?:\w*flags\.)?\w+$/;
    $variable =~ s/.*\.//;
    return $code =~ /(?:->|\.)\Q$variable\E\b/;
}

my $bad = 0;
for my $row (@rows) {
    my ($file, $line, $folder, @variables) = @$row;
    my @known = grep { defined } @variables;
    next if $known[0] =~ /^\(\w+\)$/; # a macro's parameter
    next if grep { is_read($_, $used{$folder}) } @known;
    print "$file:$line: nobody reads $known[0]\n";
    $bad = 1;
}
exit $bad;
