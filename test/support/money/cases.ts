import type { Fate, Leaving, PlannedRequest, PlannedSession, Script } from "./plan.ts";

const PIECES = 3;

const FATES: readonly (readonly [Fate, ...Fate[]])[] = [
  [{ is: "whole" }],
  [{ is: "error", status: 500 }],
  [{ is: "error", status: 429 }, { is: "whole" }],
  [{ is: "reset" }],
  [{ is: "cut", pieces: 0 }],
  [{ is: "cut", pieces: PIECES }],
  [{ is: "stall", pieces: 1 }],
  [{ is: "garbage", pieces: 0 }],
  [{ is: "garbage", pieces: PIECES }],
  [{ is: "error_event", pieces: 0 }],
  [{ is: "error_event", pieces: PIECES }],
  [{ is: "usage_missing" }],
  [{ is: "usage_half" }],
];

const LEAVINGS: readonly Leaving[] = [
  { at: "never" },
  { at: "half_sent" },
  { at: "sent" },
  { at: "headers" },
  { at: "pieces", pieces: 0 },
  { at: "pieces", pieces: PIECES },
];

/** One way for a request to go, with a session of its own. */
export interface Case {
  readonly name: string;
  readonly request: PlannedRequest;
}

/** Every way in which an answer can break and a caller can leave, on every wire, each once and without a limit. */
export function everyCase(): { readonly cases: readonly Case[]; readonly script: Script } {
  const cases: Case[] = [];
  for (const api of ["messages", "chat", "responses"] as const) {
    for (const stream of [true, false]) {
      for (const fates of FATES)
        for (const leaving of LEAVINGS) cases.push(caseOf({ api, stream, fates, leaving }, cases));
    }
  }
  const sessions = cases.map(({ name }): PlannedSession => ({ id: name, agent: "agent", parents: [], lanes: 1 }));
  const price = { input: 3_000_000, output: 15_000_000, cache_read: 300_000, cache_write: 3_750_000 };
  const life = { index: 0, now: Date.UTC(2027, 0, 1, 12), requests: cases.map(({ request }) => request) };
  return {
    cases,
    script: {
      prices: { "amber-1": price },
      sessions,
      lives: [life],
      spendingLimits: ({ id }) => [
        { kind: "session", account: `session/${id}` },
        { kind: "total", account: "total" },
      ],
    },
  };
}

function caseOf(
  { api, stream, fates, leaving }: Pick<PlannedRequest, "api" | "stream" | "fates" | "leaving">,
  before: readonly Case[],
): Case {
  const [fate] = fates;
  const detail = "pieces" in fate ? ` after ${fate.pieces}` : "status" in fate ? ` ${fate.status}` : "";
  const left = "pieces" in leaving ? `after ${leaving.pieces}` : leaving.at;
  const name = `${api} ${stream ? "streamed" : "whole"}, ${fate.is}${detail}, caller leaves ${left}`;
  const isCached = api === "messages";
  return {
    name,
    request: {
      id: `r${before.length}`,
      session: name,
      api,
      model: "amber-1",
      stream,
      cache: isCached ? "5m" : "none",
      contentBytes: 2_000,
      maxTokens: 700,
      answers: 1,
      pieces: PIECES,
      used: { input: 101, cacheRead: 203, cacheWrite: isCached ? 307 : 0, cacheWrite1h: 0, output: 650 },
      fates,
      leaving,
    },
  };
}
