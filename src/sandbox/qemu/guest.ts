import { LIMITS } from "../../protocol/index.ts";

const MIB = 1_048_576;
/** Of the guest's kernel. */
const KERNEL_MIB = 256;
const USER = 1_000;

export interface GuestOptions {
  readonly kernel: string;
  readonly initrd: string;
  /** Of everything in it together, without its kernel. */
  readonly memoryBytes: number;
}

/**
 * The command of a virtual machine with no network, no disk and no screen: a pipe on its standard streams, and a folder as its files. It
 * runs inside a bubblewrap sandbox, whose own files are what it shows: a hole in it leads into that sandbox.
 */
export function guestCommand({ kernel, initrd, memoryBytes }: GuestOptions): readonly string[] {
  return [
    ["/usr/bin/qemu-system-x86_64", "-nodefaults", "-no-user-config", "-no-reboot"],
    ["-display", "none"],
    ["-machine", "q35,usb=off,vmport=off"],
    ["-accel", "tcg"],
    ["-cpu", "max"],
    ["-smp", "1"],
    ["-m", `${Math.ceil(memoryBytes / MIB) + KERNEL_MIB}M`],
    ["-nic", "none"],
    ["-kernel", kernel],
    ["-initrd", initrd],
    ["-append", "quiet reboot=t panic=-1"],
    ["-serial", "none"],
    ["-fsdev", "local,id=files,path=/,security_model=none,multidevs=remap"],
    ["-device", "virtio-9p-pci,fsdev=files,mount_tag=files"],
    ["-chardev", "stdio,id=pipe,signal=off"],
    ["-device", "virtio-serial-pci"],
    ["-device", "virtserialport,chardev=pipe,name=sallyport"],
  ].flat();
}

export interface GuestScript {
  /** The folder of its sockets, which the command makes. Programs of the guest's user can connect to them, and change nothing there. */
  readonly folder: string;
  readonly cwd: string;
  /** Runs as root of the guest. */
  readonly command: readonly string[];
  readonly searchPath: string;
  readonly processes: number;
}

/** The command of a program that is an ordinary user of its guest. */
export function asUser(command: readonly string[]): readonly string[] {
  const user = [`--reuid=${USER}`, `--regid=${USER}`, "--clear-groups", "--inh-caps=-all", "--bounding-set=-all"];
  return ["/usr/bin/setpriv", ...user, "--no-new-privs", "--", ...command];
}

/**
 * The first process of a guest: it mounts the files, runs the command with the pipe as its streams, and ends the machine with it. Nobody
 * waits for the one that reads the pipe: it would not end before there is something to read.
 */
export function guestScript({ folder, cwd, command, searchPath, processes }: GuestScript): string {
  const limits = [
    `--nproc=${processes}`,
    "--core=0",
    `--nofile=${LIMITS.sandboxFiles}`,
    `--fsize=${LIMITS.sandboxFileBytes}`,
  ];
  const start = ["/usr/bin/env", "-i", `--chdir=${cwd}`, `PATH=${searchPath}`];
  const words = [...start, "/usr/bin/prlimit", ...limits, "--", ...command];
  return `#!/bin/busybox sh
b=/bin/busybox
$b mkdir -p /proc /dev /files
$b mount -t proc proc /proc
$b mount -t devtmpfs dev /dev
exec 2>/dev/console
for m in $($b cat /modules/order); do $b insmod /modules/$m; done
$b mount -t 9p -o trans=virtio,version=9p2000.L,msize=512000,cache=mmap,access=any,nosuid,nodev files /files
$b mount -t proc -o nosuid,nodev,noexec proc /files/proc
$b mount -t devtmpfs -o nosuid,noexec dev /files/dev
$b mkdir -p /files/dev/pts /files/dev/shm
$b mount -t devpts -o nosuid,noexec,newinstance,ptmxmode=0666 devpts /files/dev/pts
$b mount -t tmpfs -o nosuid,nodev,noexec,mode=1777 tmpfs /files/dev/shm
$b mount -t tmpfs -o nosuid,nodev,noexec,mode=0755 tmpfs ${quoted(`/files${folder}`)}
$b ln -s /proc/self/fd /files/dev/fd
$b ifconfig lo 127.0.0.1 up
set -- /dev/vport*p1
exec 3<>"$1"
$b mkfifo /input
$b cat <&3 >/input &
$b chroot /files ${words.map(quoted).join(" ")} </input | $b cat >&3
$b reboot -f
`;
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
