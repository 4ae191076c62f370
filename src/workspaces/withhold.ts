import { spawn } from "node:child_process";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { Failure, LIMITS, type RepoFilterMode } from "../protocol/index.ts";
import { filterOf, nameFilter, WITHHELD_BECAUSE, type RepoFilter } from "./filter.ts";
import { SECRET_KINDS, secretsIn } from "./secrets.ts";

/** A file that an agent does not get to see. */
const Withheld = z.object({
  path: z.string(),
  because: z.union([z.enum([...WITHHELD_BECAUSE, "not readable"]), z.templateLiteral(["content: ", z.string()])]),
});
export type Withheld = Readonly<z.infer<typeof Withheld>>;
export const StoredWithheld = z.array(Withheld);

export interface Filtered {
  readonly shown: readonly string[];
  readonly withheld: readonly Withheld[];
}

/** Sorts a folder's files into those that may be shown and those that hold secrets, by name and then by content. */
export async function filterFiles(folder: string, files: readonly string[], filter: RepoFilter): Promise<Filtered> {
  if (filter.mode === "none") return { shown: files, withheld: [] };
  const judge = nameFilter(filter);
  const withheld: Withheld[] = [];
  const named = files.filter((path) => {
    const because = judge(path);
    if (because !== undefined) withheld.push({ path, because });
    return because === undefined;
  });
  const suspects = await suspiciousFiles(folder);
  const shown: string[] = [];
  for (const path of named) {
    const kinds = suspects.has(path) ? await kindsIn(join(folder, path)) : [];
    if (kinds.length === 0) shown.push(path);
    else withheld.push({ path, because: `content: ${kinds.join(", ")}` });
  }
  return { shown, withheld };
}

/** Whether all filters show a file of this name and content. */
export function isShown(filters: readonly RepoFilterMode[], path: string, content: Buffer): boolean {
  return filters.map(filterOf).every((filter) => {
    if (filter.mode === "none") return true;
    return nameFilter(filter)(path) === undefined && secretsIn(textOf(content)).length === 0;
  });
}

/** What in a file looks like a secret. One that is too large to be looked at is not shown. */
async function kindsIn(path: string): Promise<readonly string[]> {
  const file = await open(path, "r");
  try {
    const { size } = await file.stat();
    if (size > LIMITS.filteredFileBytes) return ["too large to be looked at"];
    return secretsIn(textOf(await file.readFile()));
  } finally {
    await file.close();
  }
}

function textOf(bytes: Buffer): string {
  const isWide = bytes.subarray(0, 2).equals(Buffer.from([0xff, 0xfe]));
  return bytes.toString(isWide ? "utf16le" : "latin1");
}

/** The files in which ripgrep finds any of the patterns: a first look that is a hundred times as fast as ours. */
async function suspiciousFiles(folder: string): Promise<ReadonlySet<string>> {
  const { rgPath } = await import("@vscode/ripgrep");
  const words = ["--no-config", "--files-with-matches", "--null", "--hidden", "--no-ignore", "--text", "--no-messages"];
  const patterns = SECRET_KINDS.flatMap(({ pattern }) => ["-e", pattern]);
  const child = spawn(rgPath, [...words, "--glob=!.git", ...patterns, "./"], {
    cwd: folder,
    env: {},
    stdio: ["ignore", "pipe", "pipe"],
    timeout: LIMITS.secretScanMs,
  });
  let output = "";
  let complaint = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => (output += chunk));
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    if (complaint.length < LIMITS.engineStderrChars) complaint += chunk;
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  // 1: nothing was found. 2 with results: some file could not be read, and whoever reads it next fails as well.
  if (code === 0 || code === 1 || (code === 2 && complaint.trim() === ""))
    return new Set(output.split("\0").map((path) => path.replace(/^\.\//, "")));
  throw new Failure(
    "internal",
    `The files could not be searched for secrets: ${complaint.trim() || `code ${code}`}. Nothing was shown.`,
  );
}
