// System calls that a wall must refuse. Each is harmless where it is allowed: its arguments are wrong behind the check of rights,
// or only a child of its own is touched. A line of JSON for each: what reached the kernel has escaped.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define REFUSED 0
#define REACHED 1

static int reached(long result) {
  if (result >= 0) return REACHED;
  switch (errno) {
    case EPERM:
    case EACCES:
    case ENOSYS:
    case EAFNOSUPPORT:
    case EPROTONOSUPPORT:
    case ESOCKTNOSUPPORT:
    case EROFS:
      return REFUSED;
    default:
      return REACHED;
  }
}

static void say(const char *attack, int escaped, const char *detail) {
  printf("{\"attack\":\"%s\",\"escaped\":%s,\"detail\":\"%s\"}\n", attack, escaped ? "true" : "false", detail);
  fflush(stdout);
}

/** In a child: whatever it becomes ends with it. */
static void try(const char *attack, int (*body)(void)) {
  pid_t child = fork();
  if (child < 0) {
    say(attack, 0, "no process for it");
    return;
  }
  if (child == 0) _exit(body() ? 10 : 11);
  int status = 0;
  waitpid(child, &status, 0);
  char detail[64] = "";
  if (WIFSIGNALED(status)) snprintf(detail, sizeof detail, "ended by signal %d", WTERMSIG(status));
  say(attack, WIFEXITED(status) && WEXITSTATUS(status) == 10, detail);
}

