import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { mountsOf } from "../../src/sandbox/folders.ts";
import { makeSandboxFolder, removeSandboxFolder, sweepSandboxFolders } from "../../src/sandbox/index.ts";

const MARKER = "swept-by-test";

function canMount(from: string, to: string): boolean {
  try {
    execFileSync("mount", ["--bind", from, to], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

test.skipIf(process.getuid?.() !== 0)("what is still mounted for a sandbox is never deleted with it", async () => {
  const workspace = await mkdtemp(join(tmpdir(), "sallyport-mounted-"));
  writeFileSync(join(workspace, "precious.txt"), "precious");
  const folder = makeSandboxFolder(MARKER);
  const mounts = mountsOf(folder, 1);
  const place = join(mounts, "m0");
  mkdirSync(place, { recursive: true });
  // Without the right to mount, a folder with something in it must do.
  const isMounted = canMount(workspace, place);
  if (!isMounted) writeFileSync(join(place, "precious.txt"), "precious");
  removeSandboxFolder(folder);
  expect(existsSync(folder)).toBe(false);
  expect(readFileSync(join(place, "precious.txt"), "utf8")).toBe("precious");
  await sweepSandboxFolders(MARKER);
  expect(readFileSync(join(workspace, "precious.txt"), "utf8")).toBe("precious");
  if (isMounted) expect(existsSync(mounts)).toBe(false);
  else rmSync(mounts, { recursive: true });
  rmSync(workspace, { recursive: true });
});
