import { readdirSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { isToolItem, type Approval, type JournalEvent } from "../../src/protocol/index.ts";
import { script, untilTurnEnds } from "./app.ts";
import { makePlace, startServer, type Place, type ServerProcess } from "./server.ts";

/** Processes of vendors' programs that work for sessions of a home, in any sandbox. */
function vendorProcesses({ home }: Place): readonly number[] {
  const found = readdirSync("/proc").filter((name) => {
    if (!/^\d+$/.test(name)) return false;
    const isVendor = basename(read(`/proc/${name}/cmdline`).split("\0")[0] ?? "") === "claude";
    return isVendor && `\0${read(`/proc/${name}/environ`)}`.includes(`\0CLAUDE_CONFIG_DIR=${home}/`);
  });
  return found.map(Number).toSorted((one, other) => one - other);
}

function read(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    // It is gone.
    return "";
  }
}

const SUPERVISED = { SALLYPORT_SUPERVISOR: "on", SALLYPORT_LOG_LEVEL: "info" };

/** What a life with two kills of the server came to. */
interface HeldLife {
  readonly events: readonly JournalEvent[];
  /** Held programs before the first kill, after it, and after the second. */
  readonly programs: readonly (readonly number[])[];
  readonly approvals: readonly Approval["id"][];
  /** What the approved command did. */
  readonly effects: string;
  readonly log: string;
}

export interface HeldLifeOptions {
  readonly engine: "claude-cli" | "claude-sdk";
  /** Pieces of streamed text before the first kill. */
  readonly pieces: number;
  /** Absent: it is killed. */
  readonly end?: "stop" | undefined;
  readonly environment?: Readonly<Record<string, string>>;
}

/** A turn that streams, asks and runs a command. The server is killed while it streams and again while its question is open. */
export async function liveHeld({ engine, pieces, end, environment = {} }: HeldLifeOptions): Promise<HeldLife> {
  const place = await makePlace();
  const leave = (): Promise<void> => (end === "stop" ? server.stop() : server.kill());
  const start = (): Promise<ServerProcess> => startServer(place, { ...SUPERVISED, ...environment });
  let server = await start();
  try {
    const { id } = await server.client.createSession({
      engine,
      unattended: "park",
      prompt: {
        text: script(
          { stream: { tokens: 60, per_second: 120 } },
          { tool: "Bash", input: { command: "echo once >> effects.txt" } },
          { say: "Done." },
        ),
      },
    });
    await seen(server, id, pieces);
    const programs = [vendorProcesses(place)];
    await leave();
    server = await start();
    const asked = await untilAsked(server, id);
    programs.push(vendorProcesses(place));
    await leave();
    server = await start();
    const { client } = server;
    const { approvals } = await client.approvals({ status: "pending" });
    programs.push(vendorProcesses(place));
    for (const { id: approval_id, input_hash } of approvals)
      await client.decide(approval_id, { decision: "approve", input_hash });
    const events = await untilTurnEnds(client, id);
    const effects = await readFile(join(place.workspace, "effects.txt"), "utf8").catch(() => "");
    return { events, programs, approvals: [asked.id, ...approvals.map((one) => one.id)], effects, log: server.log() };
  } catch (error) {
    throw new Error(`${String(error)}\n${server.log()}`, { cause: error });
  } finally {
    await server.stop();
    await place.remove();
  }
}

async function seen(server: ServerProcess, id: string, pieces: number): Promise<void> {
  let left = pieces;
  for await (const frame of server.client.watch(id)) {
    if (frame.type === "item.delta") left -= 1;
    if (left <= 0) return;
    if (frame.type === "turn.completed" || frame.type === "turn.failed") throw new Error(JSON.stringify(frame));
  }
}

async function untilAsked(server: ServerProcess, id: string): Promise<Approval> {
  for await (const frame of server.client.watch(id)) {
    if (frame.type === "approval.requested") return frame.approval;
    if (frame.type === "turn.completed" || frame.type === "turn.failed") throw new Error(JSON.stringify(frame));
  }
  throw new Error("the journal ended");
}

/** What is wrong with such a life; empty: nothing. */
export function heldFaults({ events, programs, approvals, effects }: HeldLife): readonly string[] {
  const [first = []] = programs;
  const last = events.at(-1);
  const turns = new Set(events.flatMap((event) => (event.type === "turn.started" ? [event.turn_id] : [])));
  const faults: string[] = [];
  const check = (holds: boolean, fault: string): void => void (holds || faults.push(fault));
  check(last?.type === "turn.completed" && turns.has(last.turn_id), `it ended with ${JSON.stringify(last)}`);
  check(turns.size === 1, `${turns.size} turns began`);
  check(!events.some(({ type }) => type === "turn.resumed"), "the turn was interrupted");
  check(first.length > 0, "nothing was held");
  check(
    programs.every((pids) => String(pids) === String(first)),
    `other programs: ${JSON.stringify(programs)}`,
  );
  check(approvals.length === 2 && approvals[0] === approvals[1], `questions: ${approvals.join(", ")}`);
  check(effects === "once\n", `the command did ${JSON.stringify(effects)}`);
  return [...faults, ...itemFaults(events)];
}

/** Each item begins once and ends once, and nothing is said twice. */
function itemFaults(events: readonly JournalEvent[]): readonly string[] {
  const begun = new Map<string, number>();
  const ended = new Map<string, number>();
  const words: string[] = [];
  const calls: string[] = [];
  for (const event of events) {
    if (event.type === "item.started") begun.set(event.item.id, (begun.get(event.item.id) ?? 0) + 1);
    if (event.type !== "item.completed") continue;
    const { item } = event;
    ended.set(item.id, (ended.get(item.id) ?? 0) + 1);
    if (item.status === "superseded") continue;
    if (item.type === "agent_message") words.push(item.text);
    if (isToolItem(item)) calls.push(`${item.tool} ${item.status}`);
  }
  const faults: string[] = [];
  for (const [id, count] of begun) if (count !== 1 || ended.get(id) !== 1) faults.push(`${id} began ${count} times`);
  if (begun.size !== ended.size) faults.push("an item ended that never began");
  if (words.length !== 2 || words[1] !== "Done.") faults.push(`said: ${JSON.stringify(words)}`);
  if (String(calls) !== "Bash completed") faults.push(`calls: ${calls.join(", ")}`);
  return faults;
}
