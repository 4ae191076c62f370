/*
 * A seccomp filter for everything in a sandbox, as the classic BPF program that the kernel takes. It refuses what can reach out of
 * the namespaces or into the kernel's rarely used corners; all else is allowed. Programs see the errors they know from systems
 * without the feature.
 */

interface Architecture {
  /** AUDIT_ARCH_* of linux/audit.h. */
  readonly audit: number;
  /** System calls by name. */
  readonly numbers: Readonly<Record<string, number>>;
  /** Calls from here on belong to another ABI of the same machine; absent: there is none. */
  readonly foreignFrom?: number;
}

const EPERM = 1;
const ENOSYS = 38;
const EAFNOSUPPORT = 97;

const ALLOW = 0x7fff_0000;
const KILL = 0x8000_0000;
const ERRNO = 0x0005_0000;

/** Refused with EPERM. */
const FORBIDDEN = [
  // Into other processes. A process may not even look at the sandbox's own helper.
  "ptrace",
  "process_vm_readv",
  "process_vm_writev",
  "process_madvise",
  "kcmp",
  "pidfd_getfd",
  // Out of the namespaces, or into new ones.
  "unshare",
  "setns",
  "mount",
  "umount2",
  "pivot_root",
  "chroot",
  "open_tree",
  "move_mount",
  "fsopen",
  "fsconfig",
  "fsmount",
  "fspick",
  "mount_setattr",
  "open_by_handle_at",
  "name_to_handle_at",
  // The machine itself.
  "reboot",
  "kexec_load",
  "kexec_file_load",
  "init_module",
  "finit_module",
  "delete_module",
  "swapon",
  "swapoff",
  "acct",
  "quotactl",
  "settimeofday",
  "clock_settime",
  "clock_adjtime",
  "adjtimex",
  "sethostname",
  "setdomainname",
  "syslog",
  "vhangup",
  "iopl",
  "ioperm",
  // Keys are not namespaced: those of the server's user would be in reach.
  "add_key",
  "request_key",
  "keyctl",
  // Large parts of the kernel that no ordinary program needs.
  "bpf",
  "perf_event_open",
  "userfaultfd",
  "fanotify_init",
  "lookup_dcookie",
  "mbind",
  "set_mempolicy",
  "migrate_pages",
  "move_pages",
] as const;

/** Refused as if the kernel did not have them: programs then use the older way, which is judged or counted here. */
const ABSENT = [
  "clone3",
  "io_uring_setup",
  "io_uring_enter",
  "io_uring_register",
  "openat2",
  // Files in memory that are in no folder: nobody could count them.
  "memfd_create",
  "memfd_secret",
] as const;

/** Where calls that make or change a file have its mode. */
const MODE_ARGUMENTS: Readonly<Record<string, number>> = {
  chmod: 1,
  fchmod: 1,
  fchmodat: 2,
  fchmodat2: 2,
  creat: 1,
  mknod: 1,
  mknodat: 2,
};

/** Where calls that may make a file have their flags; its mode comes next. Without one of the flags it is not read. */
const FLAG_ARGUMENTS: Readonly<Record<string, number>> = { open: 1, openat: 2 };
/** O_CREAT and O_TMPFILE. */
const MAKES_A_FILE = 0o100 | 0o20_000_000;

/**
 * A file with one of these runs with the rights of its owner or group. Inside that means nothing; outside, where the workspace is an
 * ordinary folder, it would lend the server's user to anybody.
 */
const SET_USER_OR_GROUP = 0o6000;

/** CLONE_NEW* of linux/sched.h: TIME, NS, CGROUP, UTS, IPC, USER, PID, NET. */
const NEW_NAMESPACES = 0x80 | 0x2_0000 | 0x200_0000 | 0x400_0000 | 0x800_0000 | 0x1000_0000 | 0x2000_0000 | 0x4000_0000;

/** Unix, IPv4, IPv6, and netlink, by which programs list addresses. */
const SOCKET_FAMILIES = [1, 2, 10, 16] as const;

/** Put words into a terminal's input as if somebody had typed them. */
const TERMINAL_INPUT = [0x5412, 0x541c] as const;

