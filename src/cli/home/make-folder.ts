import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { Failure } from "../../protocol/index.ts";

/** Makes a private folder and those above it. Node's own `recursive` never ends where nothing can be made, such as in /proc. */
export async function makeFolder(path: string): Promise<void> {
  const code = await tryMaking(path);
  if (code !== "ENOENT") return;
  const above = dirname(path);
  if (!(await isFolder(above))) {
    await makeFolder(above);
    if ((await tryMaking(path)) !== "ENOENT") return;
  }
  throw new Failure("invalid_request", `no folder can be made at ${path}: choose another place with --home`);
}

/** Absent: it is there now. Other faults than a missing folder above are thrown. */
async function tryMaking(path: string): Promise<"ENOENT" | undefined> {
  try {
    await mkdir(path, { mode: 0o700 });
    return undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return code;
    if (code !== "EEXIST" || !(await isFolder(path))) throw error;
    return undefined;
  }
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() ?? false;
}
