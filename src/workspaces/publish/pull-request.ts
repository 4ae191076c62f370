import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Failure } from "../../protocol/index.ts";
import { mustGit } from "../git.ts";
import { runProgram } from "./program.ts";
import { withoutPasswords } from "./remotes.ts";

/** A repository on a host for code. */
interface HostedRepository {
  readonly host: string;
  /** Without `.git`. */
  readonly path: string;
}

/** Undefined: the address is of no such host. */
export function hostedAt(address: string): HostedRepository | undefined {
  const [, host, path] =
    /^(?:https|ssh):\/\/(?:[^/@]*@)?([^/:]+)(?::\d+)?\/(.+?)(?:\.git)?\/?$/i.exec(address) ??
    /^(?:[\w.-]+@)?([a-z0-9][\w.-]*):([^:]+?)(?:\.git)?\/?$/i.exec(address) ??
    [];
  if (host === undefined || path === undefined || !/^[\w./~-]+$/.test(path) || !path.includes("/")) return undefined;
  return { host: host.toLowerCase(), path };
}

/** The program that speaks with a host; undefined: none that we know. */
export function programFor({ host }: HostedRepository): "gh" | "glab" | undefined {
  if (host === "github.com" || /(^|[.-])(github|ghe)([.-]|$)/.test(host)) return "gh";
  return /(^|[.-])gitlab([.-]|$)/.test(host) ? "glab" : undefined;
}

interface WantedPullRequest {
  readonly repository: HostedRepository;
  readonly program: "gh" | "glab";
  /** Absolute. */
  readonly file: string;
  readonly branch: string;
  /** Absent: the host's default branch. */
  readonly base?: string | undefined;
  readonly title: string;
  readonly body: string;
  readonly draft: boolean;
  readonly environment: Readonly<Record<string, string>>;
}

const CALM = { GH_PROMPT_DISABLED: "1", GH_NO_UPDATE_NOTIFIER: "1", NO_PROMPT: "1", NO_COLOR: "1" } as const;

/**
 * Opens a pull or merge request with the host's own program, and answers its address. The program runs in an empty repository of ours:
 * it calls git, and git in the real one would do what that one's settings say.
 */
export async function openPullRequest(wanted: WantedPullRequest): Promise<string> {
  const { repository, program, file, environment } = wanted;
  const folder = await mkdtemp(join(tmpdir(), "sallyport-request-"));
  const address = `https://${repository.host}/${repository.path}.git`;
  try {
    await mustGit(folder, ["init", "--quiet", "--template="], { isOurs: true });
    const settings = `[core]\n\trepositoryformatversion = 0\n\thooksPath = /dev/null\n[remote "origin"]\n\turl = ${address}\n`;
    await writeFile(join(folder, ".git/config"), settings);
    const env = { ...environment, ...CALM, GIT_TERMINAL_PROMPT: "0" };
    const words = program === "gh" ? ghWords(wanted) : glabWords(wanted);
    const input = program === "gh" ? wanted.body : "";
    const { code, output, complaint } = await runProgram({ program: file, words, cwd: folder, env, input });
    if (code !== 0)
      throw new Failure(
        "conflict",
        `${program} failed: ${withoutPasswords(complaint.trim() || output.trim()) || "it took too long"}`,
      );
    const links = `${output}\n${complaint}`.match(/https?:\/\/[^\s<>"']+/g) ?? [];
    const link = links.find((one) => URL.canParse(one) && new URL(one).host === repository.host);
    return link ?? `https://${repository.host}/${repository.path}`;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** With `=`: a text that begins with a dash is no option. */
function ghWords({ repository, branch, base, title, draft }: Omit<WantedPullRequest, "program">): string[] {
  return [
    "pr",
    "create",
    `--repo=${repository.host}/${repository.path}`,
    `--head=${branch}`,
    ...(base === undefined ? [] : [`--base=${base}`]),
    `--title=${title}`,
    "--body-file=-",
    ...(draft ? ["--draft"] : []),
  ];
}

function glabWords({ repository, branch, base, title, body, draft }: Omit<WantedPullRequest, "program">): string[] {
  return [
    "mr",
    "create",
    `--repo=https://${repository.host}/${repository.path}`,
    `--source-branch=${branch}`,
    ...(base === undefined ? [] : [`--target-branch=${base}`]),
    `--title=${title}`,
    `--description=${body}`,
    ...(draft ? ["--draft"] : []),
    "--yes",
  ];
}
