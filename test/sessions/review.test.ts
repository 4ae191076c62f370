import { describe, expect, it, test } from "vitest";
import {
  Failure,
  type Approval,
  type CreateSession,
  type Profile,
  type Role,
  type SessionSettings,
} from "../../src/protocol/index.ts";
import type { SessionCommand } from "../../src/sessions/core/commands.ts";
import { decide } from "../../src/sessions/core/decide.ts";
import { fold } from "../../src/sessions/core/fold.ts";
import { newState, toRow, type SessionState } from "../../src/sessions/core/state.ts";
import { chooseReview, isReviewedAtEnd } from "../../src/sessions/settings/review.ts";
import { UNBOUNDED } from "../support/caller.ts";

const WALLED = {
  sandbox: "bubblewrap",
  network: "none",
  workspace_mode: "snapshot",
  profile: "full",
  autonomy: "supervised",
} as const;

interface Asked {
  readonly role?: Role;
  readonly profile?: Profile;
  readonly request?: CreateSession;
  readonly settings?: Partial<SessionSettings>;
}

function choose({ role = "operator", profile = {}, request = { review: "at_end" }, settings }: Asked): unknown {
  return chooseReview({ caller: { role }, profile, request, base: undefined }, { ...WALLED, ...settings });
}

describe("which sessions are reviewed at the end", () => {
  test.each<[string, Asked, object]>([
    ["one that asks for it behind walls", {}, { review: "at_end" }],
    [
      "in a worktree with allowed hosts",
      { settings: { workspace_mode: "worktree", network: "proxy_only" } },
      { review: "at_end" },
    ],
    ["one whose profile says so", { profile: { review: "at_end" }, request: {} }, { review: "at_end" }],
    ["an agent's, where the profile says so", { role: "agent", profile: { review: "at_end" } }, { review: "at_end" }],
    ["none by default", { request: {} }, {}],
    ["one that asks for each", { profile: { review: "at_end" }, request: { review: "each" } }, {}],
    [
      "none without walls, though the profile says so",
      { profile: { review: "at_end" }, request: {}, settings: { sandbox: "local" } },
      {},
    ],
  ])("%s", (_name, asked, chosen) => {
    expect(choose(asked)).toEqual(chosen);
  });

  test.each<[string, Asked, string, RegExp]>([
    ["on the folder itself", { settings: { workspace_mode: "direct" } }, "invalid_request", /workspace_mode direct/],
    ["without walls", { settings: { sandbox: "local" } }, "invalid_request", /local has none/],
    ["with the machine's network", { settings: { network: "host" } }, "invalid_request", /network none or proxy_only/],
    [
      "with a promise to ask before each change",
      { settings: { permission_mode: "sdk" } },
      "invalid_request",
      /permission_mode sdk/,
    ],
    ["while planning", { settings: { permission_mode: "plan" } }, "invalid_request", /permission_mode plan/],
    [
      "of a session that asks about everything",
      { settings: { autonomy: "restricted" } },
      "invalid_request",
      /restricted/,
    ],
    ["against the policy", { profile: { allowed_review: ["each"] } }, "forbidden", /allowed_review/],
    [
      "of each change against the policy",
      { profile: { allowed_review: ["at_end"] }, request: { review: "each" } },
      "forbidden",
      /review each/,
    ],
    ["of an agent that chooses it itself", { role: "agent" }, "forbidden", /agents have review at_end only/],
  ])("is refused %s", (_name, asked, code, words) => {
    expect(() => choose(asked)).toThrowError(expect.objectContaining({ code, message: expect.stringMatching(words) }));
  });

  it("ends when the policy no longer allows it", () => {
    const settings = { ...WALLED, review: "at_end" } as const;
    expect([{}, { allowed_review: ["each" as const] }].map((profile) => isReviewedAtEnd(profile, settings))).toEqual([
      true,
      false,
    ]);
  });
});

const by = { id: "tok_1", name: "ann", role: "operator" } as const;
const at = "2026-01-01T00:00:00.000Z";
const settings: SessionSettings = {
  ...WALLED,
  engine: "loop",
  provider: "sim",
  model: "sim",
  workspace: "/project",
  review: "at_end",
  max_turns: 1,
  max_tokens: 1,
  unattended: "deny",
  approval_timeout_ms: 1,
};
const born = newState({ id: "ses_1", settings, at, by, token: UNBOUNDED, lineage: [], ancestors: [] });

function run(from: SessionState, ...commands: readonly SessionCommand[]): SessionState {
  let state = from;
  for (const command of commands) {
    const events = decide(state, command);
    if (events instanceof Failure) throw events;
    for (const body of events) state = fold(state, { seq: state.seq + 1, session_id: state.id, at, ...body });
  }
  return state;
}

const turn = (id: string): readonly SessionCommand[] => [
  { type: "prompt", turn_id: id, prompt: { text: "go" }, by },
  { type: "complete", changes: [], stop_reason: "end_turn" },
];
const review = (id: string, revision: string): SessionCommand => ({
  type: "ask",
  approval: { id, tool: "Review", turn_id: "t1", input: { revision } } as unknown as Approval,
});
const shown = ({ review_due, review: open, reviewed, pending }: SessionState): object => ({
  review_due,
  review: open?.approval_id,
  reviewed,
  pending,
});

describe("the state of a review", () => {
  const ended = run(born, { type: "open" }, ...turn("t1"));

  it("is due when a turn has ended, so that a restarted server looks for changes", () => {
    expect(shown(ended)).toEqual({ review_due: "t1", review: undefined, reviewed: undefined, pending: [] });
    expect(toRow(ended).unsettled).toBe(true);
    const none = run(ended, { type: "reviewed", revision: "empty", why: "" });
    expect(shown(none)).toEqual({ review_due: undefined, review: undefined, reviewed: "empty", pending: [] });
    expect(toRow(none).unsettled).toBe(false);
  });

  it("waits between turns, and a person's answer counts for what was shown", () => {
    const asked = run(ended, review("apr_1", "r1"));
    expect(shown(asked)).toEqual({ review_due: undefined, review: "apr_1", reviewed: undefined, pending: ["apr_1"] });
    expect(asked.status).toBe("idle");
    const answer = { approval_id: "apr_1", outcome: "rejected", by } as const;
    expect(shown(run(asked, { type: "answer", answer }))).toEqual({
      review_due: undefined,
      review: undefined,
      reviewed: "r1",
      pending: [],
    });
  });

  it.each<[string, readonly SessionCommand[], readonly string[]]>([
    ["the next prompt", [{ type: "prompt", turn_id: "t2", prompt: { text: "more" }, by }], []],
    ["another review", [review("apr_2", "r2")], ["apr_2"]],
    ["the end of the session", [{ type: "close" }], []],
  ])("is withdrawn by %s", (_name, commands, pending) => {
    const state = run(ended, review("apr_1", "r1"), ...commands);
    expect({ pending: state.pending, reviewed: state.reviewed }).toEqual({ pending, reviewed: undefined });
  });

  it("is not asked during a turn", () => {
    const working = run(ended, { type: "prompt", turn_id: "t2", prompt: { text: "more" }, by });
    expect(decide(working, review("apr_1", "r1"))).toMatchObject({ code: "conflict" });
    expect(working.review_due).toBeUndefined();
  });
});