const X86_64: Architecture = {
  audit: 0xc000_003e,
  foreignFrom: 0x4000_0000,
  numbers: {
    open: 2,
    ioctl: 16,
    socket: 41,
    socketpair: 53,
    clone: 56,
    creat: 85,
    chmod: 90,
    fchmod: 91,
    ptrace: 101,
    syslog: 103,
    mknod: 133,
    vhangup: 153,
    pivot_root: 155,
    adjtimex: 159,
    chroot: 161,
    acct: 163,
    settimeofday: 164,
    mount: 165,
    umount2: 166,
    swapon: 167,
    swapoff: 168,
    reboot: 169,
    sethostname: 170,
    setdomainname: 171,
    iopl: 172,
    ioperm: 173,
    init_module: 175,
    delete_module: 176,
    quotactl: 179,
    lookup_dcookie: 212,
    clock_settime: 227,
    mbind: 237,
    set_mempolicy: 238,
    kexec_load: 246,
    add_key: 248,
    request_key: 249,
    keyctl: 250,
    migrate_pages: 256,
    openat: 257,
    mknodat: 259,
    fchmodat: 268,
    unshare: 272,
    move_pages: 279,
    perf_event_open: 298,
    fanotify_init: 300,
    name_to_handle_at: 303,
    open_by_handle_at: 304,
    clock_adjtime: 305,
    setns: 308,
    process_vm_readv: 310,
    process_vm_writev: 311,
    kcmp: 312,
    finit_module: 313,
    memfd_create: 319,
    kexec_file_load: 320,
    bpf: 321,
    userfaultfd: 323,
    io_uring_setup: 425,
    io_uring_enter: 426,
    io_uring_register: 427,
    open_tree: 428,
    move_mount: 429,
    fsopen: 430,
    fsconfig: 431,
    fsmount: 432,
    fspick: 433,
    clone3: 435,
    openat2: 437,
    pidfd_getfd: 438,
    process_madvise: 440,
    mount_setattr: 442,
    memfd_secret: 447,
    fchmodat2: 452,
  },
};

const ARM64: Architecture = {
  audit: 0xc000_00b7,
  numbers: {
    lookup_dcookie: 18,
    ioctl: 29,
    mknodat: 33,
    umount2: 39,
    mount: 40,
    pivot_root: 41,
    chroot: 51,
    fchmod: 52,
    fchmodat: 53,
    openat: 56,
    vhangup: 58,
    quotactl: 60,
    acct: 89,
    unshare: 97,
    kexec_load: 104,
    init_module: 105,
    delete_module: 106,
    clock_settime: 112,
    syslog: 116,
    ptrace: 117,
    reboot: 142,
    sethostname: 161,
    setdomainname: 162,
    settimeofday: 170,
    adjtimex: 171,
    socket: 198,
    socketpair: 199,
    add_key: 217,
    request_key: 218,
    keyctl: 219,
    clone: 220,
    swapon: 224,
    swapoff: 225,
    mbind: 235,
    set_mempolicy: 237,
    migrate_pages: 238,
    move_pages: 239,
    perf_event_open: 241,
    fanotify_init: 262,
    name_to_handle_at: 264,
    open_by_handle_at: 265,
    clock_adjtime: 266,
    setns: 268,
    process_vm_readv: 270,
    process_vm_writev: 271,
    kcmp: 272,
    finit_module: 273,
    memfd_create: 279,
    bpf: 280,
    userfaultfd: 282,
    kexec_file_load: 294,
    io_uring_setup: 425,
    io_uring_enter: 426,
    io_uring_register: 427,
    open_tree: 428,
    move_mount: 429,
    fsopen: 430,
    fsconfig: 431,
    fsmount: 432,
    fspick: 433,
    clone3: 435,
    openat2: 437,
    pidfd_getfd: 438,
    process_madvise: 440,
    mount_setattr: 442,
    memfd_secret: 447,
    fchmodat2: 452,
  },
};

const ARCHITECTURES: Readonly<Record<string, Architecture>> = { x64: X86_64, arm64: ARM64 };

// Classic BPF, linux/bpf_common.h.
const LOAD_WORD = 0x20;
const JUMP_EQUAL = 0x15;
const JUMP_AT_LEAST = 0x35;
const JUMP_ANY_BIT = 0x45;
const RETURN = 0x06;

// Offsets in struct seccomp_data. Arguments are 64 bits wide; both machines put the low half first.
const NUMBER = 0;
const ARCHITECTURE = 4;
const ARGUMENTS = 16;

