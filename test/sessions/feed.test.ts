import { beforeEach, describe, expect, it } from "vitest";
import {
  LIMITS,
  type Approval,
  type FeedFrame,
  type JournalEvent,
  type SessionSettings,
} from "../../src/protocol/index.ts";
import { Feed, type FeedBatch } from "../../src/sessions/lifecycle/feed.ts";
import { newState, type SessionState } from "../../src/sessions/core/state.ts";
import type { Store } from "../../src/store/index.ts";
import { caller, UNBOUNDED } from "../support/caller.ts";
import { approval } from "../conformance/store-rows.ts";

const SETTINGS = {
  engine: "loop",
  provider: "sim",
  model: "sim",
  workspace: "/w",
  sandbox: "local",
  profile: "default",
  autonomy: "supervised",
  max_turns: 1,
  max_tokens: 1,
  unattended: "deny",
  approval_timeout_ms: 1,
} as const satisfies SessionSettings;

const AT = "2026-01-01T00:00:00.000Z";
const alice = caller("tok_alice", "admin", { name: "Alice" });
const robot = caller("tok_robot", "agent", { name: "Robot" });

function state(id: string, seq: number, by = alice): SessionState {
  return { ...newState({ id, settings: SETTINGS, at: AT, by, token: UNBOUNDED, lineage: [], ancestors: [] }), seq };
}

const event = (session: SessionState, body: object = { type: "error", message: "m" }): JournalEvent =>
  ({ seq: session.seq, session_id: session.id, at: AT, ...body }) as JournalEvent;

let timers: (() => void)[];
let stored: Approval;
let feed: Feed;
beforeEach(() => {
  timers = [];
  stored = approval({ id: "apr_1" });
  feed = new Feed({
    store: { read: { approval: async () => stored } } as unknown as Store,
    clock: {
      now: () => 0,
      elapsed: () => 0,
      after: (_ms, callback) => {
        timers.push(callback);
        return () => undefined;
      },
    },
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
  });
});

/** Half a second passes: everything that waited for its interval happens. */
function pass(): void {
  for (const callback of timers.splice(0)) callback();
}

function change(session: SessionState): void {
  feed.observe(event(session), session);
}

async function next(batches: AsyncGenerator<FeedBatch>): Promise<{ anew: boolean; said: readonly string[] }> {
  const { value } = (await batches.next()) as { value: FeedBatch };
  const frames = value.lines.map(({ bytes }) => JSON.parse(new TextDecoder().decode(bytes)) as FeedFrame);
  return {
    anew: value.anew,
    said: frames.map((frame) =>
      frame.type === "session.changed"
        ? `${frame.session.id} ${frame.session.seq}`
        : `${frame.approval.id} ${frame.approval.status}`,
    ),
  };
}

describe("the feed", () => {
  it("tells a session at once, then once an interval, and last of all its last state", async () => {
    const batches = feed.open(alice, new AbortController().signal);
    for (let seq = 1; seq <= 5; seq += 1) change(state("ses_1", seq));
    change(state("ses_2", 1));
    expect(await next(batches)).toEqual({ anew: false, said: ["ses_1 1", "ses_2 1"] });
    pass();
    expect(await next(batches)).toEqual({ anew: false, said: ["ses_1 5"] });
    pass();
    expect(timers).toEqual([]);
    change(state("ses_1", 6));
    expect(await next(batches)).toEqual({ anew: false, said: ["ses_1 6"] });
  });

  it("tells a question when it is asked and when it is answered, without waiting", async () => {
    const batches = feed.open(alice, new AbortController().signal);
    const session = state("ses_1", 1);
    feed.observe(event(session, { type: "approval.requested", approval: stored }), session);
    expect(await next(batches)).toEqual({ anew: false, said: ["apr_1 pending", "ses_1 1"] });
    stored = { ...stored, status: "approved" };
    feed.observe(event(session, { type: "approval.resolved", approval_id: "apr_1", outcome: "approved" }), session);
    expect(await next(batches)).toEqual({ anew: false, said: ["apr_1 approved"] });
  });

  it("tells an agent of its own sessions only", async () => {
    const batches = feed.open(robot, new AbortController().signal);
    change(state("ses_1", 1));
    change(state("ses_2", 1, robot));
    expect(await next(batches)).toEqual({ anew: false, said: ["ses_2 1"] });
  });

  it("keeps of what waits for a slow reader the last state, and drops all of it when it is too much", async () => {
    const batches = feed.open(alice, new AbortController().signal);
    for (let seq = 1; seq <= 3; seq += 1) {
      change(state("ses_1", seq));
      pass();
    }
    expect(await next(batches)).toEqual({ anew: false, said: ["ses_1 3"] });
    for (let index = 0; index <= LIMITS.feedWaiting; index += 1) change(state(`many_${index}`, 1));
    change(state("ses_2", 1));
    expect(await next(batches)).toEqual({ anew: true, said: ["ses_2 1"] });
  });

  it("ends with its signal, and then costs nothing", async () => {
    const controller = new AbortController();
    const batches = feed.open(alice, controller.signal);
    const waiting = batches.next();
    controller.abort();
    expect(await waiting).toEqual({ done: true, value: undefined });
    change(state("ses_1", 1));
    expect(timers).toEqual([]);
  });
});
