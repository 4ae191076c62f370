import { relative } from "node:path/posix";
import { pathsMeet } from "./globs.ts";

/** Files that git, an editor, a package manager or an agent obeys: changed only after a question, whatever the autonomy. */
const PROTECTED = new RegExp(
  [
    String.raw`[^/]*\.git(\/|$)`,
    String.raw`\.gitmodules$`,
    String.raw`\.claude(\/(settings[^/]*\.json|hooks\/.*|commands\/.*|agents\/.*)$)`,
    String.raw`\.claude_settings\.json$`,
    String.raw`\.mcp\.json$`,
    String.raw`sallyport\.ya?ml$`,
    String.raw`\.sallyport(\/|$)`,
    String.raw`\.husky(\/|$)`,
    String.raw`\.vscode\/(settings|tasks|launch)\.json$`,
    String.raw`\.envrc$`,
  ]
    .map((place) => `(?:^|/)${place}`)
    .join("|"),
  "i",
);

/**
 * A folder with a file HEAD and the folders objects and refs is a repository to git, wherever it lies, and its settings may name
 * programs to run. Without HEAD there is none, so HEAD is what is watched, and the settings and hooks beside it.
 */
const REPOSITORY = /(?:^|\/)HEAD$/i;

export function isProtected(path: string, workspace: string): boolean {
  const own = relative(workspace, path);
  return PROTECTED.test(own) || REPOSITORY.test(own);
}

const NAMES = [
  ".git",
  ".gitmodules",
  ".claude",
  ".claude_settings.json",
  ".mcp.json",
  ".sallyport",
  ".husky",
  ".vscode",
  ".envrc",
];

/** Whether a pattern of the shell may turn into such a file: `.g*`. */
export function mayBeProtected(pattern: string): boolean {
  return pattern
    .split("/")
    .some(
      (segment) => /[*?[(]/.test(segment) && NAMES.some((name) => pathsMeet([segment], [name], { hidesDots: true })),
    );
}
