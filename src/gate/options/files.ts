import { READS_OTHERS } from "../shell/programs.ts";
import type { ProgramSpec } from "./spec.ts";

/** A program that follows links while it walks through folders leaves the workspace, so no such option is listed here. */

/** Files whose unpacked name is protected: `.npmrc.gz`. */
const UNPACKS_PROTECTED = /(^|\/)(\.[^/]+|(AGENTS|CLAUDE|CLAUDE\.local)\.md|HEAD)\.\w+$/i;

const READS = { harmless: true, plain: true } as const;
const WRITES = { writes: true, plain: true } as const;
const WORDS = { any: true, harmless: true, plain: true, operands: "text" } as const;

const SUMS: ProgramSpec = {
  ...READS,
  flags: "bctwz",
  long: "binary check text quiet status strict warn tag zero ignore-missing",
};

/** Programs that only print what they are asked about. */
const PRINTS: Readonly<Record<string, ProgramSpec>> = {
  ls: {
    ...READS,
    flags: "aAbBcCdfFgGhHiklmnNopqQrRsStuUvxXZ1",
    texts: "ITw",
    long: "all almost-all author escape ignore-backups color? directory classify? file-type format~ full-time group-directories-first human-readable si inode ignore~ hide~ kibibytes literal no-group numeric-uid-gid quote-name reverse recursive size sort~ time~ time-style~ width~ zero help version",
  },
  dir: { ...READS, flags: "aAlhrRt1" },
  cat: {
    ...READS,
    flags: "AbeEnstTuv",
    long: "show-all number-nonblank show-ends number squeeze-blank show-tabs show-nonprinting help version",
  },
  tac: { ...READS, flags: "br", texts: "s", long: "before regex separator~" },
  nl: { ...READS, flags: "p", texts: "bdfhilnsvw" },
  rev: READS,
  head: {
    ...READS,
    flags: "qvz",
    texts: "nc",
    numbers: true,
    long: "lines~ bytes~ quiet silent verbose zero-terminated",
  },
  tail: {
    ...READS,
    flags: "fFqvzr",
    texts: "ncs",
    numbers: true,
    long: "lines~ bytes~ follow? retry quiet silent verbose sleep-interval~ pid~ zero-terminated",
  },
  wc: { ...READS, flags: "clLmw", long: "bytes chars lines max-line-length words total~" },
  cut: {
    ...READS,
    flags: "nsz",
    texts: "bcdf",
    long: "bytes~ characters~ delimiter~ fields~ complement only-delimited output-delimiter~ zero-terminated",
  },
  tr: { ...WORDS },
  paste: { ...READS, flags: "sz", texts: "d", long: "serial delimiters~ zero-terminated" },
  comm: { ...READS, flags: "123z", long: "check-order nocheck-order output-delimiter~ total zero-terminated" },
  join: {
    ...READS,
    flags: "iz",
    texts: "aetjov12",
    long: "ignore-case header check-order nocheck-order zero-terminated",
  },
  fold: { ...READS, flags: "bs", texts: "w", long: "bytes spaces width~" },
  fmt: { ...READS, flags: "cstu", texts: "wgp", numbers: true },
  expand: { ...READS, flags: "i", texts: "t" },
  unexpand: { ...READS, flags: "a", texts: "t" },
  column: { ...READS, flags: "tenx", texts: "csoN" },
  od: { ...READS, flags: "abcdfilosvx", texts: "AjNtwS" },
  xxd: { ...READS, flags: "abeiu", texts: "cglos", most: 1 },
  hexdump: { ...READS, flags: "bcCdovx", texts: "ns" },
  strings: { ...READS, flags: "afwo", texts: "ntes" },
  base64: { ...READS, flags: "diD", texts: "w", long: "decode ignore-garbage wrap~" },
  base32: { ...READS, flags: "di", texts: "w", long: "decode wrap~" },
  md5sum: SUMS,
  sha1sum: SUMS,
  sha224sum: SUMS,
  sha256sum: SUMS,
  sha384sum: SUMS,
  sha512sum: SUMS,
  b2sum: SUMS,
  cksum: SUMS,
  stat: { ...READS, flags: "Lft", texts: "c", long: "dereference file-system format~ printf~ terse" },
  file: {
    ...READS,
    flags: "bhiLkNprsz0",
    texts: "FP",
    long: "brief mime mime-type mime-encoding dereference no-dereference keep-going separator~",
  },
  du: {
    ...READS,
    flags: "0abcDhHklmsSx",
    texts: "dBt",
    long: "all apparent-size bytes total max-depth~ human-readable summarize one-file-system exclude~ block-size~ threshold~ si",
  },
  df: {
    ...READS,
    flags: "ahHiklPTm",
    texts: "Btx",
    long: "all human-readable si inodes local portability total print-type type~ exclude-type~ output?",
  },
  tree: {
    plain: true,
    flags: "adfipsughDFqNQrtcUvCnAS",
    texts: "LPIT",
    long: "noreport dirsfirst charset~ filelimit~ prune matchdirs",
  },
  diff: {
    ...READS,
    flags: "abBcdeEilnNpqsTtuwy",
    texts: "CDFIUWxL",
    long: "brief unified? context? side-by-side report-identical-files new-file ignore-case ignore-space-change ignore-all-space ignore-blank-lines ignore-trailing-space strip-trailing-cr text color? no-color width~ suppress-common-lines exclude~ label~ normal minimal speed-large-files show-c-function left-column expand-tabs",
  },
  cmp: { ...READS, flags: "bls", texts: "in", long: "print-bytes verbose quiet silent bytes~ ignore-initial~" },
  readlink: {
    ...READS,
    flags: "femnqsvz",
    long: "canonicalize canonicalize-existing canonicalize-missing no-newline quiet silent verbose zero",
  },
  realpath: {
    ...READS,
    flags: "emLPqsz",
    long: "canonicalize-existing canonicalize-missing logical physical quiet strip no-symlinks zero",
  },
  basename: { ...WORDS },
  dirname: { ...WORDS },
  grep: {
    ...READS,
    flags: "abcEFGHhiLlnoPqrsTUVvwxyzZI",
    texts: "eABCmdD",
    files: "f",
    numbers: true,
    operands: "pattern",
    long: "extended-regexp fixed-strings basic-regexp perl-regexp regexp~ file= ignore-case no-ignore-case invert-match word-regexp line-regexp count color? colour? files-without-match files-with-matches max-count~ only-matching quiet silent no-messages byte-offset with-filename no-filename label~ line-number initial-tab null after-context~ before-context~ context~ text binary-files~ devices~ directories~ exclude~ exclude-dir~ include~ recursive line-buffered null-data help version",
  },
  zcat: READS,
  zgrep: { flags: "acEFhHilLnoqsvw", texts: "eABCm", operands: "pattern" },
  jq: {
    plain: true,
    flags: "rcnsSMCjaeRh",
    operands: "pattern",
    says: READS_OTHERS,
    long: "arg argjson args jsonargs raw-output compact-output null-input slurp sort-keys exit-status join-output ascii-output raw-input tab monochrome-output color-output indent~ help version",
  },
};

