import { Failure } from "../../protocol/index.ts";
import { gitEnvironment } from "../git.ts";
import { withRepository, type Repository } from "../repository.ts";
import { runProgram } from "./program.ts";
import { kindOf, withoutPasswords } from "./remotes.ts";

interface WantedPush {
  readonly repository: Repository;
  readonly address: string;
  readonly branch: string;
  readonly commit: string;
  /** What finds the person's logins. */
  readonly environment: Readonly<Record<string, string>>;
  /** Folders that sessions write in. Absolute, real. */
  readonly forbidden: readonly string[];
}

/**
 * The receiving side is on this machine, and works as the server's user with its own settings. None of them may start a program: hooks do
 * not run, nothing is fetched from elsewhere, and no checked-out files are written, which would pass that repository's filters.
 */
const QUIET_RECEIVER = [
  "env GIT_ALLOW_PROTOCOL=none GIT_NO_LAZY_FETCH=1 git",
  "-c core.hooksPath=/dev/null",
  "-c core.fsmonitor=false",
  "-c receive.denyCurrentBranch=refuse",
  "-c receive.autogc=false",
  "-c core.alternateRefsCommand=true",
  "receive-pack",
].join(" ");

/**
 * Pushes one commit as a branch, and never over what others pushed. The server's user's own settings and logins are used. Nothing of the
 * repository's settings is: no hook, no helper, no other address.
 */
export async function pushCommit({ address, branch, commit, environment, ...wanted }: WantedPush): Promise<void> {
  const kind = await kindOf(address, wanted.forbidden);
  const { repository } = wanted;
  const receiver = kind === "file" ? [`--receive-pack=${QUIET_RECEIVER}`] : [];
  const fixed = ["--porcelain", "--no-verify", "--no-signed", "--recurse-submodules=no", "--no-follow-tags"];
  const words = ["push", ...fixed, ...receiver, "--", address, `${commit}:refs/heads/${branch}`];
  const { code, complaint, output } = await withRepository(repository, (variables) => {
    const env = gitEnvironment({
      settings: { [`protocol.${kind}.allow`]: "always", "push.gpgSign": "false" },
      variables: { ...environment, ...variables, GIT_CONFIG_NOSYSTEM: "0" },
    });
    return runProgram({ program: "git", words, cwd: repository.root, env });
  });
  if (code === 0) return;
  const isRejected = /^!.*\[(?:rejected|remote rejected)\]/m.test(output);
  const said = withoutPasswords(`${complaint}\n${isRejected ? output : ""}`.trim());
  throw new Failure("conflict", `git push failed: ${said || "it took too long, or git is missing"}`);
}
