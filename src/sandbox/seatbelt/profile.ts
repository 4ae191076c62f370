import { Failure } from "../../protocol/index.ts";

/** What programs may touch. All paths are absolute and real. */
export interface SeatbeltView {
  readonly readable: readonly string[];
  readonly writable: readonly string[];
  /** Closed, wherever they are, except for what is readable or writable below them. */
  readonly hidden: readonly string[];
  /** Sockets that they may connect to. */
  readonly sockets: readonly string[];
  /** Ports of the loopback that they may connect to. */
  readonly ports: readonly number[];
}

/** Where macOS has its programs, libraries and settings. None of it is a person's. */
const SYSTEM = [
  "/usr",
  "/bin",
  "/sbin",
  "/System",
  "/Library/Apple",
  "/Library/Developer/CommandLineTools",
  "/Library/Frameworks",
  "/opt/homebrew",
  "/private/etc/ssl",
  "/private/etc/hosts",
  "/private/etc/passwd",
  "/private/etc/protocols",
  "/private/etc/services",
  "/private/var/db/timezone",
  "/private/var/db/dyld",
] as const;

const DEVICES = ["/dev/null", "/dev/zero", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/dtracehelper"] as const;

/** Services of the system without which no program starts or learns the time. None of them acts for a program outside. */
const SERVICES = [
  "com.apple.system.notification_center",
  "com.apple.system.opendirectoryd.libinfo",
  "com.apple.system.logger",
  "com.apple.trustd.agent",
] as const;

/** The profile that `sandbox-exec` takes. What it does not name is denied; of two rules for one path the later counts. */
export function seatbeltProfile({ readable, writable, hidden, sockets, ports }: SeatbeltView): string {
  const below = (paths: readonly string[]): string => paths.map((path) => `(subpath ${quoted(path)})`).join(" ");
  const exactly = (paths: readonly string[]): string => paths.map((path) => `(literal ${quoted(path)})`).join(" ");
  const rule = (operation: string, filters: string): readonly string[] =>
    filters === "" ? [] : [`(${operation} ${filters})`];
  return [
    "(version 1)",
    "(deny default)",
    "(allow process-fork)",
    "(allow process-exec)",
    "(allow signal (target same-sandbox))",
    "(allow process-info* (target same-sandbox))",
    "(allow sysctl-read)",
    ...rule("allow mach-lookup", SERVICES.map((name) => `(global-name ${quoted(name)})`).join(" ")),
    // The names of folders on the way, not what is in them.
    "(allow file-read-metadata)",
    ...rule("allow file-read*", `(literal "/") ${below(SYSTEM)}`),
    ...rule("allow file-read* file-write-data file-ioctl", exactly(DEVICES)),
    ...outermostFirst([
      ...hidden.map((path) => ({ path, rules: ["deny file-read* file-write*"] })),
      ...readable.map((path) => ({ path, rules: ["allow file-read*", "deny file-write*"] })),
      ...writable.map((path) => ({ path, rules: ["allow file-read* file-write*"] })),
    ]),
    // They would lend the server's user to anybody outside.
    "(deny file-write-setugid)",
    ...rule(
      "allow network-outbound",
      [
        ...sockets.map((path) => `(remote unix-socket (path-literal ${quoted(path)}))`),
        ...ports.map((port) => `(remote ip ${quoted(`localhost:${port}`)})`),
      ].join(" "),
    ),
    "",
  ].join("\n");
}

interface PathRules {
  readonly path: string;
  readonly rules: readonly string[];
}

/** So that what is said of a folder counts more than what is said of those around it. */
function outermostFirst(all: readonly PathRules[]): readonly string[] {
  const depth = ({ path }: PathRules): number => path.split("/").length;
  return all
    .toSorted((one, other) => depth(one) - depth(other))
    .flatMap(({ path, rules }) => rules.map((rule) => `(${rule} (subpath ${quoted(path)}))`));
}

/** A text of the profile's language. One with a character that it has no way to write would end the text early, or not at all. */
function quoted(text: string): string {
  // oxlint-disable-next-line no-control-regex
  if (/[\u0000-\u001F\u007F]/.test(text))
    throw new Failure(
      "unsupported",
      `a path with control characters cannot be shown in this sandbox: ${JSON.stringify(text)}`,
    );
  return `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}
