import type { ProgramSpec } from "./spec.ts";

const WRAPS = { rest: "anything" } as const;
const SHELL: ProgramSpec = { ...WRAPS, flags: "ceuxfnv", texts: "o", asks: /^\+/ };
/** Only what the rule spells: their operands are programs in another language, or reach anywhere. */
const CLOSED: ProgramSpec = { operands: "none" };

const CONTAINER_LIST: ProgramSpec = {
  flags: "aqns",
  texts: "f",
  long: "all quiet no-trunc filter~ format~ last~ latest size",
};
const RUN: ProgramSpec = { flags: "it", long: "rm interactive tty name~ pull~ quiet", rest: "anything" };
const BUILD: ProgramSpec = {
  flags: "q",
  texts: "t",
  long: "tag~ quiet no-cache pull progress~ target~ build-arg~ rm",
  asks: /^-$/,
};

const CONTAINER_COMMANDS: Readonly<Record<string, ProgramSpec>> = {
  ps: CONTAINER_LIST,
  images: CONTAINER_LIST,
  ls: CONTAINER_LIST,
  list: CONTAINER_LIST,
  logs: { flags: "ft", texts: "n", long: "follow timestamps tail~ since~ until~ details" },
  inspect: { flags: "s", texts: "f", long: "format~ size type~" },
  stats: { flags: "a", long: "all no-stream no-trunc format~" },
  top: {},
  port: {},
  diff: {},
  history: { flags: "Hq", long: "no-trunc quiet human? format~" },
  version: { texts: "f", long: "format~" },
  info: { texts: "f", long: "format~" },
  start: { flags: "ai", long: "attach interactive" },
  stop: { texts: "t", long: "time~ timeout~" },
  restart: { texts: "t", long: "time~ timeout~" },
  pull: { flags: "q", long: "quiet platform~" },
  push: { flags: "q", long: "quiet" },
  tag: {},
  run: RUN,
  create: RUN,
  exec: { flags: "it", long: "interactive tty", rest: "anything" },
  build: BUILD,
  rm: { flags: "v", long: "volumes" },
  rmi: {},
  kill: { texts: "s", long: "signal~" },
  search: { long: "limit~ no-trunc format~ filter~" },
};

const COMPOSE: ProgramSpec = {
  commands: {
    up: {
      flags: "d",
      texts: "t",
      long: "detach build no-build wait quiet-pull no-color no-deps force-recreate no-recreate timeout~ remove-orphans abort-on-container-exit",
    },
    down: { texts: "t", long: "timeout~ remove-orphans" },
    ps: CONTAINER_LIST,
    logs: { flags: "ft", texts: "n", long: "follow timestamps tail~ since~ no-color no-log-prefix" },
    build: { flags: "q", long: "quiet no-cache pull progress~" },
    pull: { flags: "q", long: "quiet" },
    exec: { flags: "it", texts: "", long: "interactive", rest: "anything" },
    run: { flags: "i", long: "rm no-deps", rest: "anything" },
    start: {},
    stop: { texts: "t" },
    restart: { texts: "t" },
    config: { flags: "q", long: "quiet services volumes images" },
    images: { flags: "q" },
    top: {},
  },
};

const CONTAINERS: ProgramSpec = {
  long: "version help",
  commands: {
    ...CONTAINER_COMMANDS,
    compose: COMPOSE,
    container: { commands: CONTAINER_COMMANDS },
    image: { commands: CONTAINER_COMMANDS },
    volume: { commands: { ls: CONTAINER_LIST, list: CONTAINER_LIST, inspect: { texts: "f" } } },
    network: { commands: { ls: CONTAINER_LIST, list: CONTAINER_LIST, inspect: { texts: "f" } } },
    buildx: { commands: { build: BUILD, ls: {} } },
    system: { commands: { df: { flags: "v" }, info: {} } },
  },
};

const KUBE_GET: ProgramSpec = {
  flags: "Aw",
  texts: "nl",
  files: "o",
  operands: "text",
  long: "all-namespaces watch watch-only namespace~ selector~ output= field-selector~ sort-by~ show-labels no-headers ignore-not-found show-kind label-columns~",
};

