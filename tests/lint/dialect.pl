#!/usr/bin/perl
# tests/lint/dialect.pl - reads `file:line:code` (code.pl) and names what is not in the tree's one form:
#   for (int64_t i = 0; ...; i++)   the counter is declared there when nothing after the loop reads it
#   i++;                            prefix only where the value is used, or of *p
#   sizeof x                        parentheses for types, and in macros
#   if (!p), if (p)                 NULL is written where a value is made: return p != NULL;
#   snprintf(...)                   without (void)
use strict;
use warnings;

my (%of, @files);
while (<STDIN>) {
    my ($file, $line, $code) = /^([^:]+):(\d+):(.*)$/ or next;
    push @files, $file unless $of{$file};
    $of{$file}[$line] = $code;
}

my $bad = 0;
sub found { my ($file, $line, $what) = @_; print "$file:$line: $what\n"; $bad = 1 }

my $type = qr/(?:struct|union|enum|const|void|char|int|unsigned|float|double|bool|long|short|[A-Z]\w*|v\d\w*|[a-z_0-9]+_(?:t|fn))\b/;

sub indent { $_[0] =~ /^( *)/; length $1 }

# Loops of a function that assign a counter whose every use is inside such loops.
sub check_counters {
    my ($file, $code, $first, $last) = @_;
    my %headers;
    for my $i ($first .. $last) {
        push @{$headers{$1}}, $i if $code->[$i] =~ /\bfor \((\w+) = [^,;]*;/;
    }
    for my $v (sort keys %headers) {
        my %inside;
        for my $h (@{$headers{$v}}) {
            my $end = $h + 1;
            $end++ while $end <= $last && ($code->[$end] !~ /\S/ || indent($code->[$end]) > indent($code->[$h]));
            $inside{$_} = 1 for $h .. $end - 1;
        }
        my ($outside, $declared) = (0, 0);
        for my $i ($first .. $last) {
            next if $inside{$i} || $code->[$i] !~ /(?<![\w.>])\Q$v\E\b/;
            if ($code->[$i] =~ /^ +(?!return|goto)(?:const |struct |enum |unsigned )?\w+ (?:[^=;]*, )?\**\Q$v\E(?:,|;)/) {
                $declared = 1;
            } else {
                $outside = 1;
            }
        }
        my @mentions = grep { $inside{$_} && $code->[$_] =~ /\b(?!return|else|goto|case)\w+ \**\Q$v\E(?: =|;|,)/ && $code->[$_] !~ /\bfor \(\Q$v\E/ } $first .. $last;
        found($file, $headers{$v}[0], "$v is not read after its loops: declare it in them") if $declared && !$outside && !@mentions;
    }
}

for my $file (@files) {
    my $code = $of{$file};
    my $start;
    for my $i (1 .. $#$code) {
        my $c = $code->[$i] = $code->[$i] // '';
        my $macro = $c =~ /^\s*#/ || $c =~ /\\$/ || ($i > 1 && $code->[$i - 1] =~ /\\$/);
        found($file, $i, 'x++, not ++x') if $c =~ /^\s*(?:\+\+|--)\w[^;,]*;$/ || $c =~ /\bfor \(.*; (?:\+\+|--)\w+\)/;
        found($file, $i, 'sizeof x: parentheses are for types') if !$macro && $c =~ /\bsizeof\((?!$type|\()/;
        found($file, $i, '!p, not p == NULL') if $c =~ /[^=!]= ?= NULL\b|\bNULL ==/;
        found($file, $i, 'p, not p != NULL, in a condition')
            if $c !~ /[!=]= \([^()]+ != NULL\)/ && ($c =~ /!= NULL(?! (?:==|!=))[ )]*(?:&&|\|\||\?)/ || $c =~ /(?:&&|\|\||\bif \(|\bwhile \() ?\**[\w.\->\[\]]+ != NULL(?=[ )]*(?:$|&&|\|\|))/);
        found($file, $i, 'snprintf without (void)') if $c =~ /\(void\) v?snprintf\(/;
        $start = $i if $c eq '{';
        if ($c eq '}' && defined $start) {
            check_counters($file, $code, $start, $i);
            undef $start;
        }
    }
}
exit $bad;