/** Words, numbers, the state of the machine. */
const TELLS: Readonly<Record<string, ProgramSpec>> = Object.fromEntries(
  "echo printf true false : test [ expr seq sleep whoami id uname nproc uptime free ps pgrep which type pwd cal tty groups arch wait exit return break continue locale getconf"
    .split(" ")
    .map((name) => [name, WORDS]),
);

/** Programs that change the files they are given; a rule for them implies that. */
const CHANGES: Readonly<Record<string, ProgramSpec>> = {
  cp: {
    ...WRITES,
    flags: "abdfHinpPrRTuvx",
    files: "t",
    long: "archive force interactive no-clobber no-dereference parents recursive no-target-directory verbose one-file-system update? target-directory= backup? preserve? no-preserve~ reflink? sparse~",
  },
  mv: {
    ...WRITES,
    flags: "binuvT",
    files: "t",
    long: "interactive no-clobber verbose update? no-target-directory target-directory= backup?",
  },
  rm: {
    ...WRITES,
    deletes: true,
    flags: "dfirRvI",
    long: "force recursive verbose dir interactive? one-file-system preserve-root?",
  },
  rmdir: { ...WRITES, deletes: true, flags: "pv", long: "parents verbose ignore-fail-on-non-empty" },
  mkdir: { ...WRITES, flags: "pv", texts: "m", long: "parents verbose mode~" },
  touch: {
    ...WRITES,
    flags: "acfhm",
    texts: "dt",
    files: "r",
    long: "no-create date~ time~ reference= no-dereference",
  },
  ln: {
    ...WRITES,
    flags: "sinvrTLP",
    files: "t",
    long: "symbolic verbose relative interactive no-dereference target-directory=",
  },
  chmod: { ...WRITES, flags: "cfRv", long: "changes quiet silent verbose recursive" },
  chown: { ...WRITES, flags: "cfhRv", long: "changes quiet silent verbose recursive no-dereference" },
  tee: { ...WRITES, flags: "aip", long: "append ignore-interrupts" },
  install: { ...WRITES, flags: "bcdDpv", texts: "m", files: "t", long: "directory mode~ verbose" },
  truncate: { ...WRITES, flags: "co", texts: "s", long: "no-create size~" },
  unlink: WRITES,
  gzip: {
    ...WRITES,
    asks: UNPACKS_PROTECTED,
    flags: "cdklNtv123456789",
    long: "stdout decompress keep list test verbose best fast",
  },
  gunzip: { ...WRITES, asks: UNPACKS_PROTECTED, flags: "cklNtv", long: "stdout keep list test verbose" },
  bzip2: { ...WRITES, asks: UNPACKS_PROTECTED, flags: "cdktv123456789" },
  xz: { ...WRITES, asks: UNPACKS_PROTECTED, flags: "cdklTtv0123456789" },
  zip: { ...WRITES, flags: "qvjy0123456789", texts: "x" },
  unzip: { ...WRITES, flags: "ltvqpnjZ", files: "d", texts: "x" },
};