const KUBECTL: ProgramSpec = {
  texts: "n",
  same: { n: "namespace", f: "filename", l: "selector" },
  long: "namespace~ help",
  commands: {
    get: KUBE_GET,
    describe: KUBE_GET,
    logs: {
      flags: "fp",
      texts: "cln",
      operands: "text",
      long: "follow previous container~ selector~ tail~ since~ since-time~ timestamps all-containers prefix",
    },
    top: { flags: "A", texts: "ln", operands: "text", long: "all-namespaces selector~ containers sort-by~ no-headers" },
    explain: { operands: "text", long: "recursive api-version~" },
    version: { texts: "o", long: "output~ client" },
    "cluster-info": { asks: /^dump$/ },
    "api-resources": { texts: "o", long: "namespaced? output~ verbs~ api-group~" },
    "api-versions": {},
    events: { flags: "Aw", texts: "n" },
    apply: { files: "f", long: "filename= dry-run? server-side wait" },
    create: { files: "f", long: "filename= dry-run?" },
    delete: { files: "f", texts: "n", operands: "text", long: "filename= dry-run? ignore-not-found wait? timeout~" },
    rollout: { operands: "text", texts: "n", long: "timeout~ watch?" },
    scale: { operands: "text", long: "replicas~ timeout~" },
    exec: { flags: "it", texts: "c", long: "stdin tty container~", rest: "anything" },
    diff: { files: "f", long: "filename=" },
  },
};

const GH_VIEW: ProgramSpec = {
  flags: "c",
  texts: "LsqtSAlBHbajT",
  operands: "text",
  long: "limit~ state~ json~ jq~ template~ search~ author~ assignee~ label~ base~ head~ title~ body~ draft fill comments log log-failed verbose exit-status watch name-only patch job~ branch~ workflow~ status~ user~ event~ commit~ required interval~ milestone~ reviewer~",
};

