import { readTextFile } from "../settings/text-file.ts";
import { replacePrivateFile } from "./private-file.ts";

/** A small secret that is generated once and stored in the home folder, readable only by its owner. */
export async function kept(path: string, make: () => string): Promise<string> {
  const known = readTextFile(path);
  if (known !== undefined && known.trim() !== "") return known.trim();
  const value = make();
  await replacePrivateFile(path, `${value}\n`);
  return value;
}
