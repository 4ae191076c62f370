import { readdir } from "node:fs/promises";
import { join } from "node:path";

/** Every file below a folder, which must exist. What goes away meanwhile is left out: a server may be at work there. */
export async function filesBelow(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const below = entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => filesBelow(join(folder, entry.name)).catch(() => []));
  const files = entries.filter((entry) => entry.isFile()).map(({ name }) => join(folder, name));
  return [...files, ...(await Promise.all(below)).flat()];
}
