import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import type { SandboxDriver } from "../../src/sandbox/driver.ts";
import { containerDrivers } from "../../src/sandbox/index.ts";
import { eitherDriver } from "../../src/sandbox/qemu/driver.ts";
import { guestCommand, guestScript } from "../../src/sandbox/qemu/guest.ts";
import { chooseKernel, makeInitrd, orderedModules } from "../../src/sandbox/qemu/initrd.ts";
import { isAlive } from "../support/escapes.ts";
import { has } from "../support/programs.ts";

it("loads each module behind those that it needs", () => {
  const list = [
    "kernel/fs/9p/9p.ko: kernel/net/9p/9pnet.ko kernel/fs/fscache.ko kernel/fs/netfs.ko",
    "kernel/net/9p/9pnet.ko:",
    "kernel/net/9p/9pnet_virtio.ko: kernel/net/9p/9pnet.ko kernel/drivers/virtio.ko",
  ].join("\n");
  expect(orderedModules(list, ["9p", "built_in", "9pnet_virtio"])).toEqual([
    "kernel/fs/netfs.ko",
    "kernel/fs/fscache.ko",
    "kernel/net/9p/9pnet.ko",
    "kernel/fs/9p/9p.ko",
    "kernel/drivers/virtio.ko",
    "kernel/net/9p/9pnet_virtio.ko",
  ]);
});

it("takes the newest kernel that has what a guest needs", () => {
  const root = mkdtempSync(join(tmpdir(), "kernels-"));
  const folders = { kernels: join(root, "boot"), modules: join(root, "modules") };
  mkdirSync(folders.kernels);
  const install = (version: string, listed: readonly string[], builtIn: readonly string[] = []): string => {
    const path = join(folders.kernels, `vmlinuz-${version}`);
    writeFileSync(path, "");
    mkdirSync(join(folders.modules, version), { recursive: true });
    const lines = listed.map((name) => `kernel/${name}.ko:`);
    writeFileSync(join(folders.modules, version, "modules.dep"), lines.join("\n"));
    writeFileSync(
      join(folders.modules, version, "modules.builtin"),
      builtIn.map((name) => `kernel/${name}.ko`).join("\n"),
    );
    return path;
  };
  const older = install("6.1.9", ["9p", "9pnet_virtio", "virtio_pci"], ["virtio_console"]);
  const cloud = install("6.1.10-cloud", ["virtio_pci", "virtio_console"]);
  expect(chooseKernel(undefined, folders)).toEqual({
    path: older,
    modules: ["virtio_pci", "9p", "9pnet_virtio"].map((name) => join(folders.modules, "6.1.9", `kernel/${name}.ko`)),
  });
  const refused = {
    reason: `${cloud} has no module 9p`,
    remedy: expect.stringContaining("linux-image-amd64") as string,
  };
  expect(chooseKernel(cloud, folders)).toEqual(refused);
  rmSync(older);
  expect(chooseKernel(undefined, folders)).toEqual(refused);
  rmSync(cloud);
  expect(chooseKernel(undefined, folders)).toMatchObject({ reason: `there is no kernel in ${folders.kernels}` });
  rmSync(root, { recursive: true });
});

it("what runs in sandboxes is one file for each program, with nothing but Node's own modules", () => {
  const folder = fileURLToPath(new URL("../../dist/inside", import.meta.url));
  const files = readdirSync(folder).toSorted();
  expect(files).toEqual(["helper.mjs", "multiplexer-inside.mjs", "multiplexer-outside.mjs", "ports.mjs"]);
  for (const file of files) {
    const text = readFileSync(join(folder, file), "utf8");
    const imports = [
      ...text.matchAll(/^\s*(?:import|export)\b.*?from "([^"]+)"/gm),
      ...text.matchAll(/import\("([^"]+)"\)/g),
    ];
    expect(imports.map(([, name = ""]) => name).filter((name) => !name.startsWith("node:"))).toEqual([]);
  }
});

