import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { bubblewrapDriver } from "../../src/sandbox/bubblewrap/driver.ts";
import { ControlGroups } from "../../src/sandbox/control-groups.ts";
import { runIn, SandboxPlace } from "../support/sandbox-place.ts";

/** Each test has one of its own: a group may still be entered when its test is over. */
let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "groups-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** A folder with the files of a control group of the newer kind. */
function groupAt(path: string, files: Readonly<Record<string, string>> = {}): string {
  const folder = join(root, "fs", path);
  mkdirSync(folder, { recursive: true });
  const all = { "cgroup.controllers": "cpuset cpu io memory pids", "cgroup.procs": "", "cgroup.subtree_control": "" };
  for (const [name, text] of Object.entries({ ...all, ...files })) writeFileSync(join(folder, name), text);
  return folder;
}

/** What /proc/self says of a process in this group. */
function machine(own: string, isRoot: boolean) {
  const self = join(root, "self");
  mkdirSync(self);
  writeFileSync(join(self, "cgroup"), `0::${own}\n`);
  writeFileSync(join(self, "mountinfo"), `30 24 0:27 / ${join(root, "fs")} rw,nosuid - cgroup2 cgroup2 rw\n`);
  return { self, isRoot };
}

const child = { "cgroup.type": "domain\n" };

describe("control groups of the newer kind", () => {
  it("are made below the machine's first group, with their limits", () => {
    const folder = groupAt("/");
    const groups = ControlGroups.find("box-", machine("/", true));
    const group = groups?.make("1", { memoryBytes: 1_000_000, cpus: 1.5 });
    const words = group?.admit(100).words;
    const written = (name: string): string => readFileSync(join(folder, "box-1", name), "utf8");
    expect({
      above: readFileSync(join(folder, "cgroup.subtree_control"), "utf8"),
      memory: written("memory.max"),
      time: written("cpu.max"),
      below: written("cgroup.subtree_control"),
      processes: written("p1/pids.max"),
      entered: words?.slice(4),
    }).toEqual({
      above: "+memory +cpu +pids",
      memory: "1000000",
      time: "150000 100000",
      below: "+pids",
      processes: "108",
      entered: ["1", join(folder, "box-1/p1/cgroup.procs")],
    });
  });

  it("the server enters its own group again when a program is expected, and no other", async () => {
    const folder = groupAt("/");
    const unit = groupAt("/unit/sallyport-server", { ...child, "cgroup.procs": "" });
    groupAt("/unit", child);
    const group = ControlGroups.find("box-", machine("/unit/sallyport-server", true))?.make("1", { memoryBytes: 1 });
    const entered = (): string => readFileSync(join(unit, "cgroup.procs"), "utf8");
    await expect.poll(entered).toBe(String(process.pid));
    // Where it is not to be seen, nothing is written.
    writeFileSync(join(root, "self", "cgroup"), "0::/elsewhere\n");
    group?.expectProgram();
    expect(readFileSync(join(folder, "cgroup.procs"), "utf8")).toBe("");
    expect(existsSync(join(folder, "elsewhere"))).toBe(false);
  });

  it("the kernel's count of what it ended is read", () => {
    const folder = groupAt("/");
    const group = ControlGroups.find("box-", machine("/", true))?.make("1", { memoryBytes: 1 });
    expect(group?.killedForMemory).toBe(0);
    writeFileSync(join(folder, "box-1/memory.events"), "low 0\noom 3\noom_kill 2\noom_group_kill 0\n");
    expect(group?.killedForMemory).toBe(2);
  });

  it("a group that was given to the server alone: it makes room in it", () => {
    const unit = groupAt("/system.slice/sallyport.service", { ...child, "cgroup.procs": `${process.pid}\n` });
    expect(ControlGroups.find("box-", machine("/system.slice/sallyport.service", true))).toBeDefined();
    expect(readFileSync(join(unit, "sallyport-server/cgroup.procs"), "utf8")).toBe(String(process.pid));
  });

  it("a server that was put below the group it was given makes its own beside itself", () => {
    const unit = groupAt("/unit", child);
    groupAt("/unit/sallyport-server", { ...child, "cgroup.procs": `${process.pid}\n` });
    ControlGroups.find("box-", machine("/unit/sallyport-server", true))?.make("1", { memoryBytes: 1 });
    expect(existsSync(join(unit, "box-1/memory.max"))).toBe(true);
  });

  it.each([
    ["others' processes are in it", { ...child, "cgroup.procs": "1\n" }],
    ["a controller is missing", { ...child, "cgroup.controllers": "cpu pids" }],
  ])("none where %s, and nothing is changed", (_, files) => {
    const folder = groupAt("/scope", files);
    const before = readdirSync(folder);
    expect(ControlGroups.find("box-", machine("/scope", false))).toBeUndefined();
    expect(readdirSync(folder)).toEqual(before);
  });
});

const driver = bubblewrapDriver();
const isHere = (await driver.missing()) === undefined && driver.capabilities.limitsProcessorTime;