export const FILES: Readonly<Record<string, ProgramSpec>> = {
  ...PRINTS,
  ...TELLS,
  ...CHANGES,
  egrep: PRINTS["grep"] ?? {},
  fgrep: PRINTS["grep"] ?? {},
  date: {
    plain: true,
    flags: "uR",
    texts: "d",
    attached: "I",
    long: "utc date~ iso-8601? rfc-3339~ rfc-email",
    operands: "text",
    asks: /^[^+]/,
  },
  jobs: { plain: true, flags: "lnprs", operands: "text" },
  // `-D` and `+m` write files.
  lsof: { plain: true, attached: "abcCdfFghilLnNoOpPrRsStTuUvVwXxz", operands: "text", asks: /^\+m/ },
  hostname: { plain: true, flags: "fsidAI", operands: "none" },
  cd: { plain: true, flags: "LP", most: 1, asks: /^-$/ },
  pushd: { plain: true, operands: "none" },
  popd: { plain: true, operands: "none" },
  find: {
    plain: true,
    single:
      "name~ iname~ path~ ipath~ wholename~ iwholename~ regex~ iregex~ type~ xtype~ maxdepth~ mindepth~ size~ mtime~ mmin~ atime~ amin~ ctime~ cmin~ newer= newermt~ newerat~ newerct~ empty not a and o or print print0 printf~ prune depth d user~ group~ uid~ gid~ perm~ links~ xdev mount daystart executable readable writable false true regextype~ samefile= ls quit noleaf nouser nogroup inum~ H P warn nowarn",
    long: "help version",
  },
  fd: {
    plain: true,
    flags: "HIusigFalp01qh",
    texts: "etdEcSj",
    operands: "pattern",
    long: "hidden no-ignore unrestricted case-sensitive ignore-case glob regex fixed-strings absolute-path list-details full-path extension~ type~ max-depth~ min-depth~ exact-depth~ exclude~ color~ size~ print0 quiet changed-within~ changed-before~ max-results~",
  },
  rg: {
    plain: true,
    flags: "acFhHiIlnNopPqsSuUvVwx.0",
    texts: "ABCeEgmMtTrdj",
    files: "f",
    operands: "pattern",
    long: "after-context~ before-context~ context~ regexp~ file= glob~ iglob~ max-count~ max-columns~ max-depth~ type~ type-not~ type-list replace~ text count count-matches fixed-strings with-filename no-filename ignore-case hidden line-number no-line-number column only-matching pcre2 quiet case-sensitive smart-case unrestricted multiline multiline-dotall invert-match word-regexp line-regexp files files-with-matches files-without-match json heading no-heading color~ colors~ no-ignore no-ignore-vcs no-messages null sort~ sortr~ stats trim passthru vimgrep one-file-system encoding~ threads~ help version",
  },
  sed: {
    plain: true,
    flags: "nErsuz",
    texts: "el",
    operands: "pattern",
    long: "quiet silent regexp-extended expression~ posix debug separate unbuffered null-data line-length~ sandbox",
  },
  awk: { plain: true, texts: "Fv", operands: "pattern", long: "field-separator~ assign~ posix sandbox version" },
  sort: {
    plain: true,
    flags: "bdfgiMhnRrVcCmsuz",
    texts: "ktS",
    long: "ignore-leading-blanks dictionary-order ignore-case general-numeric-sort human-numeric-sort month-sort numeric-sort random-sort version-sort reverse unique stable check? merge key~ field-separator~ buffer-size~ parallel~ zero-terminated sort~ debug",
  },
  uniq: {
    plain: true,
    flags: "cdDiuz",
    texts: "fsw",
    most: 1,
    long: "count repeated all-repeated? ignore-case unique skip-fields~ skip-chars~ check-chars~ zero-terminated",
  },
  tar: {
    flags: "tvzjJ",
    files: "f",
    bundled: true,
    // `host:file` is read on another machine.
    says: /^[^/]+:/,
    long: "list verbose gzip bzip2 xz zstd file= exclude~ strip-components~ wildcards",
  },
  less: { plain: true, flags: "NSRFXiEeMmIgGJnqQrsuUwW", asks: /^\+/ },
  more: { plain: true, flags: "dflcpsu", asks: /^\+/ },
  man: { plain: true, flags: "kfaw", operands: "text" },
  yq: {
    plain: true,
    flags: "rPjMCNne",
    texts: "op",
    operands: "pattern",
    says: READS_OTHERS,
    long: "output-format~ input-format~ prettyPrint no-colors colors unwrapScalar? exit-status null-input",
  },
};
