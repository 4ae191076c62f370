import { setTimeout as pause } from "node:timers/promises";
import { LIMITS } from "../../protocol/index.ts";
import type { Piped } from "../../sandbox/sandbox.ts";
import { Complaints } from "../claude/complaints.ts";
import { environmentOf } from "../claude/environment.ts";
import type { Launch, Link, Listener, ProcessEnd } from "../claude/link.ts";
import { readMessage, record } from "../claude/wire.ts";
import { argumentsOf } from "./arguments.ts";
import { Control } from "./control.ts";
import { LineReader, OutputFailure } from "./lines.ts";

/** Starts `claude -p` for one prompt, and speaks its control protocol. */
export async function openCliLink(launch: Launch, listener: Listener): Promise<Link> {
  const { host, settings } = launch;
  const process = await host.sandbox.open({
    argv: argumentsOf(launch),
    cwd: settings.workspace,
    env: environmentOf(launch),
  });
  const control = new Control(launch, listener, (line) => {
    if (process.stdin.writable) process.stdin.write(line);
  });
  const reading = listen(process, control, listener);
  const initialized = control.initialize(launch);
  const kill = async (): Promise<void> => {
    await process.kill({ graceMs: LIMITS.engineKillMs });
    await reading;
  };
  return {
    ready: initialized.catch(() => new Promise<never>(() => undefined)),
    lend: (servers, changed) => control.lend(servers, changed),
    send: (message) => control.send(message),
    interrupt: () => {
      process.signal("SIGINT");
    },
    finish: async () => {
      process.stdin.end();
      const over = new AbortController();
      const patience = pause(LIMITS.engineExitMs, undefined, { signal: over.signal }).catch(() => undefined);
      await Promise.race([process.exit, patience]);
      over.abort();
      await kill();
    },
    kill,
  };
}

/** Hands on what the process says, until it is over. */
async function listen(process: Piped, control: Control, listener: Listener): Promise<void> {
  const complaints = new Complaints();
  let notices = 0;
  let failure: string | undefined;
  const lines = new LineReader((line) => {
    const message = parse(line);
    if (message === undefined) {
      notices += 1;
      if (notices <= LIMITS.engineNotices) listener.noise(line);
    } else if (!control.take(record(message))) listener.heard(readMessage(message));
  });
  process.stderr.setEncoding("utf8");
  process.stderr.on("data", (chunk: string) => complaints.add(chunk));
  const guarded = (work: () => void): void => {
    if (failure !== undefined) return;
    try {
      work();
    } catch (error) {
      if (!(error instanceof OutputFailure)) throw error;
      failure = error.message;
      void process.kill({ graceMs: 0 });
    }
  };
  process.stdout.on("data", (chunk: Buffer) => guarded(() => lines.add(chunk)));
  const drained = new Promise<void>((resolve) => {
    process.stdout.once("end", resolve);
    process.stdout.once("close", resolve);
  });
  const { code, signal } = await process.exit;
  // What it left behind may hold its pipe open.
  await Promise.race([drained, pause(LIMITS.outputDrainMs, undefined, { ref: false })]);
  guarded(() => lines.end());
  const end: ProcessEnd = { code, signal, complaint: failure ?? complaints.text };
  listener.ended(end);
}

/** Nothing when it is no JSON. */
function parse(line: string): unknown {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
