import type { Command } from "commander";
import { Failure, LIMITS, type SessionView } from "../protocol/index.ts";
import { complaintOf } from "./complaint.ts";
import { connect, type ServerConnection, type GlobalFlags } from "./connect.ts";
import { EXIT, type ExitCode } from "./exit.ts";
import type { ProcessContext } from "./surroundings.ts";
import { paintFor } from "./terminal/paint.ts";
import { Screen } from "./terminal/screen.ts";
import { visible } from "./terminal/visible.ts";
import { duration } from "./terminal/words.ts";

/** What every command works with. */
export interface CommandContext {
  readonly surroundings: ProcessContext;
  readonly screen: Screen;
  /** Sets the exit code; the last call wins. */
  readonly end: (code: ExitCode) => void;
}

export function openContext(surroundings: ProcessContext, end: (code: ExitCode) => void): CommandContext {
  const paint = paintFor(surroundings.errors, surroundings.environment);
  return { surroundings, screen: new Screen({ ...surroundings, paint }), end };
}

/** For programs and pipes: standard output, nothing added. */
export function print(context: CommandContext, text: string): void {
  context.surroundings.output.write(`${text}\n`);
}

export function printJson(context: CommandContext, value: unknown): void {
  print(context, JSON.stringify(value, undefined, 2));
}

export function width(context: CommandContext): number {
  return context.surroundings.output.columns ?? 200;
}

export function flagsOf(command: Command): GlobalFlags {
  return command.optsWithGlobals<GlobalFlags>();
}

/** The one place for errors: a message, advice, and a stack only on request. */
export function complain(context: CommandContext, error: unknown): ExitCode {
  const complaint = complaintOf(error);
  if (typeof complaint === "number") return complaint;
  const { screen, surroundings } = context;
  screen.line(`${screen.paint.red("error:")} ${visible(complaint.message)}`);
  if (complaint.advice !== undefined)
    screen.line(screen.paint.dim(`  ${complaint.advice.replaceAll("`sallyport ", `\`${surroundings.name} `)}`));
  const debug = surroundings.environment["SALLYPORT_DEBUG"];
  if (debug !== undefined && debug !== "" && error instanceof Error) screen.line(error.stack ?? "");
  return complaint.code;
}

/** For what goes on by itself: without a server it does so only once there is one. */
export function tellUnattended(context: CommandContext, { embedded }: Pick<ServerConnection, "embedded">): void {
  if (embedded)
    context.screen.line(`no server runs on this home: it goes on once \`${context.surroundings.name} serve\` does`);
}

/** What leads others to a server leads nowhere where it runs inside this process, which ends in a moment. */
export function refuseEmbedded(context: CommandContext, { embedded }: ServerConnection, what: string): void {
  if (embedded)
    throw new Failure(
      "conflict",
      `no server runs on this home, so ${what} would lead nowhere: start one with \`${context.surroundings.name} serve\``,
    );
}

/** Runs something against a server, which is done unless it returns another code, and waits for turns that a server inside this process still drives. */
export async function withServer(
  context: CommandContext,
  command: Command,
  use: (connection: ServerConnection) => Promise<ExitCode | undefined>,
): Promise<void> {
  const { surroundings, screen } = context;
  const connection = await connect({
    flags: flagsOf(command),
    surroundings,
    onReconnect: (attempt, waitMs) => {
      screen.line(
        screen.paint.yellow(`! the connection was lost; attempt ${attempt} to take it up again in ${duration(waitMs)}`),
      );
    },
    onFatal: (error) => {
      screen.line(`${screen.paint.red("error:")} the store failed: ${visible(error.message)}`);
      surroundings.exit(EXIT.failed);
    },
  });
  try {
    const code = (await use(connection)) ?? EXIT.done;
    context.end(code);
    if (connection.embedded && code !== EXIT.interrupted && code !== EXIT.terminated) await linger(context, connection);
  } finally {
    await connection.close();
  }
}

/** A working turn progresses only while its server runs. One that waits for a person can wait for the next start. */
async function linger(context: CommandContext, { client }: ServerConnection): Promise<void> {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), LIMITS.embeddedLingerMs);
  const stops = (["SIGINT", "SIGTERM", "SIGHUP"] as const).map((signal) =>
    context.surroundings.onSignal(signal, () => controller.abort()),
  );
  const { screen } = context;
  try {
    for (;;) {
      const busy = (await client.sessions({ status: "working" })).sessions[0];
      if (busy === undefined || controller.signal.aborted) return;
      screen.line(
        screen.paint.dim(
          `session ${busy.id} still works in this process; it is waited for (Ctrl-C leaves it for the next start)`,
        ),
      );
      await untilCalm(client, busy, controller.signal);
    }
  } finally {
    clearTimeout(timer);
    for (const stop of stops) stop();
  }
}

async function untilCalm(client: ServerConnection["client"], session: SessionView, signal: AbortSignal): Promise<void> {
  for await (const frame of client.watch(session.id, { after: session.seq, signal })) {
    if (frame.type === "session.updated" && frame.status !== "working" && frame.status !== "queued") return;
  }
}