static int call_mount(void) { return reached(syscall(SYS_mount, "none", ".", "nosuchfilesystem", 0, "")); }
static int call_bind(void) { return reached(syscall(SYS_mount, "/nowhere", ".", "", 4096, "")); }
static int call_umount(void) { return reached(syscall(SYS_umount2, ".", 0)); }
static int call_pivot_root(void) { return reached(syscall(SYS_pivot_root, ".", ".")); }
static int call_chroot(void) { return reached(syscall(SYS_chroot, ".")); }
static int call_fsopen(void) { return reached(syscall(430, "nosuchfilesystem", 0)); }
static int call_open_tree(void) { return reached(syscall(428, AT_FDCWD, ".", 1)); }
static int call_mount_setattr(void) { return reached(syscall(442, AT_FDCWD, ".", 0, "", 32)); }
static int call_setns(void) {
  int reachedAny = 0;
  const char *names[] = {"/proc/1/ns/net", "/proc/1/ns/mnt", "/proc/1/ns/user", "/proc/1/ns/pid"};
  for (int at = 0; at < 4; at++) {
    int file = open(names[at], O_RDONLY);
    if (file < 0) continue;
    if (syscall(SYS_setns, file, 0) == 0) reachedAny = 1;
    close(file);
  }
  return reachedAny;
}
static const unsigned long NAMESPACES[] = {0x80, 0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000};
static int call_unshare(void) {
  for (size_t at = 0; at < 8; at++)
    if (syscall(SYS_unshare, NAMESPACES[at]) == 0 || syscall(SYS_unshare, NAMESPACES[at] | 0x10000000) == 0) return 1;
  return 0;
}
static int call_clone(void) {
  for (size_t at = 1; at < 8; at++) {
    long child = syscall(SYS_clone, NAMESPACES[at] | 0x10000000 | SIGCHLD, 0, 0, 0, 0);
    if (child == 0) _exit(0);
    if (child > 0) return 1;
  }
  return 0;
}
static int call_clone3(void) {
  uint64_t words[11] = {0};
  words[0] = 0x10000000;
  words[4] = SIGCHLD;
  long child = syscall(435, words, 64);
  if (child == 0) _exit(0);
  return child > 0;
}
static int call_ptrace(void) {
  pid_t other = getppid();
  if (ptrace(PTRACE_ATTACH, other, 0, 0) != 0) return 0;
  waitpid(other, NULL, __WALL);
  ptrace(PTRACE_DETACH, other, 0, 0);
  return 1;
}
static int call_read_memory(void) {
  char byte;
  struct iovec here = {&byte, 1}, there = {&byte, 1};
  return syscall(SYS_process_vm_readv, getppid(), &here, 1, &there, 1, 0) == 1;
}
static int call_pidfd_getfd(void) {
  int other = (int)syscall(434, getppid(), 0);
  return other >= 0 && syscall(438, other, 0, 0) >= 0;
}
static int call_keyctl(void) { return reached(syscall(SYS_keyctl, 0, -3, 0)) || reached(syscall(SYS_keyctl, 0, -4, 1)); }
static int call_add_key(void) { return reached(syscall(SYS_add_key, "user", "redteam", "x", 1, -2)); }
static int call_bpf(void) { return reached(syscall(SYS_bpf, 0, 0, 0)); }
static int call_perf(void) {
  uint32_t words[32] = {1, sizeof words};
  words[10] = 0x60;
  return syscall(SYS_perf_event_open, words, 0, -1, -1, 0) >= 0;
}
static int call_userfaultfd(void) { return syscall(SYS_userfaultfd, 1) >= 0; }
static int call_io_uring(void) {
  char words[256] = {0};
  return syscall(425, 1, words) >= 0;
}
static int call_kexec(void) { return reached(syscall(SYS_kexec_load, 0, 17, 0, 0)); }
static int call_module(void) { return reached(syscall(SYS_init_module, 0, 0, "")) || reached(syscall(SYS_finit_module, -1, "", 0)); }
static int call_reboot(void) { return reached(syscall(SYS_reboot, 0, 0, 0, 0)); }
static int call_swapon(void) { return reached(syscall(SYS_swapon, "/nowhere", 0)); }
static int call_acct(void) { return reached(syscall(SYS_acct, "/nowhere")); }
static int call_hostname(void) { return reached(syscall(SYS_sethostname, "x", -1)); }
static int call_syslog(void) { return reached(syscall(SYS_syslog, 3, 0, 0)); }
static int call_handle(void) {
  uint32_t handle[16] = {8, 1};
  return reached(syscall(SYS_open_by_handle_at, AT_FDCWD, handle, O_RDONLY));
}
static int call_mknod(void) {
  int made = mknod("device-of-redteam", S_IFCHR | 0666, 0x103) == 0 || mknod("device-of-redteam", S_IFBLK | 0666, 0x800) == 0;
  unlink("device-of-redteam");
  return made;
}
static int call_terminal(void) {
  int terminal = open("/dev/ptmx", O_RDWR | O_NOCTTY);
  if (terminal < 0) return 0;
  return reached(ioctl(terminal, 0x5412, "x")) || reached(ioctl(terminal, 0x541c, "\x02")) ||
         reached(ioctl(terminal, 0x5412 | (long)1 << 32, "x"));
}
static int call_root(void) { return setuid(0) == 0 || setgid(0) == 0 || syscall(SYS_setgroups, 0, 0) == 0; }
static int call_raise(void) {
  uint32_t header[2] = {0x20080522, 0}, sets[6] = {~0u, ~0u, ~0u, ~0u, ~0u, ~0u};
  return syscall(SYS_capset, header, sets) == 0 || prctl(47, 2, 21, 0, 0) == 0;
}
static int call_raw(void) { return socket(AF_INET, SOCK_RAW, 1) >= 0 || socket(AF_INET6, SOCK_RAW, 58) >= 0; }
static int call_packet(void) { return socket(17, SOCK_RAW, 0x300) >= 0 || socket(17, SOCK_DGRAM, 0x300) >= 0; }
static int call_vsock(void) { return socket(40, SOCK_STREAM, 0) >= 0; }
static int call_crypto(void) { return socket(38, SOCK_SEQPACKET, 0) >= 0; }
static int call_netlink(void) {
  // Brings an interface of its own up: needs rights over the network.
  int link = socket(16, SOCK_RAW, 0);
  if (link < 0) return 0;
  struct { uint32_t length; uint16_t type, flags; uint32_t seq, pid; uint8_t family, pad; uint16_t kind; uint32_t index, on, change; }
      message = {32, 16, 5, 1, 0, 0, 0, 0, 1, 0, 0};
  if (send(link, &message, sizeof message, 0) < 0) return 0;
  struct { uint32_t length; uint16_t type, flags; uint32_t seq, pid; int32_t error; char rest[64]; } answer = {0};
  if (recv(link, &answer, sizeof answer, 0) < 20) return 0;
  return answer.type == 2 && answer.error == 0;
}
static int call_own_filter(void) {
  struct sock_filter allow[] = {{6, 0, 0, 0x7fff0000}};
  struct sock_fprog program = {1, allow};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  prctl(PR_SET_SECCOMP, 2, &program);
  return syscall(SYS_unshare, 0x10000000) == 0;
}
#ifdef __x86_64__
static int call_old_interface(void) {
  long result = 20;
  __asm__ volatile("int $0x80" : "+a"(result) : : "memory", "r8", "r9", "r10", "r11");
  return result > 0;
}
static int call_x32(void) { return syscall(0x40000000 + 39) > 0; }
static int call_x32_mount(void) { return reached(syscall(0x40000000 + 165, "none", ".", "nosuchfilesystem", 0, "")); }
#endif
static int call_setuid_file(void) {
  // Each way to a file that runs as its owner: the suite looks at the workspace from outside as well.
  int made = 0;
  struct stat found;
  const char *name = "setuid-of-redteam";
  int file = open(name, O_CREAT | O_RDWR, 0755);
  made |= fchmod(file, 04755) == 0;
  made |= chmod(name, 06755) == 0;
  made |= fchmodat(AT_FDCWD, name, 02755, 0) == 0;
  made |= syscall(452, AT_FDCWD, name, 04755, 0) == 0;
  close(file);
  file = open("setuid-of-redteam-2", O_CREAT | O_RDWR, 04755);
  if (file >= 0 && fstat(file, &found) == 0) made |= (found.st_mode & 06000) != 0;
  file = creat("setuid-of-redteam-3", 06755);
  if (file >= 0 && fstat(file, &found) == 0) made |= (found.st_mode & 06000) != 0;
  uint64_t how[3] = {O_CREAT | O_RDWR, 04755, 0};
  file = (int)syscall(437, AT_FDCWD, "setuid-of-redteam-4", how, sizeof how);
  if (file >= 0 && fstat(file, &found) == 0) made |= (found.st_mode & 06000) != 0;
  if (mknod("setuid-of-redteam-5", S_IFREG | 04755, 0) == 0 && stat("setuid-of-redteam-5", &found) == 0)
    made |= (found.st_mode & 06000) != 0;
  return made;
}

