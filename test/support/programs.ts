import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { vendorProgram } from "./vendor-programs.ts";

/** The one without a window first: it needs a third of the time of the others. */
const BROWSERS = [
  "/usr/bin/chromium-headless-shell",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
] as const;
/** Whether it has no window system at all: then it shows no notifications either. */
const BARE = /headless-shell$/;
const POSTGRES = "/usr/lib/postgresql";

/** Where a browser is; absent: this machine has none. */
export const browserPath: string | undefined =
  process.env["SALLYPORT_CHROMIUM"] ?? BROWSERS.find((path) => existsSync(path));

/** A browser that can show notifications; absent: this machine has none. */
export const wholeBrowserPath: string | undefined = [process.env["SALLYPORT_CHROMIUM"], ...BROWSERS].find(
  (path) => path !== undefined && !BARE.test(path) && existsSync(path),
);

/** Debian's folder of the newest PostgreSQL that is installed; undefined: none is. */
export function postgresPrograms(): string | undefined {
  if (!existsSync(POSTGRES)) return undefined;
  const versions = readdirSync(POSTGRES).toSorted((one, other) => Number(other) - Number(one));
  return versions.map((version) => join(POSTGRES, version, "bin")).find((folder) => existsSync(join(folder, "initdb")));
}

/** Whether the tests that mount for real can run. */
export const canUseFuse = existsSync("/dev/fuse") && process.getuid?.() === 0;

/** Whether a program can be run. */
export function has(program: string): boolean {
  return spawnSync(program, ["--version"]).error === undefined;
}

/** What some tests need, and the command that brings it. */
export const NEEDED: readonly { readonly what: string; readonly command: string; readonly isThere: () => boolean }[] = [
  {
    what: "Chromium",
    command: "apt-get install chromium-headless-shell",
    isThere: () => browserPath !== undefined,
  },
  {
    what: "Chromium with notifications",
    command: "apt-get install chromium",
    isThere: () => wholeBrowserPath !== undefined,
  },
  { what: "PostgreSQL", command: "apt-get install postgresql", isThere: () => postgresPrograms() !== undefined },
  {
    what: "/dev/fuse, as root",
    command: "docker run --device /dev/fuse --cap-add SYS_ADMIN",
    isThere: () => canUseFuse,
  },
  { what: "bubblewrap", command: "apt-get install bubblewrap", isThere: () => has("bwrap") },
  { what: "crun", command: "apt-get install crun", isThere: () => has("crun") },
  { what: "runc", command: "apt-get install runc", isThere: () => has("runc") },
  { what: "gVisor", command: "apt-get install runsc", isThere: () => has("runsc") },
  { what: "Podman", command: "apt-get install podman", isThere: () => has("podman") },
  {
    what: "OpenCode",
    command: "node scripts/programs.mjs opencode",
    isThere: () => vendorProgram("opencode") !== undefined,
  },
  { what: "promtool", command: "apt-get install prometheus", isThere: () => has("promtool") },
  { what: "script", command: "apt-get install bsdutils", isThere: () => has("script") },
  {
    what: "Codex",
    command: "node scripts/programs.mjs codex",
    isThere: () => vendorProgram("codex") !== undefined,
  },
  {
    what: "Qwen Code",
    command: "node scripts/programs.mjs qwen",
    isThere: () => vendorProgram("qwen") !== undefined,
  },
  {
    what: "Claude Code by ACP",
    command: "node scripts/programs.mjs claude-agent-acp",
    isThere: () => vendorProgram("claude-agent-acp") !== undefined,
  },
  { what: "rsync", command: "apt-get install rsync", isThere: () => has("rsync") },
  { what: "tar", command: "apt-get install tar", isThere: () => has("tar") },
  { what: "python3", command: "apt-get install python3", isThere: () => has("python3") },
];