describe.skipIf(!isHere)("control groups of bubblewrap on this machine", () => {
  const prefix = `bwrap-of-${process.pid}`.slice(0, 18);

  it("are entered before anything of a program runs, and the server stays where it is", async () => {
    const before = readFileSync("/proc/self/cgroup", "latin1");
    await using place = new SandboxPlace(driver, SandboxPlace.folder());
    const sandbox = await place.open({ memoryBytes: 268_435_456 });
    const program = await sandbox.open({ argv: ["/bin/sh", "-c", "exec sleep 1000"], cwd: place.workspace });
    // Of all that was started for it, the first of its namespace included, nothing is in the server's groups.
    const groupsOf = (pid: number): string => readFileSync(`/proc/${pid}/cgroup`, "latin1");
    const below = (pid: number): readonly number[] => {
      const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "latin1")
        .split(" ")
        .filter((word) => word !== "");
      return [pid, ...children.flatMap((child) => below(Number(child)))];
    };
    const all = below(program.pid);
    expect(all.length).toBeGreaterThan(2);
    for (const pid of all) expect(groupsOf(pid)).toContain(prefix);
    expect(readFileSync("/proc/self/cgroup", "latin1")).toBe(before);
    await program.kill({ graceMs: 0 });
  });

  it.skipIf(!existsSync("/sys/fs/cgroup/cpu/sallyport"))(
    "of the older kind count processor time where it is bounded, and only there",
    async () => {
      for (const cpus of [undefined, 1]) {
        await using place = new SandboxPlace(driver, SandboxPlace.folder());
        const sandbox = await place.open(cpus === undefined ? {} : { cpus });
        const program = await sandbox.open({ argv: ["/bin/sleep", "1000"], cwd: place.workspace });
        const lines = readFileSync(`/proc/${program.pid}/cgroup`, "latin1").split("\n");
        const isIn = (controller: string): boolean => {
          const line = lines.find((one) => (one.split(":")[1] ?? "").split(",").includes(controller)) ?? "";
          return line.includes(prefix);
        };
        expect({ memory: isIn("memory"), pids: isIn("pids"), cpu: isIn("cpu") }).toEqual({
          memory: true,
          pids: true,
          cpu: cpus !== undefined,
        });
        await program.kill({ graceMs: 0 });
      }
    },
  );

  it("hold all programs of a sandbox to one limit, say so, and go with it", async () => {
    const place = new SandboxPlace(driver, SandboxPlace.folder());
    const sandbox = await place.open({ memoryBytes: 268_435_456 });
    // Each is below the limit. Together they are not.
    const hog = `const kept = Buffer.alloc(150 * 1048576, 1); console.log("all"); process.stdin.on("end", () => kept).resume()`;
    const first = await sandbox.open({ argv: [process.execPath, "-e", hog], cwd: place.workspace });
    await new Promise((resolve) => void first.stdout.once("data", resolve));
    const reasons = Promise.race([first.exit, runReason(sandbox, hog, place.workspace)]);
    expect((await reasons).reason).toBe("everything in its sandbox together used more than 256 MiB of memory");
    expect((await runIn(sandbox, "echo on", place.workspace)).stdout).toBe("on\n");
    expect(left(prefix)).toHaveLength(1);
    await place[Symbol.asyncDispose]();
    expect(left(prefix)).toEqual([]);
  });

  it("what a dead server left is deleted, and what others have is not", async () => {
    const [mine, others] = [`bwrap-dead${process.pid}-`, `bwrap-live${process.pid}-`];
    const groups = ControlGroups.find(mine);
    groups?.make("1", { memoryBytes: 1_048_576 }).admit(10);
    const other = ControlGroups.find(others)?.make("1", { memoryBytes: 1_048_576 });
    expect(await groups?.sweep()).toBe(1);
    expect({ mine: left(mine), others: left(others).length }).toEqual({ mine: [], others: 1 });
    await other?.remove();
    expect(left(others)).toEqual([]);
  });

  it("a bound for processor time that cannot be held is refused", async () => {
    const place = new SandboxPlace(bubblewrapDriver({ controlGroups: false }), SandboxPlace.folder());
    const refused = await place.open({ cpus: 1 }).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: "unsupported" });
    await place[Symbol.asyncDispose]();
  });
});

type OpenSandbox = Awaited<ReturnType<SandboxPlace["open"]>>;

async function runReason(sandbox: OpenSandbox, program: string, cwd: string): Promise<{ reason?: string | undefined }> {
  const running = await sandbox.spawn({ argv: [process.execPath, "-e", program], cwd, onOutput: () => undefined });
  return running.exit;
}

/** Names of groups that begin so, wherever this machine has them. */
function left(start: string): readonly string[] {
  const folders = ["/sys/fs/cgroup", "/sys/fs/cgroup/memory/sallyport", "/sys/fs/cgroup/pids/sallyport"];
  const names = folders.flatMap((folder) => (existsSync(folder) ? readdirSync(folder) : []));
  return [...new Set(names.filter((name) => name.startsWith(start)))];
}
