import { LIMITS, type LimitKind, type Price } from "../../../src/protocol/index.ts";
import type { Used } from "./bill.ts";
import { Dice } from "./dice.ts";
import type { Fate, Leaving, Life, PlannedLimit, PlannedRequest, PlannedSession, Script } from "./plan.ts";
import { bodyOf } from "./wires.ts";

export interface ScriptOptions {
  readonly seed: number;
  readonly sessions: number;
  readonly requests: number;
  /** Lives that end with a kill. */
  readonly kills: number;
  /** Absent: yes. Without them the provider answers all, and everybody stays to the end. */
  readonly faults?: boolean;
}

const DAY_MS = 86_400_000;
const FIRST_DAY = Date.UTC(2027, 0, 1, 12);
const AGENTS = ["agent-a", "agent-b", "agent-c", "agent-d", "agent-e"] as const;
const MODELS = ["amber-1", "basalt-2", "cedar-3", "dune-4", "ember-5", "flint-6"] as const;
/** Tokens that a provider adds to what is written: less than what every reservation takes into account. */
const PREAMBLE = 2_000;
/** What a provider says with a 429; seconds. */
const PATIENCE = [{}, { retryAfter: 0 }, { retryAfter: 1 }] as const;

export function makeScript(options: ScriptOptions): Script {
  const dice = new Dice(options.seed);
  const prices = Object.fromEntries(MODELS.map((model) => [model, priceOf(dice)]));
  const sessions = sessionsOf(dice, options.sessions);
  const requests = Array.from({ length: options.requests }, (_, index) =>
    requestOf(dice, { id: `r${index}`, session: dice.of(sessions).id, faults: options.faults ?? true }),
  );
  const lives = livesOf(dice, requests, options.kills);
  const limits = limitsOf({ dice, prices, sessions, lives });
  return {
    prices,
    sessions,
    lives,
    spendingLimits: (session, life) =>
      accountsOf(session, life).map(({ kind, account }) => ({ kind, account, limit: limits(account, life) })),
  };
}

/** The accounts that a session's request counts on. */
function accountsOf(session: PlannedSession, life: Life): readonly PlannedLimit[] {
  const day = new Date(life.now).toISOString().slice(0, 10);
  return [
    { kind: "turn", account: `turn/${session.id}-${life.index}` },
    { kind: "session", account: `session/${session.id}` },
    ...session.parents.map((id) => ({ kind: "parent" as const, account: `session/${id}` })),
    { kind: "agent_day", account: `agent_day/${session.agent}/${day}` },
    { kind: "agent", account: `agent/${session.agent}` },
    { kind: "day", account: `day/${day}` },
    { kind: "total", account: "total" },
  ];
}

function priceOf(dice: Dice): Price {
  const rates = (): Price => {
    const input = dice.uneven(50_000, 15_000_000);
    return {
      input,
      output: dice.uneven(200_000, 75_000_000),
      ...(dice.chance(0.7) ? { cache_read: Math.floor(input * dice.of([0.1, 0.5, 1, 1.3])) } : {}),
      ...(dice.chance(0.7) ? { cache_write: Math.floor(input * dice.of([1, 1.25, 2])) } : {}),
      ...(dice.chance(0.5) ? { cache_write_1h: Math.floor(input * dice.of([1.6, 2, 3])) } : {}),
    };
  };
  return { ...rates(), ...(dice.chance(0.5) ? { tiers: [{ above: dice.between(2_000, 9_000), ...rates() }] } : {}) };
}

/** Two of five are roots; the others draw on one that was there before, up to three deep. */
function sessionsOf(dice: Dice, count: number): readonly PlannedSession[] {
  const sessions: PlannedSession[] = [];
  for (let index = 0; index < count; index += 1) {
    const parent = index < count * 0.4 ? undefined : dice.of(sessions.filter(({ parents }) => parents.length < 3));
    sessions.push({
      id: `s${index}`,
      agent: parent?.agent ?? dice.of(AGENTS),
      parents: parent === undefined ? [] : [parent.id, ...parent.parents],
      lanes: dice.between(1, 3),
    });
  }
  return sessions;
}

