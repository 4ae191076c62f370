import { spawn } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { UsageLine } from "../../../src/protocol/index.ts";
import type { DoorAddress } from "./caller.ts";
import type { Life, Script } from "./plan.ts";

/** `ledger`: the product's own proxy and ledger; `check-then-add`: the control. */
export type Relay = "ledger" | "check-then-add";

/** What the process says of its money when nothing is under way. */
export interface Books {
  readonly balances: Readonly<Record<string, { readonly spent: number; readonly reserved: number }>>;
  /** Rows of reservations in the store. */
  readonly reservations: number;
  readonly usage: readonly UsageLine[];
  readonly tally: {
    readonly outcomes: Readonly<Record<string, number>>;
    readonly shortages: Readonly<Record<string, number>>;
  };
  readonly memoryMib: number;
}

type Said =
  | ({ readonly kind: "open"; readonly keys: Readonly<Record<string, string>> } & DoorAddress)
  | { readonly kind: "short"; readonly of: string }
  | { readonly kind: "log"; readonly text: string; readonly fields: unknown }
  | ({ readonly kind: "books" } & Books)
  | { readonly kind: "closed" };

export interface Door extends DoorAddress {
  keyOf(session: string): string;
  books(): Promise<Books>;
  /** Kinds of limits that were reached, and errors that were logged. */
  readonly shortages: ReadonlySet<string>;
  readonly complaints: readonly string[];
  /** As the machine would. */
  kill(): void;
  readonly exited: Promise<void>;
  stop(): Promise<void>;
}

const SCRIPT = fileURLToPath(new URL("door.mjs", import.meta.url));
export const BANK_KEYS = ["sk-bank-0000000000000000000000000001", "sk-bank-0000000000000000000000000002"] as const;

/** Starts the rooms behind a model request on `home`, as a process of their own. */
export async function openDoor(options: {
  readonly home: string;
  readonly relay: Relay;
  readonly script: Script;
  readonly life: Life;
  readonly accounts: readonly string[];
  readonly bankUrl: string;
}): Promise<Door> {
  const config = join(options.home, "door.json");
  await writeFile(config, JSON.stringify(configOf(options)));
  const child = spawn(process.execPath, ["--max-old-space-size=512", SCRIPT, config], {
    env: { PATH: process.env["PATH"], BANK_KEY_1: BANK_KEYS[0], BANK_KEY_2: BANK_KEYS[1] },
    stdio: ["pipe", "pipe", "pipe"],
  });
  const errors: string[] = [];
  const shortages = new Set<string>();
  const complaints: string[] = [];
  const waiting = new Map<Said["kind"], (said: Said) => void>();
  child.stderr.on("data", (chunk: Buffer) => errors.push(chunk.toString()));
  child.stdin.on("error", () => undefined);
  createInterface({ input: child.stdout }).on("line", (line) => {
    // The last line of a killed process can be half of one.
    if (!line.endsWith("}")) return;
    const said = JSON.parse(line) as Said;
    if (said.kind === "short") shortages.add(said.of);
    else if (said.kind === "log") complaints.push(`${said.text} ${JSON.stringify(said.fields)}`);
    else waiting.get(said.kind)?.(said);
  });
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const hear = <Kind extends Said["kind"]>(kind: Kind): Promise<Extract<Said, { kind: Kind }>> =>
    new Promise((resolve, reject) => {
      waiting.set(kind, (said) => resolve(said as Extract<Said, { kind: Kind }>));
      void exited.then(() => reject(new Error(`the process behind the door ended: ${errors.join("")}`)));
    });
  const opened = await hear("open");
  return {
    tcpUrl: opened.tcpUrl,
    socketPath: opened.socketPath,
    keyOf: (session) => opened.keys[session] ?? "",
    books: () => {
      const heard = hear("books");
      child.stdin.write("books\n");
      return heard;
    },
    shortages,
    complaints,
    kill: () => void child.kill("SIGKILL"),
    exited,
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const closed = hear("closed");
      child.stdin.end("stop\n");
      await closed;
      await exited;
    },
  };
}

function configOf({ home, relay, script, life, accounts, bankUrl }: Parameters<typeof openDoor>[0]): object {
  return {
    home,
    relay,
    accounts,
    prices: script.prices,
    startAt: life.now,
    providers: {
      bank: {
        base_url: bankUrl,
        wires: ["anthropic", "openai"],
        credentials: [{ credential_env: "BANK_KEY_1" }, { credential_env: "BANK_KEY_2" }],
      },
    },
    sessions: script.sessions.map((session) => ({
      session_id: session.id,
      turn_id: `${session.id}-${life.index}`,
      agent: session.agent,
      engine: "vendor",
      provider: "bank",
      spendingLimits: script.spendingLimits(session, life),
    })),
  };
}
