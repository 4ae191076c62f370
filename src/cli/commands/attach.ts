import type { Command } from "commander";
import type { JournalEvent } from "../../protocol/index.ts";
import type { ServerConnection } from "../connect.ts";
import { flagsOf, withServer, type CommandContext } from "../context.ts";
import { EXIT, type ExitCode } from "../exit.ts";
import { approveHint, follow, JsonLines } from "../follow.ts";
import { Interrupts } from "../interrupts.ts";
import { TerminalTranscript } from "../show/transcript.ts";
import { wholeNumber } from "./options.ts";

interface AttachOptions {
  readonly after?: number;
  readonly json?: boolean;
  readonly deltas?: boolean;
}

const HELP = `
Shows the session from its beginning and then live, until it is closed. A lost connection is resumed.
Ctrl-C leaves; the session goes on.

Example:
  $ sallyport attach ses_01jqk3v7w8x9y2z3a4b5c6`;

export function addAttach(program: Command, context: CommandContext): void {
  program
    .command("attach")
    .description("watch a session and answer its approvals")
    .argument("<session>", "the session's id")
    .option("--after <seq>", "begin after this event", wholeNumber({ from: 0, to: Number.MAX_SAFE_INTEGER }))
    .option("--json", "one line of JSON per event on standard output, nothing else")
    .option("--deltas", "with --json: live text too")
    .addHelpText("after", HELP)
    .action((session_id: string, options: AttachOptions, command: Command) =>
      withServer(context, command, (connection) => attach({ context, connection, command }, session_id, options)),
    );
}

async function attach(
  {
    context,
    connection,
    command,
  }: { readonly context: CommandContext; readonly connection: ServerConnection; readonly command: Command },
  session_id: string,
  options: AttachOptions,
): Promise<ExitCode> {
  const { surroundings, screen } = context;
  const { json = false, deltas = false } = options;
  const session = await connection.client.session(session_id);
  const leaving = new AbortController();
  let left: ExitCode = EXIT.interrupted;
  const interrupts = new Interrupts({
    surroundings,
    first: () => leaving.abort(),
    leave: (signal) => {
      if (signal !== "SIGINT") left = EXIT.terminated;
      leaving.abort();
    },
  });
  const viewer = json
    ? new JsonLines((text) => void surroundings.output.write(text), deltas)
    : new TerminalTranscript({ screen, workspace: session.settings.workspace });
  if (!json)
    screen.line(
      screen.paint.dim(`session ${session.id} · ${session.status} · ${session.settings.workspace} · Ctrl-C leaves`),
    );
  try {
    const last = await follow(
      {
        context,
        client: connection.client,
        session_id,
        after: options.after ?? 0,
        viewer,
        interactive: !json && surroundings.input.isTTY === true && surroundings.errors.isTTY === true,
        hint: approveHint(surroundings.name, flagsOf(command), connection.url),
        known: { seq: session.seq, pending: session.pending_approvals },
        signal: leaving.signal,
        onInterrupt: () => interrupts.press(),
      },
      isOver,
    );
    if (leaving.signal.aborted) return left;
    return last?.type === "session.updated" && last.status === "failed" ? EXIT.failed : EXIT.done;
  } finally {
    interrupts.stop();
  }
}

function isOver(event: JournalEvent): boolean {
  return event.type === "session.updated" && (event.status === "complete" || event.status === "failed");
}
