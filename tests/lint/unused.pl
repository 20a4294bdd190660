#!/usr/bin/perl
# tests/lint/unused.pl - reads code.pl's lines; prints functions of headers that no program uses: `header:line:name:own`,
# where own is 1 when the function's own file does.
use strict;
use warnings;
my (%text, @headers, %declared, %words);
while (<STDIN>) {
    my ($file, $line) = /^([^:]+):\d+:(.*)$/s or next;
    push @headers, $file if $file =~ /\.h$/ && !defined $text{$file};
    $text{$file} .= $line;
}
for my $file (keys %text) {
    $words{$file}{$_}++ for $text{$file} =~ /\b([A-Za-z_]\w*)\b/g;
}
for my $header (@headers) {
    my $code = $text{$header};
    # preprocessor lines and everything inside braces go; line breaks stay
    $code =~ s/^[ \t]*#(?:[^\n]*\\\n)*[^\n]*/$& =~ s{[^\n]}{}gr/gme;
    1 while $code =~ s/\{([^{}]*)\}/';' . ($1 =~ s{[^\n]}{}gr)/ge;
    # what is left are declarations; attributes go, so that the first name in front of a ( is the function's
    $code =~ s/__attribute__\s*(\((?:[^()]++|(?1))*\))/$& =~ s{[^\n]}{ }gr/ge;
    while ($code =~ /(?:^|;)((?:[^;()]|(\((?:[^()]++|(?2))*\)))*)/g) {
        my ($at, $declaration) = ($-[1], $1);
        next if $declaration =~ /\btypedef\b|\bstatic\b|\bDEV_RULE\b/ || $declaration !~ /^([^()]*?)\b([a-z]\w*)\s*\((?!\s*\*)/;
        my ($front, $name) = ($1, $2);
        next if $front !~ /\w/;
        my $line = 1 + (substr($code, 0, $at + length $front) =~ tr/\n//);
        $declared{$name} = [$header, $line];
    }
}
for my $name (sort keys %declared) {
    my ($header, $line) = @{$declared{$name}};
    my ($own, $used) = (0, 0);
    for my $file (keys %words) {
        my $n = $words{$file}{$name} or next;
        if ($file eq $header) {
            $used = 1 if $n > 1; # a macro or an inline function of the header
        } elsif ($text{$file} =~ /^(?:[A-Za-z_][^\n;=]*[\s*])?\Q$name\E\s*(\((?:[^()]++|(?1))*\))\s*\{/m) {
            $own = 1 if $n > 1; # its own file
        } else {
            $used = 1;
        }
    }
    print "$header:$line:$name:$own\n" if !$used;
}