it.skipIf(!has("busybox"))("the first files of a guest can be unpacked", () => {
  const folder = mkdtempSync(join(tmpdir(), "initrd-"));
  writeFileSync(join(folder, "a.ko"), "abc");
  const initrd = makeInitrd({ path: "/boot/vmlinuz", modules: [join(folder, "a.ko")] }, "#!/bin/busybox sh\n");
  const { stdout } = spawnSync("/usr/bin/busybox", ["cpio", "-tv"], { input: initrd, encoding: "utf8" });
  const rows = stdout
    .trim()
    .split("\n")
    .map((line) => line.split(/\s+/));
  expect(rows.map((words) => `${words[0]} ${words.at(-1)}`)).toEqual([
    "drwxr-xr-x bin",
    "drwxr-xr-x modules",
    "-rwxr-xr-x bin/busybox",
    "-rw-r--r-- modules/a.ko",
    "-rw-r--r-- modules/order",
    "-rwxr-xr-x init",
  ]);
  rmSync(folder, { recursive: true });
});

it("a machine has no network, and only as much memory as it may have", () => {
  const line = guestCommand({ kernel: "/k", initrd: "/i", memoryBytes: 536_870_912 }).join(" ");
  for (const words of ["-nic none", "-nodefaults", "-no-user-config", "-m 768M", "-accel tcg"])
    expect(line).toContain(words);
  expect(line).not.toMatch(/netdev|guestfwd|-drive/);
});

it("words of the command are words, whatever is in them", () => {
  const odd = `it's $(touch /x) "a"`;
  const script = guestScript({ folder: "/f", cwd: odd, command: ["echo", odd], searchPath: "/bin", processes: 10 });
  const line = script.split("\n").find((text) => text.includes("chroot")) ?? "";
  const words = line.replace(/^.*chroot \/files /, "").replace(/ <\/input \| \$b cat >&3$/, "");
  const { stdout } = spawnSync("/bin/sh", ["-c", `printf '%s\\n' ${words}`], { encoding: "utf8" });
  expect(stdout.split("\n")).toEqual(expect.arrayContaining([odd, `--chdir=${odd}`, "--nproc=10"]));
});

const NONE = { reason: "r", remedy: "m" };

function driverOf(name: string, works: boolean): SandboxDriver & { readonly name: string } {
  const [kata] = containerDrivers({ folder: "/nowhere" }).slice(-1);
  if (kata === undefined) throw new Error("there is none");
  return { ...kata, name, missing: () => Promise.resolve(works ? undefined : { ...NONE, reason: name }) };
}

it.each([
  [true, true, undefined],
  [false, true, undefined],
  [false, false, "second"],
])("of two the first that works is taken (%s, %s)", async (first, second, reason) => {
  const either = eitherDriver(driverOf("first", first), driverOf("second", second));
  expect((await either.missing())?.reason).toBe(reason);
});

it("nothing is emulated unless it is allowed", async () => {
  const [, , machine] = containerDrivers({ folder: join(tmpdir(), "nowhere") });
  expect((await machine?.missing())?.remedy).toContain("SALLYPORT_CONTAINER_EMULATION=1");
});

it("a command that does not end with its input ends when the server is gone", async () => {
  const program = fileURLToPath(new URL("../../dist/inside/multiplexer-outside.mjs", import.meta.url));
  const outside = spawn(process.execPath, [program, "[]", "/bin/sh", "-c", "echo $$ >&2; exec sleep 1000"], {
    stdio: ["pipe", "ignore", "pipe"],
  });
  const pid = await new Promise<number>((resolve) => {
    outside.stderr.once("data", (chunk: Buffer) => resolve(Number(String(chunk))));
  });
  outside.stdin.end();
  await new Promise((resolve) => void outside.once("exit", resolve));
  expect(isAlive(pid)).toBe(false);
});