static int call_abstract(const char *name) {
  struct sockaddr_un address = {AF_UNIX, ""};
  size_t length = strlen(name);
  memcpy(address.sun_path + 1, name, length);
  int connection = socket(AF_UNIX, SOCK_STREAM, 0);
  // Some programs listen on a name that is filled up with zeros.
  if (connect(connection, (struct sockaddr *)&address, sizeof address) == 0) return 1;
  return connect(connection, (struct sockaddr *)&address, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + length)) == 0;
}

int main(int count, char **words) {
  if (count > 1) say("a unix socket in the abstract namespace", call_abstract(words[1]), "");
  try("call: mount", call_mount);
  try("call: bind mount", call_bind);
  try("call: umount", call_umount);
  try("call: pivot_root", call_pivot_root);
  try("call: chroot", call_chroot);
  try("call: fsopen", call_fsopen);
  try("call: open_tree", call_open_tree);
  try("call: mount_setattr", call_mount_setattr);
  try("call: setns", call_setns);
  try("call: unshare, each flag", call_unshare);
  try("call: clone, each namespace", call_clone);
  try("call: clone3 of a namespace", call_clone3);
  try("call: ptrace of another process", call_ptrace);
  try("call: process_vm_readv", call_read_memory);
  try("call: pidfd_getfd", call_pidfd_getfd);
  try("call: keyctl", call_keyctl);
  try("call: add_key", call_add_key);
  try("call: bpf", call_bpf);
  try("call: perf_event_open", call_perf);
  try("call: userfaultfd", call_userfaultfd);
  try("call: io_uring", call_io_uring);
  try("call: kexec_load", call_kexec);
  try("call: a kernel module", call_module);
  try("call: reboot", call_reboot);
  try("call: swapon", call_swapon);
  try("call: acct", call_acct);
  try("call: sethostname", call_hostname);
  try("call: the kernel's log", call_syslog);
  try("call: open_by_handle_at", call_handle);
  try("call: mknod of a device", call_mknod);
  try("call: words into a terminal", call_terminal);
  try("call: become root", call_root);
  try("call: raise capabilities", call_raise);
  try("call: a raw socket", call_raw);
  try("call: a packet socket", call_packet);
  try("call: a vsock", call_vsock);
  try("call: a socket of the kernel's cryptography", call_crypto);
  try("call: netlink that changes an interface", call_netlink);
  try("call: a filter of its own", call_own_filter);
#ifdef __x86_64__
  try("call: by the 32-bit interface", call_old_interface);
  try("call: by the x32 interface", call_x32);
  try("call: mount by the x32 interface", call_x32_mount);
#endif
  try("call: a file that runs as its owner", call_setuid_file);
  return 0;
}
