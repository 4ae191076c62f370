/** Runs inside a sandbox: `hogs.mjs <kind> <bytes>` takes that much memory in one way, says how much it got, and holds it. */
import { spawn, spawnSync } from "node:child_process";
import { appendFileSync, closeSync, openSync } from "node:fs";
import { connect } from "node:net";

const [kind, amount = "0", path = ""] = process.argv.slice(2);
const most = Number(amount);
const MIB = 1_048_576;
const got = (count) => process.stdout.write(`${count}\n`);

const fileHog = (folder) => () => {
  const chunk = Buffer.alloc(16 * MIB, 1);
  for (let bytes = 0; bytes < most; bytes += chunk.length) {
    appendFileSync(`${folder}/hog`, chunk);
    got(bytes + chunk.length);
  }
};

/** Perl has the calls that Node has not. */
const perl = (text) => () => {
  spawnSync("/usr/bin/perl", ["-e", text, String(most)], { stdio: ["ignore", "inherit", "ignore"] });
};

const hogs = {
  own: () => {
    const held = [];
    for (let bytes = 0; bytes < most; bytes += 16 * MIB) {
      held.push(Buffer.alloc(16 * MIB, 1));
      got(bytes + 16 * MIB);
    }
    return held;
  },
  "/dev/shm": fileHog("/dev/shm"),
  "/dev": fileHog("/dev"),
  "/tmp": fileHog("/tmp"),
  "System V": perl(
    'my ($n,$b)=(0,16<<20); my $s="x" x $b; while ($n<$ARGV[0]) { my $i=shmget(0,$b,0600|01000); last unless defined $i; shmwrite($i,$s,0,$b) or last; $n+=$b; syswrite STDOUT,"$n\\n"; } sleep 5',
  ),
  memfd: perl(
    'my ($n,$b)=(0,16<<20); my $s="x" x $b; my @h; while ($n<$ARGV[0]) { my $f=syscall(319,"hog",0); last if $f<0; open(my $o,">&=",$f) or last; syswrite($o,$s)==$b or last; push @h,$o; $n+=$b; syswrite STDOUT,"$n\\n"; } sleep 5',
  ),
  pipes: perl(
    'my ($n,@h)=(0); my $s="x" x 1048576; while ($n<$ARGV[0]) { pipe(my $r,my $w) or last; fcntl($w,1031,1048576); fcntl($w,4,2048); my $k=syswrite($w,$s); last unless $k; $n+=$k; push @h,$r,$w; syswrite STDOUT,"$n\\n"; }',
  ),
  descriptors: () => {
    const held = [];
    try {
      for (;;) held.push(openSync("/dev/null", "r"));
    } finally {
      got(held.length);
      for (const file of held) closeSync(file);
    }
  },
  inotify: perl('my $n=0; $n++ while $n<20000 && syscall(294,0)>=0; syswrite STDOUT,"$n\\n";'),
  processes: () => {
    for (let count = 0; count < most; count += 1) {
      const child = spawn("/bin/sleep", ["20"], { detached: true, stdio: "ignore", env: {} });
      child.on("error", () => undefined);
      child.unref();
    }
    got(most);
  },
  connections: async () => {
    const held = [];
    for (let count = 0; count < most; count += 1) {
      const socket = connect({ path });
      socket.on("error", () => undefined);
      // Some say nothing, some the wrong thing, some too much.
      if (count % 3 === 1) socket.write(`${"A".repeat(43)}\n`);
      if (count % 3 === 2) socket.write("B".repeat(100_000));
      held.push(socket);
      if (held.length > 2_000) held.shift().destroy();
      if (count % 200 === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    }
    got(most);
    setTimeout(() => undefined, 20_000);
  },
};

await hogs[kind]();