export const SYSTEMS: Readonly<Record<string, ProgramSpec>> = {
  docker: CONTAINERS,
  podman: CONTAINERS,
  nerdctl: CONTAINERS,
  "docker-compose": COMPOSE,
  kubectl: KUBECTL,
  helm: {
    texts: "n",
    long: "namespace~ help",
    commands: Object.fromEntries(
      "list ls status history get version show search lint"
        .split(" ")
        .map((name) => [
          name,
          { flags: "Aaq", texts: "onl", long: "all all-namespaces output~ short selector~ max~ revision~ strict" },
        ]),
    ),
  },
  terraform: {
    single:
      "no-color json compact-warnings input? lock? lock-timeout? refresh? detailed-exitcode parallelism? recursive check diff list? help version",
    commands: Object.fromEntries(
      "plan validate fmt show output version providers graph init state workspace"
        .split(" ")
        .map((name) => [name, { asks: /^(rm|mv|push|replace-provider|delete|mirror)$/ }]),
    ),
  },
  gh: {
    long: "version help",
    commands: {
      ...Object.fromEntries(
        "pr issue run release workflow search label status cache ruleset project".split(" ").map((name) => [
          name,
          {
            ...GH_VIEW,
            // An address names another repository, as `-R` does.
            asks: /^(delete|merge|close|lock|transfer|disable|cancel|checkout|download|upload|develop)$|:\/\//,
          },
        ]),
      ),
      repo: { ...GH_VIEW, asks: /^(delete|clone|fork|create|rename|archive|edit|sync|deploy-key|set-default)$/ },
      api: { texts: "q", operands: "text", long: "jq~ paginate silent slurp" },
      auth: { asks: /^(login|logout|token|refresh|setup-git|switch)$/ },
      browse: { operands: "none" },
      alias: { operands: "none" },
      extension: { operands: "none" },
      secret: { operands: "none" },
      config: { asks: /^set$/ },
    },
  },
  aws: {
    operands: "text",
    long: "output~ query~ no-cli-pager no-paginate max-items~ page-size~ color~",
    asks: /^(configure|file:|fileb:)/,
  },
  gcloud: { operands: "text", long: "format~ filter~ limit~ quiet", asks: /^(config|auth|ssh|scp)$/ },
  curl: {
    flags: "sSLfvIiGg46#",
    texts: "XAemu",
    files: "HdFTwb",
    operands: "text",
    remote: true,
    same: { X: "request", d: "data", u: "user", H: "header" },
    // Other protocols speak to any service; curl guesses them from a name, too.
    asks: /^(?!https?:)[a-z][\w+.-]*:\/\/|^(ftp|dict|ldap|imap|smtp|pop3)\./i,
    // `-w '%output{file}'` writes a file.
    says: /%output\{|^(?!https?:)[a-z][\w+.-]*:\/\//i,
    long: "silent show-error location fail fail-with-body verbose head include get request~ header= user-agent~ referer~ max-time~ connect-timeout~ retry~ retry-delay~ retry-all-errors user~ data= data-raw~ data-binary= data-urlencode= json= form= form-string~ upload-file= write-out= compressed http1.1 http2 ipv4 ipv6 globoff no-progress-meter progress-bar url= version help",
  },
  wget: {
    remote: true,
    // The file is named as in the address.
    asks: /(^|\/)(\.[^/?#]*|(AGENTS|CLAUDE|CLAUDE\.local)\.md|HEAD|sallyport\.ya?ml)([?#].*)?$/i,
    flags: "qvS46d",
    texts: "tTw",
    long: "quiet verbose no-verbose spider server-response tries~ timeout~ wait~ max-redirect~ no-check-certificate-off version",
  },
  http: { flags: "v", operands: "text", long: "verbose body headers pretty~ follow timeout~", asks: /@|=@|:=@/ },
  ssh: { ...WRAPS, flags: "46qTtvC", texts: "pl" },
  scp: { writes: true, flags: "pqCv346", texts: "Pl" },
  sftp: CLOSED,
  // A patch names the files that it changes.
  patch: { ...CLOSED, script: true },
  rsync: {
    writes: true,
    flags: "avrzhnPuiqltopgcx",
    long: "archive verbose recursive compress dry-run progress human-readable itemize-changes stats exclude~ include~ partial checksum update times perms links size-only ignore-existing existing max-size~ min-size~ bwlimit~ info~",
  },
  ping: { flags: "4q6n", texts: "ciWwst", operands: "text" },
  dig: { flags: "46mruvhi", texts: "xtqcpb", operands: "text", asks: /^(@|\+tls-|\+https)/ },
  host: { flags: "av", texts: "t", operands: "text" },
  nslookup: { single: "type?", operands: "text" },
  // Programs that run what they are given: the inner command is judged on its own.
  sh: SHELL,
  bash: SHELL,
  dash: SHELL,
  zsh: SHELL,
  ksh: SHELL,
  env: { ...WRAPS, flags: "i0", texts: "u", long: "ignore-environment null unset~", asks: /=/ },
  xargs: {
    ...WRAPS,
    flags: "0rtxp",
    texts: "nLIPsdE",
    long: "null no-run-if-empty verbose interactive exit max-args~ max-lines? max-procs~ max-chars~ delimiter~",
  },
  timeout: { ...WRAPS, flags: "v", texts: "ks", long: "kill-after~ signal~ foreground preserve-status verbose" },
  nice: { ...WRAPS, texts: "n", numbers: true, long: "adjustment~" },
  ionice: { ...WRAPS, flags: "t", texts: "cn" },
  nohup: WRAPS,
  stdbuf: { ...WRAPS, texts: "ioe", long: "input~ output~ error~" },
  time: { ...WRAPS, flags: "pvq", texts: "f", long: "portability verbose quiet format~" },
  command: { ...WRAPS, flags: "vVp" },
  setsid: { ...WRAPS, flags: "cfw" },
  watch: { ...WRAPS, flags: "bcdegtpwx", texts: "n", long: "interval~ differences color errexit no-title exec" },
  sudo: { ...WRAPS, flags: "nkS" },
  doas: { ...WRAPS, flags: "n" },
  kill: { any: true, operands: "text" },
  pkill: { flags: "fxno", texts: "", numbers: true, operands: "text", long: "full exact newest oldest signal~" },
  ...Object.fromEntries(
    "sqlite3 psql mysql mariadb mongosh mongo redis-cli osascript gdb lldb expect tclsh wish m4 dc bc ed nc ncat netcat socat crontab at batch systemctl launchctl service dd eval exec source . trap alias bind enable hash set shopt export declare typeset local readonly unset read mapfile let fc ulimit umask mount umount iptables nft openssl gpg ssh-keygen ssh-add tmux screen vi vim nvim nano emacs ex view script strace ltrace perf valgrind rlwrap parallel entr git-lfs svn hg chroot unshare nsenter su runuser pkexec busybox toybox Rscript R julia convert magick bwrap firejail"
      .split(" ")
      .map((name) => [name, CLOSED]),
  ),
};