function requestOf(dice: Dice, given: { id: string; session: string; faults: boolean }): PlannedRequest {
  const { id, session, faults } = given;
  const api = dice.of(["messages", "messages", "messages", "chat", "responses"] as const);
  const stream = dice.chance(0.7);
  const cache = api === "messages" ? dice.of(["none", "5m", "1h"] as const) : "none";
  const contentBytes = dice.chance(0.03) ? dice.between(50_000, 200_000) : dice.uneven(20, 12_000);
  const maxTokens = dice.uneven(1, 8_000);
  const answers = api === "chat" && dice.chance(0.3) ? dice.between(2, 3) : 1;
  const pieces = dice.between(1, 6);
  const asked = { id, session, api, model: dice.of(MODELS), stream, cache, contentBytes, maxTokens, answers, pieces };
  return {
    ...asked,
    used: dice.chance(0.2) ? allOf(asked) : usedOf(dice, asked),
    fates: faults ? fatesOf(dice, { stream, pieces }) : [{ is: "whole" }],
    leaving: faults ? leavingOf(dice, pieces) : { at: "never" },
  };
}

type Asked = Omit<PlannedRequest, "used" | "fates" | "leaving">;

/** As much as a request can possibly cost: a token for each of its bytes, and an answer as long as it may be. */
function allOf(asked: Asked): Used {
  const all = Buffer.byteLength(bodyOf(asked)) + LIMITS.preambleTokens;
  return {
    input: asked.cache === "none" ? all : 0,
    cacheRead: 0,
    cacheWrite: asked.cache === "5m" ? all : 0,
    cacheWrite1h: asked.cache === "1h" ? all : 0,
    output: asked.maxTokens * asked.answers,
  };
}

function usedOf(dice: Dice, { api, cache, contentBytes, maxTokens, answers }: Asked): Used {
  const most = maxTokens * answers;
  const share = dice.next() * 0.5;
  const all = Math.ceil(contentBytes * share) + (dice.chance(0.3) ? dice.between(0, PREAMBLE) : 0);
  const output = dice.chance(0.25) ? most : dice.between(0, most);
  const read = cache === "none" && api === "messages" ? 0 : dice.chance(0.5) ? dice.between(0, all) : 0;
  const written = cache === "none" ? 0 : dice.between(0, all - read);
  return {
    input: all - read - written,
    cacheRead: read,
    cacheWrite: cache === "5m" ? written : 0,
    cacheWrite1h: cache === "1h" ? written : 0,
    output,
  };
}

function fatesOf(dice: Dice, of: { readonly stream: boolean; readonly pieces: number }): [Fate, ...Fate[]] {
  const last: Fate = { is: "whole" };
  if (dice.chance(0.6)) return [last];
  const pieces = dice.between(0, of.pieces);
  switch (dice.between(0, 8)) {
    case 0:
      return [{ is: "error", status: dice.of([400, 404, 413, 500, 502]) }];
    case 1:
      // The first key is refused, the second one answers.
      return [{ is: "error", status: dice.of([429, 529]), ...dice.of(PATIENCE) }, last];
    case 2:
      return [{ is: "error", status: dice.of([429, 529]), ...dice.of(PATIENCE) }];
    case 3:
      return [{ is: "reset" }];
    case 4:
      return [{ is: "usage_missing" }];
    case 5:
      return [{ is: "usage_half" }];
    case 6:
      return [{ is: "garbage", pieces }];
    case 7:
      return [{ is: of.stream ? "error_event" : "cut", pieces }];
    default:
      return [{ is: dice.of(["cut", "stall"] as const), pieces }];
  }
}

