import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
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

test("what is still mounted in a sandbox's folder is never deleted with it", async () => {
  const workspace = await mkdtemp(join(tmpdir(), "sallyport-mounted-"));
  writeFileSync(join(workspace, "precious.txt"), "precious");
  const folder = makeSandboxFolder(MARKER);
  const place = join(`${folder}-mounts`, "m0");
  mkdirSync(place, { recursive: true });
  // Without the right to mount, a folder with something in it must do.
  const isMounted = canMount(workspace, place);
  if (!isMounted) writeFileSync(join(place, "precious.txt"), "precious");
  removeSandboxFolder(folder);
  expect(readFileSync(join(place, "precious.txt"), "utf8")).toBe("precious");
  await sweepSandboxFolders(MARKER);
  expect(existsSync(folder)).toBe(false);
  expect(readFileSync(join(workspace, "precious.txt"), "utf8")).toBe("precious");
  if (isMounted) expect(existsSync(place)).toBe(false);
  else rmSync(`${folder}-mounts`, { recursive: true });
  rmSync(workspace, { recursive: true });
});
