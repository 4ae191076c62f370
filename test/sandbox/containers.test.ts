import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { engineArguments } from "../../src/sandbox/container/engine-runner.ts";
import {
  containerDriver,
  containerDrivers,
  gvisorDriver,
  type ContainerOptions,
} from "../../src/sandbox/container/drivers.ts";
import { containerMounts, firstProcess } from "../../src/sandbox/container/plan.ts";
import { removeFolder } from "../../src/sandbox/remove-folder.ts";
import { IMAGE, importImage, removeImage } from "../support/sandbox-image.ts";
import { runIn, SandboxPlace } from "../support/sandbox-place.ts";
import { until } from "../support/until.ts";

let place: SandboxPlace;
beforeEach(() => {
  const base = SandboxPlace.folder();
  place = new SandboxPlace(containerDriver({ folder: join(base, "c") }), base);
});
afterEach(() => place[Symbol.asyncDispose]());

/** Every driver that the machine has, with the name of what makes it. */
const MADE: readonly (readonly [string, "containerDriver" | "gvisorDriver", Partial<ContainerOptions>])[] = [
  ["crun", "containerDriver", { runtime: "crun" }],
  ["runc", "containerDriver", { runtime: "runc" }],
  ["runsc", "gvisorDriver", {}],
];

async function missing(index: number): Promise<boolean> {
  const [, made, options] = MADE[index] ?? ["", "containerDriver", {}];
  const base = SandboxPlace.folder();
  const driver = made === "gvisorDriver" ? gvisorDriver : containerDriver;
  const state = await driver({ ...options, folder: join(base, "c") }).missing();
  await removeFolder(base);
  return state !== undefined;
}

for (const [index, [name, made, given]] of MADE.entries())
  describe.skipIf(await missing(index))(`${name} without its server`, () => {
    it("ends with a server that is killed, and the next one deletes what is left", async () => {
      const time = place.sleep();
      const options = { ...given, folder: join(place.base, "c") };
      const argv = ["/bin/sh", "-c", `setsid sleep ${time} & echo started; sleep ${time}`];
      const words = [made, JSON.stringify(options), JSON.stringify(place.request()), JSON.stringify(argv)];
      const program = join(import.meta.dirname, "dying-server.mjs");
      const server = spawn(process.execPath, [program, ...words], { stdio: ["ignore", "pipe", "inherit"] });
      await new Promise((resolve) => void server.stdout.once("data", resolve));
      expect(place.processes(join(place.base, "c")).length).toBeGreaterThan(0);
      server.kill("SIGKILL");
      await until(() => place.processes(time, join(place.base, "c")).length === 0);
      await (made === "gvisorDriver" ? gvisorDriver(options) : containerDriver(options)).sweep();
      expect(readdirSync(join(place.base, "c", name))).toEqual([]);
      expect(existsSync(join(place.base, "c", "open"))).toBe(false);
    });

    it("is ended by the next server when it outlived its own and its client", async () => {
      const time = place.sleep();
      const options = { ...given, folder: join(place.base, "c") };
      const driver = made === "gvisorDriver" ? gvisorDriver(options) : containerDriver(options);
      const sandbox = await driver.open(place.request());
      const running = await sandbox.spawn({ argv: ["sleep", time], cwd: place.workspace, onOutput: () => undefined });
      expect(await driver.sweep()).toBe(1);
      expect(place.processes(time)).toEqual([]);
      expect(await running.exit).toMatchObject({ code: null, signal: "SIGKILL" });
      await sandbox.close();
    });
  });

describe.skipIf(await missing(0))("a bundle", () => {
  it("runs the image's command in place of a vendor's program", async () => {
    const driver = containerDriver({ folder: join(place.base, "c"), runtime: "crun", command: "echo" });
    const sandbox = await driver.open(place.request({ programs: ["/vendor/claude"] }));
    for (const [program, said] of [
      ["/vendor/claude", "-- hello\n"],
      ["printf", "hello"],
    ] as const) {
      const { stdout } = await sandbox.open({ argv: [program, "--", "hello"], cwd: place.workspace });
      expect((await stdout.toArray()).join("")).toBe(said);
    }
    await sandbox.close();
  });

  it("starts again after everything inside was ended, and shows document 003's places", async () => {
    const sandbox = await place.open();
    writeFileSync(join(place.workspace, "file"), "text\n");
    const piped = await sandbox.open({ argv: ["/bin/sh", "-c", "read line; kill -9 -1"], cwd: place.workspace });
    piped.stdin.write("\n");
    expect(await piped.exit).toMatchObject({ code: null, signal: "SIGKILL" });
    const script = "cat /repo/file; cp /bin/true /workspace && /workspace/true; ls /repo/hidden; echo x > /repo/file";
    expect(await runIn(sandbox, script, place.workspace)).toEqual({
      code: 2,
      signal: null,
      stdout: "text\n",
      stderr:
        "/bin/sh: 1: /workspace/true: Permission denied\n/bin/sh: 1: cannot create /repo/file: Read-only file system\n",
    });
  });
});

