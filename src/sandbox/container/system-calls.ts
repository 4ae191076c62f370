/*
 * The filter for system calls in the words of an OCI bundle. It refuses what the filter of the sandbox `bubblewrap` refuses, and the bits
 * by which a file is run as its owner: on the outside that owner may be the person at this machine, or root.
 */

interface CallRule {
  readonly names: readonly string[];
  readonly action: "SCMP_ACT_ERRNO";
  readonly errnoRet: number;
  readonly args?: readonly {
    readonly index: number;
    readonly value: number;
    readonly valueTwo?: number;
    readonly op: "SCMP_CMP_EQ" | "SCMP_CMP_GT" | "SCMP_CMP_MASKED_EQ";
  }[];
}

export interface CallFilter {
  readonly defaultAction: "SCMP_ACT_ALLOW";
  readonly architectures: readonly string[];
  readonly syscalls: readonly CallRule[];
}

const EPERM = 1;
const ENOSYS = 38;
const EAFNOSUPPORT = 97;

/** Into other processes, out of the namespaces, to the machine itself, to keys, and to rarely used corners of the kernel. */
const FORBIDDEN = [
  ..."ptrace process_vm_readv process_vm_writev process_madvise kcmp pidfd_getfd".split(" "),
  ..."unshare setns mount umount2 pivot_root chroot open_tree move_mount fsopen fsconfig fsmount fspick".split(" "),
  ..."mount_setattr open_by_handle_at name_to_handle_at".split(" "),
  ..."reboot kexec_load kexec_file_load init_module finit_module delete_module swapon swapoff acct quotactl".split(" "),
  ..."settimeofday clock_settime clock_adjtime adjtimex sethostname setdomainname syslog vhangup iopl ioperm".split(
    " ",
  ),
  ..."add_key request_key keyctl".split(" "),
  ..."bpf perf_event_open userfaultfd fanotify_init lookup_dcookie mbind set_mempolicy migrate_pages move_pages".split(
    " ",
  ),
] as const;

/** Refused as if the kernel did not have them: programs then use the older way, which is judged here. */
const ABSENT = ["clone3", "io_uring_setup", "io_uring_enter", "io_uring_register", "openat2"] as const;

/** CLONE_NEW* of linux/sched.h: TIME, NS, CGROUP, UTS, IPC, USER, PID, NET. */
const NEW_NAMESPACES = [
  0x80, 0x2_0000, 0x200_0000, 0x400_0000, 0x800_0000, 0x1000_0000, 0x2000_0000, 0x4000_0000,
] as const;

/** Between and beyond unix (1), IPv4 (2), IPv6 (10) and netlink (16), by which programs list addresses. */
const OTHER_FAMILIES = [0, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 14, 15] as const;
const LAST_FAMILY = 16;

/** TIOCSTI and TIOCLINUX put words into a terminal's input as if somebody had typed them. */
const TERMINAL_INPUT = [0x5412, 0x541c] as const;

/** Set user, set group. */
const RUN_AS_OWNER = [0o4000, 0o2000] as const;
/** Where calls that make or change a file have its mode. */
const MODE_AT = { chmod: 1, fchmod: 1, fchmodat: 2, fchmodat2: 2, creat: 1, mknod: 1, mknodat: 2 } as const;
/** Where calls that may make a file have their flags; its mode comes next, and is read only with one of these flags. */
const FLAGS_AT = { open: 1, openat: 2 } as const;
/** O_CREAT, and the own bit of O_TMPFILE. */
const MAKES_A_FILE = [0o100, 0o20_000_000] as const;

const ARCHITECTURES: Readonly<Record<string, string>> = { x64: "SCMP_ARCH_X86_64", arm64: "SCMP_ARCH_AARCH64" };

const refuse = (names: readonly string[], errnoRet: number, args?: CallRule["args"]): CallRule => ({
  names,
  action: "SCMP_ACT_ERRNO",
  errnoRet,
  ...(args === undefined ? {} : { args }),
});

const isSet = (index: number, bit: number): NonNullable<CallRule["args"]>[number] => ({
  index,
  value: bit,
  valueTwo: bit,
  op: "SCMP_CMP_MASKED_EQ",
});

function runAsOwner(bit: number): readonly CallRule[] {
  const changed = Object.entries(MODE_AT).map(([name, index]) => refuse([name], EPERM, [isSet(index, bit)]));
  const made = Object.entries(FLAGS_AT).flatMap(([name, index]) =>
    MAKES_A_FILE.map((flag) => refuse([name], EPERM, [isSet(index, flag), isSet(index + 1, bit)])),
  );
  return [...changed, ...made];
}

/**
 * Undefined: there is no filter for this machine. A runtime that has its own kernel needs only what reaches this machine's files; the
 * one of gVisor also answers each refusal with EPERM, which programs take for an answer.
 */
export function callFilter(kernel: "own" | "shared"): CallFilter | undefined {
  const architecture = ARCHITECTURES[process.arch];
  if (architecture === undefined) return undefined;
  const sockets = ["socket", "socketpair"];
  const shared = [
    refuse(FORBIDDEN, EPERM),
    refuse(ABSENT, ENOSYS),
    ...NEW_NAMESPACES.map((bit) => refuse(["clone"], EPERM, [isSet(0, bit)])),
    ...TERMINAL_INPUT.map((value) => refuse(["ioctl"], EPERM, [{ index: 1, value, op: "SCMP_CMP_EQ" }])),
    ...OTHER_FAMILIES.map((value) => refuse(sockets, EAFNOSUPPORT, [{ index: 0, value, op: "SCMP_CMP_EQ" }])),
    refuse(sockets, EAFNOSUPPORT, [{ index: 0, value: LAST_FAMILY, op: "SCMP_CMP_GT" }]),
  ];
  return {
    defaultAction: "SCMP_ACT_ALLOW",
    architectures: [architecture],
    syscalls: [...(kernel === "shared" ? shared : []), ...RUN_AS_OWNER.flatMap(runAsOwner)],
  };
}
