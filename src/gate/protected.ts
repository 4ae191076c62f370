import { relative } from "node:path/posix";
import { pathsMeet } from "./globs.ts";
import { namesIn } from "./shell/lists.ts";

/**
 * Settings that programs read from a home folder, and some from the folder they run in. One variable can make a folder of the
 * workspace the home folder.
 */
const HOME_SETTINGS = namesIn(
  ".gitconfig .npmrc .yarnrc .yarnrc.yml .pnpmfile.cjs .bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile",
  ".zshrc .zshenv .zprofile .zlogin .zlogout .kshrc .mkshrc .cshrc .tcshrc .login .inputrc .curlrc .wgetrc .netrc .vimrc .gvimrc",
  ".exrc .nanorc .emacs .gdbinit .lldbinit .hgrc .psqlrc .sqliterc .my.cnf .irbrc .pryrc .perldb .Rprofile .tclshrc .direnvrc",
  ".screenrc .tmux.conf .lesskey .mailrc .pypirc .gemrc .condarc .rgrc .ackrc",
);
/** Folders that hold such settings. */
const HOME_FOLDERS = namesIn(
  ".ssh .gnupg .config/git .config/fish .config/nvim .config/pip .emacs.d .vim .bundle .cargo .hg",
);

/** Files that git, an editor, a package manager or an agent obeys. They change only after a question, whatever the autonomy. */
const PROTECTED = new RegExp(
  [
    String.raw`[^/]*\.git(\/|$)`,
    String.raw`\.gitmodules$`,
    String.raw`\.claude(\/(settings[^/]*\.json|hooks\/.*|commands\/.*|agents\/.*|skills\/.*)$)`,
    // What every later session of the folder is told.
    String.raw`(AGENTS|CLAUDE|CLAUDE\.local)\.md$`,
    String.raw`\.claude_settings\.json$`,
    String.raw`\.mcp\.json$`,
    String.raw`sallyport\.ya?ml$`,
    String.raw`\.sallyport(\/|$)`,
    String.raw`\.husky(\/|$)`,
    String.raw`\.vscode\/(settings|tasks|launch)\.json$`,
    String.raw`\.envrc$`,
    ...HOME_SETTINGS.map((name) => `${escaped(name)}$`),
    ...HOME_FOLDERS.map((name) => `${escaped(name)}(/|$)`),
  ]
    .map((place) => `(?:^|/)${place}`)
    .join("|"),
  "i",
);

function escaped(name: string): string {
  return name.replaceAll(".", String.raw`\.`);
}

/**
 * Git treats any folder with HEAD, objects and refs as a repository, and its settings may name programs to run. Without HEAD it
 * is none, so HEAD is protected, with the settings and hooks beside it.
 */
const REPOSITORY = /(?:^|\/)HEAD$/i;

export function isProtected(path: string, workspace: string): boolean {
  return isObeyed(path, workspace) || REPOSITORY.test(relative(workspace, path));
}

/** Without the file that makes a folder a repository: its name is also what git calls the current commit. */
export function isObeyed(path: string, workspace: string): boolean {
  return PROTECTED.test(relative(workspace, path));
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
  ...HOME_SETTINGS,
  ...HOME_FOLDERS.flatMap((name) => name.split("/")),
];

/** Whether a shell pattern may expand to such a file: `.g*`. */
export function mayBeProtected(pattern: string): boolean {
  return pattern
    .split("/")
    .some(
      (segment) => /[*?[(]/.test(segment) && NAMES.some((name) => pathsMeet([segment], [name], { hidesDots: true })),
    );
}