interface Instruction {
  readonly code: number;
  readonly value: number;
  /** How many instructions are left out when the test holds, and when not. */
  readonly yes?: number;
  readonly no?: number;
}

const load = (offset: number): Instruction => ({ code: LOAD_WORD, value: offset });
const give = (value: number): Instruction => ({ code: RETURN, value });
/** Answers with `result` when the loaded word is `value`. */
const answerIf = (code: number, value: number, result: number): readonly Instruction[] => [
  { code, value, yes: 0, no: 1 },
  give(result),
];

/** Judges one argument of one call; the number of the call is loaded before and after. */
function onArgument(call: number, argument: number, body: readonly Instruction[]): readonly Instruction[] {
  const inner = [load(ARGUMENTS + 8 * argument), ...body, load(NUMBER)];
  return [{ code: JUMP_EQUAL, value: call, yes: 0, no: inner.length }, ...inner];
}

const refuseMode = answerIf(JUMP_ANY_BIT, SET_USER_OR_GROUP, ERRNO | EPERM);

/** With the flags loaded: looks at the mode in `argument` if a file may be made. */
function refuseModeOfNew(argument: number): readonly Instruction[] {
  const look = [load(ARGUMENTS + 8 * argument), ...refuseMode];
  return [{ code: JUMP_ANY_BIT, value: MAKES_A_FILE, yes: 0, no: look.length }, ...look];
}

/** Leaves the loaded word alone when it is one of these, else answers with `result`. */
function onlyThese(values: readonly number[], result: number): readonly Instruction[] {
  return [
    ...values.map((value, index): Instruction => ({ code: JUMP_EQUAL, value, yes: values.length - index, no: 0 })),
    give(result),
  ];
}

/** The program for this machine; undefined: there is none for it. */
export function seccompFilter(architecture: string = process.arch): Buffer | undefined {
  const machine = ARCHITECTURES[architecture];
  if (machine === undefined) return undefined;
  const number = (name: string): readonly number[] => {
    const found = machine.numbers[name];
    return found === undefined ? [] : [found];
  };
  const program: Instruction[] = [
    load(ARCHITECTURE),
    { code: JUMP_EQUAL, value: machine.audit, yes: 1, no: 0 },
    give(KILL),
    load(NUMBER),
    ...(machine.foreignFrom === undefined ? [] : answerIf(JUMP_AT_LEAST, machine.foreignFrom, ERRNO | ENOSYS)),
    ...FORBIDDEN.flatMap(number).flatMap((call) => answerIf(JUMP_EQUAL, call, ERRNO | EPERM)),
    ...ABSENT.flatMap(number).flatMap((call) => answerIf(JUMP_EQUAL, call, ERRNO | ENOSYS)),
    ...number("clone").flatMap((call) => onArgument(call, 0, answerIf(JUMP_ANY_BIT, NEW_NAMESPACES, ERRNO | EPERM))),
    ...Object.entries(MODE_ARGUMENTS).flatMap(([name, argument]) =>
      number(name).flatMap((call) => onArgument(call, argument, refuseMode)),
    ),
    ...Object.entries(FLAG_ARGUMENTS).flatMap(([name, argument]) =>
      number(name).flatMap((call) => onArgument(call, argument, refuseModeOfNew(argument + 1))),
    ),
    ...number("ioctl").flatMap((call) =>
      onArgument(
        call,
        1,
        TERMINAL_INPUT.flatMap((request) => answerIf(JUMP_EQUAL, request, ERRNO | EPERM)),
      ),
    ),
    ...["socket", "socketpair"]
      .flatMap(number)
      .flatMap((call) => onArgument(call, 0, onlyThese(SOCKET_FAMILIES, ERRNO | EAFNOSUPPORT))),
    give(ALLOW),
  ];
  return encode(program);
}

/** struct sock_filter: code, two jumps, value; little-endian on both machines. */
function encode(program: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(program.length * 8);
  for (const [index, { code, value, yes = 0, no = 0 }] of program.entries()) {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(yes, index * 8 + 2);
    bytes.writeUInt8(no, index * 8 + 3);
    bytes.writeUInt32LE(value >>> 0, index * 8 + 4);
  }
  return bytes;
}
