# Files call each other in one direction: what a file and those that it calls share is in a file of its own.  Read from
# the symbols of the objects in $BUILD; variants of a file for several processors are one.  tests/lint/circles.txt lists
# the calls that close a circle and may: `caller callee   reason`.
find "$BUILD/obj" -name '*.o' ! -path '*/obj/tests/*' ! -path '*/obj/bench/*' ! -path '*/obj/scripts/*' | while IFS= read -r o; do
    src=${o#"$BUILD/obj/"} && src=${src%.o}
    case $src in *.generic | *.neon | *.avx2 | *.avx512) src=${src%.*} ;; esac
    [ -f "$src.c" ] && nm -P "$o" | sed "s,^,$src.c ,"
done | perl -e '
    use strict;
    use warnings;
    my (%home, %wants, %calls, %may, $bad);
    while (<STDIN>) {
        my ($file, $name, $type) = split;
        if ($type eq "U") { $wants{$file}{$name} = 1 }
        elsif ($type =~ /^[A-Z]$/) { $home{$name}{$file} = 1 }
    }
    open my $list, "<", "tests/lint/circles.txt" or die "tests/lint/circles.txt: $!\n";
    while (<$list>) {
        $may{"$1 $2"} = 0 if /^(\S+\.c)\s+(\S+\.c)\s+\S/;
    }
    for my $file (sort keys %wants) {
        for my $name (sort keys %{ $wants{$file} }) {
            my @homes = keys %{ $home{$name} || {} };
            next unless @homes == 1 && $homes[0] ne $file;
            $calls{$file}{ $homes[0] }{$name} = 1;
        }
    }
    # What a file reaches without the calls that are listed; a listed one that closes nothing is old.
    sub reaches {
        my ($from, $to) = @_;
        my (%seen, @next);
        @next = ($from);
        while (defined(my $file = pop @next)) {
            return 1 if $file eq $to;
            next if $seen{$file}++;
            push @next, grep { !exists $may{"$file $_"} } sort keys %{ $calls{$file} };
        }
        return 0;
    }
    for my $file (sort keys %calls) {
        for my $other (sort keys %{ $calls{$file} }) {
            my $circle = reaches($other, $file);
            if (exists $may{"$file $other"}) { $may{"$file $other"} = $circle; next }
            next unless $circle;
            print "$file: calls ", join(", ", sort keys %{ $calls{$file}{$other} }), " of $other, which calls it in turn\n";
            $bad = 1;
        }
    }
    for my $pair (sort keys %may) {
        next if $may{$pair};
        print "tests/lint/circles.txt: $pair closes no circle any more\n";
        $bad = 1;
    }
    exit($bad ? 1 : 0);'
