import { rm } from "node:fs/promises";
import type { Host } from "../engine.ts";

/**
 * Removes what a vendor's program has written. Behind a wall this is done there: a program could swap a folder for a link while it is
 * emptied from here. `cwd` is a folder that is there inside.
 */
export async function removeWritten(
  { sandbox }: Pick<Host, "sandbox">,
  { paths, cwd }: { readonly paths: readonly string[]; readonly cwd: string },
): Promise<void> {
  if (paths.length === 0) return;
  if (sandbox.kind === "local") {
    await Promise.all(paths.map((path) => rm(path, { recursive: true, force: true })));
    return;
  }
  // One that is closed is emptied when it is opened again.
  const running = await sandbox.open({ argv: ["rm", "-rf", "--", ...paths], cwd }).catch(() => undefined);
  for (const output of [running?.stdout, running?.stderr]) output?.resume();
  running?.stdin.end();
  await running?.exit;
}
