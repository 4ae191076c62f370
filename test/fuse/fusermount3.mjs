// A stand-in for the setuid program: mounts as root and hands the open device over the socket that it was given.
import { spawnSync } from "node:child_process";
import { openSync } from "node:fs";
import koffi from "koffi";

const words = process.argv.slice(2);
const folder = words.at(-1);
const run = (program, ...rest) => {
  const { status, stderr } = spawnSync(program, rest, { stdio: ["ignore", "ignore", "pipe", device ?? "ignore"] });
  if (status !== 0) process.stderr.write(stderr);
  return status ?? 1;
};
let device;
if (words[0] === "-u") process.exit(run("umount", "-i", "-l", folder));
if (folder.endsWith("refused")) {
  process.stderr.write("fusermount3: not allowed\n");
  process.exit(1);
}
device = openSync("/dev/fuse", "r+");
const status = run(
  "mount",
  "-i",
  "-t",
  "fuse.sallyport",
  "-o",
  "fd=3,rootmode=40000,user_id=0,group_id=0",
  "sallyport",
  folder,
);
if (status !== 0) process.exit(status);
const data = Buffer.from([0]);
const control = Buffer.alloc(24);
control.writeBigUInt64LE(20n, 0);
control.writeInt32LE(1, 8);
control.writeInt32LE(1, 12);
control.writeInt32LE(device, 16);
const vector = Buffer.alloc(16);
vector.writeBigUInt64LE(koffi.address(data), 0);
vector.writeBigUInt64LE(1n, 8);
const message = Buffer.alloc(56);
message.writeBigUInt64LE(koffi.address(vector), 16);
message.writeBigUInt64LE(1n, 24);
message.writeBigUInt64LE(koffi.address(control), 32);
message.writeBigUInt64LE(24n, 40);
koffi.load(null).func("long sendmsg(int, void *, int)")(Number(process.env._FUSE_COMMFD), message, 0);
