import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { describeWithFuse, MountPlace, shell } from "../support/fuse.ts";
import { mountFuse } from "../../src/fuse/index.ts";
import { MemoryFiles, mountMemory } from "./memory-files.ts";

/** The programs that an ordinary user has: a stand-in for fusermount3, which is not on every machine that tests. */
function programs(place: MountPlace): string {
  const folder = join(place.root, "programs");
  mkdirSync(folder);
  const path = join(folder, "fusermount3");
  writeFileSync(path, `#!/bin/sh\nexec '${process.execPath}' '${join(import.meta.dirname, "fusermount3.mjs")}' "$@"\n`);
  chmodSync(path, 0o755);
  return `${folder}:${process.env["PATH"]}`;
}

describeWithFuse("a mount of an ordinary user", () => {
  it("comes through fusermount3, which hands over the open device", async () => {
    const place = new MountPlace();
    mkdirSync(place.folder);
    try {
      const mounting = await mountMemory(place.folder, new MemoryFiles(), { uid: 1_000, path: programs(place) });
      expect(await shell(place.folder, "cat text")).toEqual({ code: 0, stdout: "hello\n", stderr: "" });
      await mounting.unmount();
      expect(place.mounted).toBe(false);
    } finally {
      place.remove();
    }
  });

  it("says what fusermount3 says, and what is missing", async () => {
    const place = new MountPlace();
    const options = { name: "sallyport", allowOther: false, uid: 1_000, gid: 1_000, programMs: 10_000 };
    try {
      await expect(
        mountFuse({ ...options, folder: join(place.root, "refused"), path: programs(place) }),
      ).rejects.toThrow(/refused could not be mounted: fusermount3: not allowed; --plain works without FUSE/);
      await expect(mountFuse({ ...options, folder: place.folder, path: "/nowhere" })).rejects.toThrow(
        "the program fusermount3 is missing: install the package fuse3, mount as root, or use --plain",
      );
    } finally {
      place.remove();
    }
  });
});