function leavingOf(dice: Dice, pieces: number): Leaving {
  if (dice.chance(0.8)) return { at: "never" };
  if (dice.chance(0.5)) return { at: "pieces", pieces: dice.between(0, pieces) };
  return { at: dice.of(["half_sent", "sent", "headers"] as const) };
}

/** Every life has its own day, but for every third, which goes on with the day before. */
function livesOf(dice: Dice, requests: readonly PlannedRequest[], kills: number): readonly Life[] {
  const count = kills + 1;
  let day = 0;
  return Array.from({ length: count }, (_, index) => {
    if (index > 0 && index % 3 !== 0) day += 1;
    const own = requests.slice(
      Math.floor((index * requests.length) / count),
      Math.floor(((index + 1) * requests.length) / count),
    );
    return {
      index,
      now: FIRST_DAY + day * DAY_MS,
      requests: own,
      // Early enough that others are under way, also where limits let only half of the requests through.
      ...(index === kills ? {} : { killAt: 0.1 + dice.next() * 0.2 }),
    };
  });
}

/** Limits that are too small for what is asked, each kind of them for somebody. Those of sessions are raised now and then. */
function limitsOf(script: {
  readonly dice: Dice;
  readonly prices: Readonly<Record<string, Price>>;
  readonly sessions: readonly PlannedSession[];
  readonly lives: readonly Life[];
}): (account: string, life: Life) => number | undefined {
  const { dice, prices, sessions, lives } = script;
  const asked = new Map<string, { kind: LimitKind; most: number; dearest: number }>();
  for (const life of lives) {
    for (const request of life.requests) {
      const session = sessions.find(({ id }) => id === request.session);
      const price = prices[request.model];
      if (session === undefined || price === undefined) throw new Error("the script contradicts itself");
      const most = mostOf(price, request);
      for (const { kind, account } of accountsOf(session, life)) {
        const so = asked.get(account) ?? { kind, most: 0, dearest: 0 };
        asked.set(account, { kind, most: so.most + most, dearest: Math.max(so.dearest, most) });
      }
    }
  }
  const limits = new Map<string, { first: number; raise: number }>();
  for (const [account, { kind, most, dearest }] of asked) {
    if (dice.chance(WITHOUT[kind] ?? 0)) continue;
    const [low, high] = SHARE[kind] ?? [0.2, 0.5];
    const first = Math.ceil(most * (low + dice.next() * (high - low)) + (dice.chance(0.5) ? dearest : 0));
    limits.set(account, { first, raise: kind === "session" && dice.chance(0.5) ? dice.next() / 4 : 0 });
  }
  return (account, life) => {
    const found = limits.get(account);
    return found === undefined ? undefined : Math.ceil(found.first * (1 + found.raise * life.index));
  };
}

/** Shares of the worst that all of the script's requests could cost; what they do cost is about a third of that. */
const SHARE: Partial<Record<LimitKind, readonly [number, number]>> = {
  turn: [0.15, 0.6],
  session: [0.1, 0.4],
  parent: [0.1, 0.4],
  agent_day: [0.12, 0.3],
  agent: [0.15, 0.25],
  day: [0.12, 0.2],
  total: [0.14, 0.14],
};
const WITHOUT: Partial<Record<LimitKind, number>> = { turn: 0.5, session: 0.2, agent_day: 0.2, agent: 0.4 };

/** Micro-USD, about. */
function mostOf(price: Price, request: PlannedRequest): number {
  const dearest = Math.max(
    ...[price, ...(price.tiers ?? [])].map((rates) =>
      Math.max(rates.input, rates.cache_read ?? 0, rates.cache_write ?? 0, rates.cache_write_1h ?? 0),
    ),
  );
  const output = Math.max(price.output, ...(price.tiers ?? []).map((rates) => rates.output));
  return ((request.contentBytes + PREAMBLE) * dearest + request.maxTokens * request.answers * output) / 1_000_000;
}
