import { mustGit } from "./git.ts";

/** With these git trusts size and time alone: the rest differs between a base and what is mounted over it. */
const SETTINGS = [
  ["core.checkStat", "minimal"],
  ["core.trustctime", "false"],
  ["user.name", "Sallyport session"],
  ["user.email", "session@localhost"],
] as const;

/** Everything goes into one pack instead of a file for each object. */
const PACKED = { "core.bigFileThreshold": "1", "core.compression": "1" };

/** No session has seen it yet. */
const OURS = { isOurs: true } as const;

/** Makes a repository of a folder with one commit that holds its files, so that `git status` and `git diff` work there. */
export async function makeHistory(folder: string, head: string | undefined): Promise<void> {
  await mustGit(folder, ["init", "--quiet", "--template=", "--initial-branch=main"], OURS);
  for (const [key, value] of SETTINGS) await mustGit(folder, ["config", key, value], OURS);
  await mustGit(folder, ["add", "--all", "--force"], { ...OURS, settings: PACKED });
  const message = head === undefined ? "The files of this session" : `The files of this session, taken at ${head}`;
  await mustGit(folder, ["commit", "--quiet", "--allow-empty", "--no-gpg-sign", `--message=${message}`], OURS);
}
