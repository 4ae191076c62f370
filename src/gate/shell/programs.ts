import { setOf } from "./lists.ts";

/** What is known of programs by their names. */

/** Delete files. */
export const DELETES = setOf("rm rmdir unlink shred truncate wipe srm trash trash-put");

/** Talk to other machines. */
export const NETWORK = setOf(
  "curl wget ssh scp sftp rsync nc ncat netcat socat telnet ftp tftp lftp aria2c http https xh httpie ping ping6 dig host nslookup whois traceroute nmap rclone aws gcloud az gh glab mosh",
);

/** Subcommands that talk to other machines, by program. */
export const NETWORK_SUBCOMMANDS: Readonly<Record<string, ReadonlySet<string>>> = {
  git: setOf("push fetch pull clone ls-remote remote-update submodule archive send-email svn"),
  npm: setOf(
    "install i add ci update up upgrade publish unpublish exec x view info search audit login adduser outdated deprecate dist-tag create init",
  ),
  pnpm: setOf("install i add update up publish dlx exec create"),
  yarn: setOf("install add upgrade up publish dlx create"),
  pip: setOf("install download"),
  pip3: setOf("install download"),
  uv: setOf("pip add sync tool"),
  poetry: setOf("install add update publish"),
  cargo: setOf("install publish fetch update add"),
  go: setOf("get install mod"),
  gem: setOf("install update push"),
  bundle: setOf("install update"),
  composer: setOf("install require update"),
  apt: setOf("install update upgrade full-upgrade dist-upgrade"),
  "apt-get": setOf("install update upgrade dist-upgrade source"),
  yum: setOf("install update"),
  dnf: setOf("install update upgrade"),
  apk: setOf("add update upgrade"),
  brew: setOf("install upgrade update tap"),
  docker: setOf("pull push run build login"),
  podman: setOf("pull push run build login"),
  kubectl: setOf("apply create delete exec get logs port-forward run"),
  terraform: setOf("init apply destroy plan"),
};

/** Grant another user's rights. */
export const RAISES = setOf("sudo doas su pkexec run0 runuser");

/** Can ruin a machine, whatever their arguments. */
export const DANGEROUS: Readonly<Record<string, string>> = {
  dd: "dd writes raw data",
  mkfs: "mkfs erases a disk",
  fdisk: "fdisk changes a disk's partitions",
  parted: "parted changes a disk's partitions",
  sfdisk: "sfdisk changes a disk's partitions",
  wipefs: "wipefs erases a disk's signatures",
  mkswap: "mkswap erases a disk",
  shutdown: "stops the machine",
  reboot: "stops the machine",
  halt: "stops the machine",
  poweroff: "stops the machine",
  init: "changes the machine's run level",
  telinit: "changes the machine's run level",
  killall: "ends every process of a name",
  insmod: "loads code into the kernel",
  modprobe: "loads code into the kernel",
  kexec: "starts another kernel",
  iptables: "changes the firewall",
  nft: "changes the firewall",
  useradd: "changes the machine's users",
  userdel: "changes the machine's users",
  usermod: "changes the machine's users",
  passwd: "changes a password",
  chpasswd: "changes a password",
  visudo: "changes who may become root",
  crontab: "leaves commands behind that run later",
  at: "leaves commands behind that run later",
  batch: "leaves commands behind that run later",
  systemctl: "changes the machine's services",
  service: "changes the machine's services",
};

/** Every operand is a file. */
export const FILE_PROGRAMS = setOf(
  "ls cat head tail wc cp mv rm rmdir unlink shred truncate touch mkdir chmod chown chgrp ln tee stat file du df diff cmp sort uniq nl tac rev less more source . install readlink realpath cd pushd rsync tar zip unzip gzip gunzip bzip2 xz md5sum sha1sum sha256sum cksum od xxd hexdump strings base64 open xdg-open code",
);

/** Their first operand is a pattern or a program, the others are files. */
export const PATTERN_PROGRAMS = setOf("grep egrep fgrep rg ag sed gsed awk gawk mawk jq yq perl");

/** Their words are text, never files. */
export const TEXT_PROGRAMS = setOf(
  "echo printf true false : test [ expr seq sleep date whoami id uname hostname kill pkill killall ps lsof export unset alias exit return break continue",
);

/** Well-known programs that do not run their arguments: a denied name among them is only a word. */
export const PLAIN_PROGRAMS: ReadonlySet<string> = new Set([
  ...FILE_PROGRAMS,
  ...PATTERN_PROGRAMS,
  ...TEXT_PROGRAMS,
  ...setOf(
    "git npm node pnpm yarn npx tsc eslint prettier vitest jest python python3 pip pip3 cargo go gem make curl wget find which type man apt apt-get brew docker kubectl gh cut tr paste column comm join fold fmt wait jobs umask set pwd",
  ),
]);

/** Never change the files that they are given. */
export const ONLY_READ =
  /^(cat|tac|head|tail|wc|ls|dir|grep|egrep|fgrep|zgrep|rg|ag|less|more|diff|cmp|comm|join|paste|file|stat|du|df|cut|nl|rev|od|hexdump|strings|md5sum|sha\d+sum|cksum|b2sum|base64|readlink|realpath|fold|fmt|column|jq|zcat|bat|tree|basename|dirname)$/;

/** Statements of jq and functions of yq that read other files, or run programs. */
export const READS_OTHERS =
  /(?<![.$\w])(?:(?:import|include)\s*(?:#[^\n]*\n\s*)*"|(?:load|load_\w+|strload|system)\s*\()/;
