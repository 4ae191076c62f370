import { setOf } from "./lists.ts";
import type { ShellAssignment } from "./reading.ts";

/** Variables that decide which programs run, or what they do, behind the line's back. */
const DANGEROUS = setOf(
  "PATH IFS ENV BASH_ENV SHELLOPTS BASHOPTS PROMPT_COMMAND PS0 PS1 PS2 PS3 PS4 CDPATH GLOBIGNORE FPATH ZDOTDIR INPUTRC HISTFILE",
  "BASH_XTRACEFD BASH_LOADABLES_PATH BASH_CMDS BASH_ALIASES FIGNORE EXECIGNORE TMOUT MAIL MAILPATH",
  "SHELL HOME PAGER MANPAGER EDITOR VISUAL FCEDIT BROWSER LESS LESSOPEN LESSCLOSE LESSKEY MANPATH XDG_CONFIG_HOME XDG_DATA_HOME",
  "XDG_CONFIG_DIRS NODE_OPTIONS NODE_PATH NODE_REPL_EXTERNAL_MODULE NODE_EXTRA_CA_CERTS NODE_TLS_REJECT_UNAUTHORIZED",
  "PYTHONPATH PYTHONHOME PYTHONSTARTUP PYTHONINSPECT PYTHONBREAKPOINT PYTHONUSERBASE PERL5LIB PERL5OPT PERL5DB PERLLIB RUBYLIB RUBYOPT",
  "CLASSPATH JAVA_HOME JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS LUA_PATH LUA_CPATH LUA_INIT PHPRC PHP_INI_SCAN_DIR",
  "GCONV_PATH LOCPATH NLSPATH HOSTALIASES RESOLV_HOST_CONF TERMINFO TERMCAP TZDIR MALLOC_CHECK_ GLIBC_TUNABLES",
  "SSH_ASKPASS SSH_AUTH_SOCK SUDO_ASKPASS SUDO_EDITOR DISPLAY CVS_RSH RSYNC_RSH KUBECONFIG KUBE_EDITOR DOCKER_HOST DOCKER_CONFIG",
  "MAKEFLAGS MFLAGS MAKEFILES CC CXX LD AR AS CFLAGS LDFLAGS RUSTC RUSTC_WRAPPER CARGO_HOME GOPATH GOROOT GOFLAGS GEM_HOME GEM_PATH",
  "HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY http_proxy https_proxy all_proxy no_proxy CURL_HOME WGETRC OPENSSL_CONF SSL_CERT_FILE",
  "TAR_OPTIONS GREP_OPTIONS GZIP BZIP2 XZ_OPT ZIPOPT UNZIP POSIXLY_CORRECT COLUMN_OPTIONS PROMPT_DIRTRIM",
);
const FAMILIES =
  /^(LD_|DYLD_|_RLD|BASH_FUNC_|GIT_|npm_config_|npm_package_|npm_lifecycle_|YARN_|PNPM_|CARGO_|COMP_|READLINE_|SYSTEMD_|ANTHROPIC_|OPENAI_|SALLYPORT_)/i;
const SUFFIXES = /(^|_)(OPTIONS|OPTS|FLAGS|PRELOAD|WRAPPER|EDITOR|PAGER|RSH|ASKPASS|STARTUP)$/;

/** git's variables that only say who and when, and how little to do. */
const HARMLESS_GIT =
  /^GIT_((AUTHOR|COMMITTER)_(NAME|EMAIL|DATE)|TERMINAL_PROMPT|OPTIONAL_LOCKS|MERGE_AUTOEDIT|ADVICE|PAGER_IN_USE)$/;
/** Programs that do nothing with what they are given: the usual way to switch a pager or an editor off. */
const SWITCHES_OFF = /^(|cat|true|:|false|\/bin\/cat|\/bin\/true|\/usr\/bin\/cat|\/usr\/bin\/true)$/;
const MAY_BE_OFF = /(PAGER|EDITOR|VISUAL|BROWSER|ASKPASS)$/;

/** Why an assignment is dangerous; undefined when it is plain. */
export function dangerousAssignment({ name, values }: Pick<ShellAssignment, "name" | "values">): string | undefined {
  if (!DANGEROUS.has(name) && !FAMILIES.test(name) && !SUFFIXES.test(name)) return undefined;
  if (HARMLESS_GIT.test(name)) return undefined;
  const off = values.length > 0 && values.every((value) => value.fixed && SWITCHES_OFF.test(value.value));
  if (MAY_BE_OFF.test(name) && off) return undefined;
  return `setting ${name} changes which programs run or what they do`;
}
