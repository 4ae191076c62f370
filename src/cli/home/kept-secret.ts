import { chmod, writeFile } from "node:fs/promises";
import { readTextFile } from "../settings/text-file.ts";

/** A small secret that is generated once and stored in the home folder, readable only by its owner. */
export async function kept(path: string, make: () => string): Promise<string> {
  const known = readTextFile(path);
  if (known !== undefined && known.trim() !== "") return known.trim();
  const value = make();
  await writeFile(path, `${value}\n`, { mode: 0o600 });
  await chmod(path, 0o600);
  return value;
}
