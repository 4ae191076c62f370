import { Option, type Command } from "commander";
import { MountClient } from "../../client/index.ts";
import { mountAt, MountTrouble, unmountFuse } from "../../fuse/index.ts";
import { JobKind, LIMITS } from "../../protocol/index.ts";
import type { ServerConnection } from "../connect.ts";
import { withServer, type CommandContext } from "../context.ts";
import { EXIT, type ExitCode } from "../exit.ts";
import { folderPath, MOUNT_NAME, readyFolder, type Mounter } from "../mount/folder.ts";
import { mountTree } from "../mount/fuse-mount.ts";
import { movingServer } from "../mount/moving-server.ts";
import { plainFolder } from "../mount/plain/plain-folder.ts";
import { visible } from "../terminal/visible.ts";

interface MountFlags {
  readonly plain?: boolean;
  readonly allowOther?: boolean;
  readonly tree: string;
}

/** The trees of a server; the first one is mounted by default. */
const AGENTS = "/claude";
const TREES = [AGENTS, ...JobKind.options.map((kind) => `/${kind}`), "/identity"];

const HELP = `
Stays in the foreground; Ctrl-C unmounts. Your token decides what is allowed.

Example:
  $ sallyport mount ./claude &
  $ echo '{"model":"sim","initial_prompt":"say hello"}' > claude/new
  $ cat claude/new
  $ cat claude/sessions/ses_…/output`;

export function addMount(program: Command, context: CommandContext): void {
  program
    .command("mount")
    .description("agents as files: new, prompt, output, approve")
    .argument("<folder>", "where; made if it is missing, must be empty")
    .option("--plain", "a folder of ordinary files and pipes instead of a mount; needs no FUSE")
    .addOption(
      new Option("--tree <path>", "which files: of agents, of commands in a sandbox, of model calls, of your key")
        .choices(TREES)
        .default(AGENTS),
    )
    .option("--allow-other", "other users of this machine may use it too, with your token's rights")
    .addHelpText("after", HELP)
    .action((folder: string, flags: MountFlags, command: Command) =>
      withServer(context, command, (connection) => mount({ context, connection }, folder, flags)),
    );
  program
    .command("unmount")
    .description("take away a mount, also one whose process was killed")
    .argument("<folder>", "where it is mounted")
    .addHelpText("after", "\nExample:\n  $ sallyport unmount ./claude")
    .action((folder: string) => unmount(context, folder));
}

async function mount(
  { context, connection }: { readonly context: CommandContext; readonly connection: ServerConnection },
  text: string,
  { plain = false, allowOther = false, tree }: MountFlags,
): Promise<ExitCode> {
  const { surroundings, screen } = context;
  const leaving = new AbortController();
  const stops = (["SIGINT", "SIGTERM", "SIGHUP"] as const).map((signal) =>
    surroundings.onSignal(signal, () => {
      // The second signal does not wait.
      if (leaving.signal.aborted) surroundings.exit(EXIT.interrupted);
      leaving.abort();
    }),
  );
  const onTrouble = (error: Error): void => {
    screen.line(`${screen.paint.yellow("!")} ${visible(error.message)}`);
  };
  const server = new MountClient(movingServer(connection));
  try {
    const mounter = mounterOf(context);
    const common = { server, now: surroundings.now, onTrouble, signal: leaving.signal };
    const ready = (folder: string): void => screen.line(`${visible(folder)} is ready; Ctrl-C takes it away`);
    if (plain && tree !== AGENTS) throw new MountTrouble(`--plain is for ${AGENTS} alone; leave --tree out`);
    if (plain) {
      await plainFolder({ ...common, text, cwd: surroundings.cwd, path: mounter.path, onReady: ready });
    } else {
      // Fails here rather than at the first `ls`.
      await server.list(tree);
      const folder = await readyFolder(text, { cwd: surroundings.cwd, mounter });
      await mountTree({ ...common, root: tree, folder, mounter, allowOther, onReady: () => ready(folder) });
      if (!leaving.signal.aborted) screen.line(`${visible(folder)} was unmounted`);
    }
    return EXIT.done;
  } finally {
    for (const stop of stops) stop();
  }
}

async function unmount(context: CommandContext, text: string): Promise<void> {
  const { surroundings, screen } = context;
  const folder = await folderPath(text, surroundings.cwd);
  const found = await mountAt(folder, MOUNT_NAME);
  if (found === "nothing" || found === "foreign")
    throw new MountTrouble(`nothing of ours is mounted on ${folder}; \`mount -t fuse.${MOUNT_NAME}\` lists what is`);
  await unmountFuse({ folder, ...mounterOf(context), programMs: LIMITS.mountProgramMs });
  screen.line(`${visible(folder)} is unmounted`);
}

function mounterOf({ surroundings }: CommandContext): Mounter {
  const path = surroundings.environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin";
  return { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0, path };
}