const podman = (base: string): ReturnType<typeof containerDriver> =>
  containerDriver({ folder: join(base, "c"), runtime: "podman", image: IMAGE, readable: ["/usr"] });
const imageFolder = SandboxPlace.folder();
importImage(imageFolder);
const noPodman = (await podman(imageFolder).missing()) !== undefined;
await removeFolder(imageFolder);
afterAll(removeImage);

describe.skipIf(noPodman)("an engine's container", () => {
  it("has document 003's configuration, and ends with a client that is killed", async () => {
    const driver = podman(place.base);
    const sandbox = await driver.open(place.request());
    const time = place.sleep();
    const running = await sandbox.spawn({ argv: ["sleep", time], cwd: place.workspace, onOutput: () => undefined });
    const [line = ""] = place.processes(join(place.base, "c", "open"));
    const name = /--name (\S+)/.exec(line)?.[1] ?? "";
    const [found] = JSON.parse(spawnSync("podman", ["inspect", name], { encoding: "utf8" }).stdout) as [Inspected];
    expect(found.HostConfig).toMatchObject({
      NetworkMode: "none",
      ReadonlyRootfs: true,
      PidsLimit: 100,
      Memory: 4_294_967_296,
      Privileged: false,
    });
    expect(found.EffectiveCaps ?? []).toEqual([]);
    expect(found.HostConfig.SecurityOpt).toContain("no-new-privileges");
    expect(found.HostConfig.Tmpfs["/workspace"]).toMatch(/^rw,noexec,nosuid/);
    expect(found.Mounts.find(({ Destination }) => Destination === "/repo")).toMatchObject({ RW: false });
    const [client = ""] = place.pids(`--name ${name}`);
    process.kill(Number(client), "SIGKILL");
    expect(await running.exit).toMatchObject({ code: null, signal: "SIGKILL" });
    await sandbox.close();
    expect(place.processes(time)).toEqual([]);
    expect(await driver.sweep()).toBe(0);
  });
});

interface Inspected {
  readonly EffectiveCaps: readonly string[] | null;
  readonly HostConfig: {
    readonly SecurityOpt: readonly string[];
    readonly Tmpfs: Readonly<Record<string, string>>;
  };
  readonly Mounts: readonly { readonly Destination: string; readonly RW: boolean }[];
}

describe("a folder with a mount in it", () => {
  it.skipIf(process.getuid?.() !== 0)("is deleted without what is mounted", async () => {
    const folder = join(place.base, "left");
    mkdirSync(join(folder, "m0"), { recursive: true });
    writeFileSync(join(place.workspace, "precious"), "text\n");
    expect(spawnSync("mount", ["--bind", place.workspace, join(folder, "m0")]).status).toBe(0);
    await removeFolder(folder);
    expect(existsSync(folder)).toBe(false);
    expect(readFileSync(join(place.workspace, "precious"), "utf8")).toBe("text\n");
  });
});

describe("the drivers of containers", () => {
  it("are three, and one that is missing says what to install", async () => {
    const drivers = containerDrivers({ folder: join(place.base, "c"), image: "sallyport/no-such-image" });
    expect(drivers.map(({ kind }) => kind)).toEqual(["container", "gvisor", "firecracker"]);
    // No image of that name is anywhere: whatever runtime there is, it cannot start.
    const missing = await drivers[2]?.missing();
    expect(missing?.remedy).toContain("Kata Containers");
    expect(missing?.reason).toContain("kata-fc: ");
    const refused = await drivers[2]?.open(place.request()).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: "unsupported" });
  });
});

describe("an engine's command line", () => {
  it("has document 003's flags", async () => {
    const request = place.request();
    const mounts = await containerMounts(request, {
      readable: [],
      executableScratch: false,
      isMachine: false,
      from: (path) => Promise.resolve(path),
    });
    const plan = {
      id: "sallyport-1",
      folder: place.base,
      mounts,
      cwd: place.workspace,
      command: firstProcess(["true"]),
      user: { uid: 61_184, gid: 61_184 },
      memoryBytes: 4_294_967_296,
      processes: 100,
      cpus: 1.5,
    };
    const words = engineArguments(plan, { engine: "docker", image: "sallyport/agent", home: "h", isRoot: true });
    const line = words.join(" ");
    for (const flag of [
      "--network none",
      "--cap-drop ALL",
      "--read-only",
      "--tmpfs /workspace:rw,noexec,nosuid",
      "--pids-limit 100",
      "--memory 4g",
      "--cpus 1.5",
      `--volume ${request.folder}:${request.folder}:ro`,
      `--volume ${place.workspace}:/repo:ro`,
      "--security-opt no-new-privileges",
      "--user 61184:61184",
    ])
      expect(line).toContain(flag);
    expect(line).not.toContain("--privileged");
    expect(words.filter((word) => word === "--env")).toHaveLength(2);
  });
});
