import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bubblewrapDriver, sweepSandboxFolders } from "../../../src/sandbox/index.ts";
import { isFullRun, sample } from "../../support/sample.ts";
import { IMAGE, importImage, removeImage } from "../../support/sandbox-image.ts";
import { describeWithWalls } from "../../support/walls.ts";
import { CONTROL, DRIVERS, hasOwnKernel } from "./drivers.mjs";
import { leftIn } from "./faults.mjs";
import { escapesIn, linesOf, runAttacks, startAttacks, USERS, type AttackReport, type ServerUser } from "./run.ts";

const GROUPS = ["keys", "egress", "files", "calls"];
/** Of the faults, those that take no more than a second. */
const QUICK_FAULTS = [
  "process 1 is killed",
  "the helper is killed",
  "the helper's debugger",
  "forged reports",
  "a fork bomb that leaves nothing to know it by",
  "memory: System V",
  "memory: memfd",
  "memory: /dev",
];
const ROOTS = new Set(["crun", "runc", "gvisor"]);
const NOTHING = { heard: [], written: [], setuid: [] };
/** What every day's run tries in a container; the rest is tried in `npm run soak`. */
const SAMPLE = { groups: ["keys", "files", "calls"], faults: ["the helper is killed", "forged reports"] };

/** Without an engine and an image, containers are for root alone. */
const PLACES = Object.keys(DRIVERS)
  .filter((driver) => isFullRun || driver === "bubblewrap" || driver === "crun")
  .flatMap((driver) =>
    USERS.filter((user) => !ROOTS.has(driver) || user === "root").map((user) => [driver, user] as const),
  );

/** The table for bench/RESULTS.md. */
function tell(driver: string, user: ServerUser, { rows, strays, left, peakMiB }: AttackReport): void {
  if (!isFullRun) return;
  const escaped = rows.filter((row) => row.escaped).length;
  console.log(
    `red team: ${driver} (${user}): ${rows.length} attacks, ${escaped} escaped, ${left} of ${strays} processes left, ${peakMiB} MiB`,
  );
  for (const row of rows) console.log(`  ${row.escaped ? "ESCAPED" : "held   "} ${row.attack} ${row.detail}`);
}

describeWithWalls("attacks from inside a sandbox", () => {
  const base = mkdtempSync(join(tmpdir(), "redteam-image-"));
  beforeAll(() => {
    if (isFullRun) importImage(base);
  });
  afterAll(() => {
    if (isFullRun) removeImage();
    rmSync(base, { recursive: true });
  });

  it.each(PLACES)(
    "%s holds all of them, the server being %s",
    async (driver, user) => {
      const quick = driver === "bubblewrap" ? { groups: GROUPS, faults: QUICK_FAULTS } : SAMPLE;
      const tried = isFullRun ? { groups: GROUPS, faults: ["all"] } : quick;
      const report = await runAttacks(user, { driver, image: IMAGE, ...tried });
      if (report.missing !== undefined) {
        console.log(`red team: ${driver} (${user}) is left out: ${report.missing}`);
        return;
      }
      tell(driver, user, report);
      expect(escapesIn(report.rows)).toEqual([]);
      expect(report.rows.length).toBeGreaterThan(tried.groups.length === GROUPS.length ? 80 : 50);
      expect(report.traces).toEqual(NOTHING);
      // They were there, and are not any more.
      expect(report.strays).toBeGreaterThan(4);
      expect(report.left).toBe(0);
      expect(report.peakMiB).toBeLessThan(300);
    },
    isFullRun ? 1_800_000 : undefined,
  );

  // Those of another kernel are not seen from outside; test/sandbox/containers.test.ts kills gVisor's server.
  const visible = PLACES.filter(([driver]) => !hasOwnKernel(driver) && (isFullRun || driver !== "crun"));
  it.each(visible)("%s leaves no process and no mount when the server is killed, being %s", async (driver, user) => {
    const server = startAttacks(user, { driver, image: IMAGE, hold: true });
    let workspace = "";
    for await (const line of linesOf(server)) {
      const said = JSON.parse(line) as Record<string, unknown>;
      if (typeof said["workspace"] === "string") workspace = said["workspace"];
      if ("missing" in said) return;
      if ("strays" in said) break;
    }
    expect(leftIn(workspace).length).toBeGreaterThan(4);
    server.kill("SIGKILL");
    await expect.poll(() => leftIn(workspace)).toEqual([]);
    const marker = `${server.pid}redteam`;
    expect(readFileSync("/proc/self/mountinfo", "utf8")).not.toContain(marker);
    await sweepSandboxFolders(marker);
    // Its control group is empty, and the next start of the same home deletes it.
    const next = bubblewrapDriver({ marker: `rt${server.pid}` });
    const hadGroup = driver === "bubblewrap" && user === "root" && next.capabilities.limitsProcessorTime;
    expect(await next.sweep()).toBe(hadGroup ? 1 : 0);
    expect(readdirSync(tmpdir()).filter((name) => name.includes(marker))).toEqual([]);
    rmSync(dirname(workspace), { recursive: true });
  });

  it.each(sample(USERS, 1))("the same attacks succeed where there is no wall, the server being %s", async (user) => {
    const report = await runAttacks(user, { driver: CONTROL, groups: GROUPS });
    tell(CONTROL, user, report);
    const succeeded = new Set(report.rows.filter(({ escaped }) => escaped).map(({ attack }) => attack));
    const wanted = [...CAUGHT, ...(user === "root" ? CAUGHT_AS_ROOT : [])];
    expect(wanted.filter((attack) => !succeeded.has(attack))).toEqual([]);
    expect(report.traces?.heard).toEqual(expect.arrayContaining(["TCP", "a unix socket", "from-inside"]));
    expect(report.traces?.written.length).toBeGreaterThan(2);
    expect(report.traces?.setuid.length).toBeGreaterThan(2);
  });
});

/** `@anthropic-ai/sandbox-runtime`, by the path of its command. It is no dependency: who has it can see what it lets pass. */
const SANDBOX_RUNTIME = process.env["SALLYPORT_SANDBOX_RUNTIME"];

describe.skipIf(!isFullRun || SANDBOX_RUNTIME === undefined)("another sandbox", () => {
  it.each(USERS)("lets some of them pass, the server being %s", async (user) => {
    const report = await runAttacks(user, { driver: "sandbox-runtime", program: SANDBOX_RUNTIME, groups: GROUPS });
    const escapes = escapesIn(report.rows);
    console.log(`red team: sandbox-runtime (${user}): ${escapes.length} of ${report.rows.length} not held`);
    expect(escapes.length).toBeGreaterThan(10);
  });
});

/** What these attacks find without a wall, whoever the server is. */
const CAUGHT = [
  "secrets by their paths",
  "secrets through /proc/self/root and links",
  "names of what is secret",
  "the server's folders in /proc",
  "the memory of the server",
  "sockets of the machine in /proc/net/unix",
  "TCP to the loopback",
  "TCP over IPv6",
  "IPv4 in IPv6",
  "UDP",
  "UDP over IPv6",
  "names by a server of its own",
  "bash's own sockets",
  "a unix socket by its path",
  "write beside the workspace",
  "write through a link",
  "write through /proc/self",
  "a hard link to a file outside",
  "rename of the workspace and the folders above it",
  "devices",
  "a file that runs as its owner",
];
const CAUGHT_AS_ROOT = [
  "passwords of the system",
  "TCP to addresses of the machine",
  "interfaces and routes",
  "write where the system lives",
  "settings of the kernel",
];
