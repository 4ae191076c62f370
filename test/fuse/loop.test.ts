import { mkdirSync, rmdirSync } from "node:fs";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { describeWithFuse, MountPlace, PATIENT, shell } from "../support/fuse.ts";
import { MemoryFiles, mountMemory, type Mounting } from "./memory-files.ts";

/** Opens `text` and reads it as often as the first word says. */
const OPENS = `const fs = require("node:fs"); const [times, then] = process.argv.slice(1);
for (let i = 0; i < Number(times); i += 1) { const fd = fs.openSync("text"); fs.readSync(fd, Buffer.alloc(9)); if (then === "close") fs.closeSync(fd); }`;
const NODE = `'${process.execPath}' -e '${OPENS}'`;

describeWithFuse("a mount of our own", () => {
  let place: MountPlace;
  let files: MemoryFiles;
  let mounting: Mounting;

  beforeEach(async () => {
    place = new MountPlace();
    mkdirSync(place.folder);
    files = new MemoryFiles();
    mounting = await mountMemory(place.folder, files, { nodes: 400 });
  });

  afterEach(async () => {
    await mounting.unmount();
    expect(place.mounted).toBe(false);
    rmdirSync(place.folder);
    place.remove();
  });

  const cases: readonly { line: string; stdout?: string; stderr?: string; code?: number }[] = [
    { line: "cat text", stdout: "hello\n" },
    { line: "ls", stdout: "broken\nfolder\nsink\nslow\ntext\n" },
    { line: "ls folder | tail -1", stdout: "name-0499\n" },
    { line: "ls folder | wc -l", stdout: "500\n" },
    {
      line: "stat -c '%A %Y %h' text sink folder",
      stdout: "-r-------- 1700000000 1\n--w------- 1700000000 1\ndr-x------ 1 2\n",
    },
    { line: "tail -c 3 text", stdout: "lo\n" },
    { line: "dd if=text bs=2 skip=1 count=1 status=none", stdout: "ll" },
    { line: "cat missing", stderr: "cat: missing: No such file or directory\n", code: 1 },
    { line: "cat folder", stderr: "cat: folder: Is a directory\n", code: 1 },
    { line: "cat broken", stderr: "cat: broken: Input/output error\n", code: 1 },
    { line: "/bin/echo x > text", stderr: "PLACE: line 1: text: Permission denied\n", code: 1 },
    { line: "/bin/echo x > other", stderr: "PLACE: line 1: other: Permission denied\n", code: 1 },
    { line: "mkdir made", stderr: "mkdir: cannot create directory 'made': Permission denied\n", code: 1 },
    { line: "rm -f text", stderr: "rm: cannot remove 'text': Permission denied\n", code: 1 },
    { line: "mv text other", stderr: "mv: cannot move 'text' to 'other': Permission denied\n", code: 1 },
    { line: "chmod 777 text", stderr: "chmod: changing permissions of 'text': Operation not permitted\n", code: 1 },
    { line: "/bin/echo bad > sink", stderr: "/bin/echo: write error: Disk quota exceeded\n", code: 1 },
    { line: "truncate -s 0 sink" },
    { line: "df . > /dev/null" },
  ];

  it.each(cases)("$line", async ({ line, stdout = "", stderr = "", code = 0 }) => {
    expect(await shell(place.folder, line)).toEqual({ code, stdout, stderr: stderr.replace("PLACE", place.folder) });
    expect(mounting.troubles).toEqual(line === "cat broken" ? ["a bug"] : []);
  });

  it("takes a message at close, whole", async () => {
    await shell(
      place.folder,
      "echo one > sink; printf 'two\\nthree\\n' >> sink; exec 3>sink; echo four >&3; echo five >&3",
    );
    await shell(place.folder, "head -c 300000 /dev/zero | tr '\\0' x > sink");
    expect(files.messages.slice(0, 4)).toEqual(["one\n", "two\nthree\n", "four\n", "five\n"]);
    expect(files.messages[4]).toBe("x".repeat(300_000));
  });

  it.each(["SIGINT", "SIGKILL"] as const)("a waiting cat dies at once of %s", async (signal) => {
    const cat = spawn("cat", [join(place.folder, "slow")], { stdio: "ignore" });
    await expect.poll(() => mounting.loop.held.requests, PATIENT).toBe(1);
    const killed = performance.now();
    cat.kill(signal);
    expect(await once(cat, "exit")).toEqual([null, signal]);
    expect(performance.now() - killed).toBeLessThan(5_000);
    await expect.poll(() => mounting.loop.held, PATIENT).toMatchObject({ handles: 0, requests: 0 });
    expect(files.interrupted).toBe(1);
  });

  it("unmounts under a waiting cat, which is let go", async () => {
    const cat = spawn("cat", [join(place.folder, "slow")], { stdio: "ignore" });
    const exited = once(cat, "exit");
    await expect.poll(() => mounting.loop.held.requests, PATIENT).toBe(1);
    await mounting.unmount();
    expect(await exited).toEqual([1, null]);
    expect(place.mounted).toBe(false);
  });

  it("unmounts while many look and read", async () => {
    const busy = "while cat folder/* > /dev/null 2>&1; do ls -l folder > /dev/null 2>&1; done";
    const lookers = [1, 2, 3].map(() => shell(place.folder, busy));
    await expect.poll(() => files.released.length, PATIENT).toBeGreaterThan(20);
    await mounting.unmount();
    expect((await Promise.all(lookers)).map(({ code }) => code)).toEqual([0, 0, 0]);
    expect(mounting.troubles).toEqual([]);
  });

  it("ends when somebody else unmounts", async () => {
    expect(await shell(place.root, "umount -i claude")).toMatchObject({ code: 0 });
    await mounting.ended;
  });

  it("holds no more for 10,000 opens, and no more names than its bound", async () => {
    await shell(place.folder, "for i in $(seq 100); do cat text > /dev/null; done");
    const before = mounting.loop.held.nodes;
    expect(await shell(place.folder, `${NODE} 10000 close`)).toMatchObject({ code: 0 });
    await expect.poll(() => mounting.loop.held, PATIENT).toMatchObject({ handles: 0, requests: 0 });
    expect(mounting.loop.held.nodes).toBeLessThanOrEqual(before);
    expect(await shell(place.folder, "cat folder/*")).toMatchObject({ code: 0, stdout: "hello\n".repeat(500) });
    await expect.poll(() => mounting.loop.held.nodes, PATIENT).toBeLessThan(300);
  });

  it("refuses more open files than its bound", async () => {
    expect((await shell(place.folder, `${NODE} 80 keep`)).stderr).toContain("ENFILE");
    await expect.poll(() => mounting.loop.held.handles, PATIENT).toBe(0);
    expect(await shell(place.folder, "cat text")).toMatchObject({ stdout: "hello\n" });
  });
});
