import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { join, resolve } from "node:path";

/** Where the shell would find a program; undefined: nowhere. A name with a slash is a path. */
export async function findProgram(
  name: string,
  where: { readonly searchPath: readonly string[]; readonly cwd: string },
): Promise<string | undefined> {
  if (name === "" || name.includes("\0")) return undefined;
  const candidates = name.includes("/")
    ? [resolve(where.cwd, name)]
    : where.searchPath.map((folder) => join(folder, name));
  for (const candidate of candidates) if (await isProgram(candidate)) return candidate;
  return undefined;
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

/** What the shell does itself, even if programs of that name exist. */
export const SHELL_BUILTINS: ReadonlySet<string> = new Set(
  (
    ". : [ alias bg bind break builtin caller cd command compgen complete compopt continue declare dirs disown echo enable " +
    "eval exec exit export false fc fg getopts hash help history jobs kill let local logout mapfile popd printf pushd pwd " +
    "read readarray readonly return set shift shopt source suspend test times trap true type typeset ulimit umask unalias " +
    "unset wait"
  ).split(" "),
);
