import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { Failure } from "../protocol/index.ts";
import { mustGit } from "./git.ts";
import { readBeneath, type Stamps } from "./manifest.ts";

const AUTHOR = "Sallyport <sallyport@localhost>";

/** Settings with which git trusts size and time alone: the rest differs between a base and what is mounted over it. */
const SETTINGS = [
  ["core.checkStat", "minimal"],
  ["core.trustctime", "false"],
  ["user.name", "Sallyport session"],
  ["user.email", "session@localhost"],
] as const;

/**
 * Makes a repository of a folder with one commit that holds these files, so that `git status` and `git diff` work there. One pack
 * instead of a file for each object.
 */
export async function makeHistory(folder: string, stamps: Stamps, head: string | undefined): Promise<void> {
  await mustGit(folder, ["init", "--quiet", "--template=", "--initial-branch=main"]);
  for (const [key, value] of SETTINGS) await mustGit(folder, ["config", key, value]);
  const message = head === undefined ? "The files of this session" : `The files of this session, taken at ${head}`;
  await importFiles(folder, stamps, message);
  await mustGit(folder, ["read-tree", "HEAD"]);
  await mustGit(folder, ["update-index", "-q", "--refresh"]);
}

async function importFiles(folder: string, stamps: Stamps, message: string): Promise<void> {
  const child = spawn("git", ["-C", folder, "fast-import", "--quiet", "--date-format=raw"], {
    env: { PATH: process.env["PATH"], HOME: "/nonexistent", GIT_CONFIG_NOSYSTEM: "1", LC_ALL: "C" },
    stdio: ["pipe", "ignore", "ignore"],
  });
  const ended = new Promise<number | null>((resolve) => {
    child.once("error", () => resolve(null));
    child.once("close", resolve);
  });
  let isOpen = true;
  const closed = ended.then(() => {
    isOpen = false;
  });
  child.stdin.on("error", () => undefined);
  const put = async (piece: Buffer | string): Promise<void> => {
    if (isOpen && !child.stdin.write(piece)) await Promise.race([once(child.stdin, "drain"), closed]);
  };
  await put(`commit refs/heads/main\ncommitter ${AUTHOR} 0 +0000\n`);
  await put(`data ${Buffer.byteLength(message)}\n${message}\n`);
  for (const [path, { kind, executable }] of stamps) {
    const content = await readBeneath(folder, path);
    const mode = kind === "link" ? "120000" : executable ? "100755" : "100644";
    await put(`M ${mode} inline ${quoted(path)}\ndata ${content.length}\n`);
    await put(content);
    await put("\n");
  }
  child.stdin.end("done\n");
  if ((await ended) !== 0)
    throw new Failure("internal", `git could not make a repository in ${join(folder)}; nothing was shown`);
}

function quoted(path: string): string {
  return `"${path.replace(/["\\]/g, "\\$&").replaceAll("\n", "\\n")}"`;
}
