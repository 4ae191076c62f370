import { describe, expect, it } from "vitest";
import { NO_USAGE, type SessionView, type Status } from "../../src/protocol/index.ts";
import type { SessionListFilter } from "../../src/client/index.ts";
import { flat, withSession, type SessionPages } from "../../src/web/console/app/session-lists.ts";
import { capsOf, press } from "../../src/web/ui/app/shortcut-keys.ts";

function session(
  minute: number,
  { status = "idle", title = "t" }: { status?: Status; title?: string } = {},
): SessionView {
  return {
    id: `ses_${String(minute)}`,
    status,
    settings: {
      engine: "loop",
      provider: "sim",
      model: "sim",
      workspace: "/w",
      sandbox: "local",
      profile: "full",
      autonomy: "supervised",
      max_turns: 15,
      max_tokens: 8_192,
      unattended: "deny",
      approval_timeout_ms: 300_000,
    },
    created_at: `2026-11-15T09:${String(minute).padStart(2, "0")}:00.000Z`,
    updated_at: "2026-11-15T10:00:00.000Z",
    created_by: { id: "tok_1", name: "ada", role: "admin" },
    seq: 1,
    turns: 0,
    queue: [],
    pending_approvals: [],
    grants: [],
    usage: NO_USAGE,
    cost_microusd: 0,
    title,
  };
}

const pageOf = (minutes: readonly number[]): readonly SessionView[] => minutes.map((minute) => session(minute));
const pages = (...lists: readonly (readonly number[])[]): SessionPages => ({
  pages: lists.map((minutes, index) =>
    index < lists.length - 1 ? { sessions: pageOf(minutes), next: "n" } : { sessions: pageOf(minutes) },
  ),
  pageParams: [],
});
const more = (data: SessionPages): SessionPages => ({
  ...data,
  pages: data.pages.map(({ sessions }) => ({ sessions, next: "n" })),
});

describe("a list of sessions while sessions change", () => {
  it.each<[string, SessionPages, SessionListFilter, SessionView, readonly string[]]>([
    ["a new one comes first", pages([5, 3], [2]), {}, session(6), ["6", "5", "3", "2"]],
    ["one that it does not hold comes to its place", pages([5, 3], [1]), {}, session(2), ["5", "3", "2", "1"]],
    ["also between two pages", pages([5, 3], [1]), {}, session(4), ["5", "4", "3", "1"]],
    ["the oldest comes last", pages([5], [3]), {}, session(1), ["5", "3", "1"]],
    ["unless its page was not read yet", more(pages([5], [3])), {}, session(1), ["5", "3"]],
    ["the first of an empty list", pages([]), {}, session(1), ["1"]],
    ["one that does not fit stays out", pages([5]), { status: "working" }, session(6), ["5"]],
    ["one that fits now comes in", pages([5]), { status: "working" }, session(6, { status: "working" }), ["6", "5"]],
    ["one that fits no more goes", pages([5, 4]), { status: "idle" }, session(4, { status: "working" }), ["5"]],
    ["another engine stays out", pages([5]), { engine: "claude-sdk" }, session(6), ["5"]],
    ["words are looked for in titles", pages([5]), { search: "FIX" }, session(6, { title: "Do fix it" }), ["6", "5"]],
    ["other titles stay out", pages([5]), { search: "fix" }, session(6), ["5"]],
    ["what the server found stays", pages([5, 4]), { search: "fix" }, session(4), ["5", "4"]],
  ])("%s", (_, data, filter, changed, minutes) => {
    expect(flat(withSession(data, filter, changed)).map(({ id }) => id)).toEqual(
      minutes.map((minute) => `ses_${minute}`),
    );
  });

  it("shows the new state in the old place", () => {
    const changed = session(3, { status: "pending_approval", title: "new" });
    expect(flat(withSession(pages([5, 3, 1]), {}, changed))).toEqual([session(5), changed, session(1)]);
  });
});

describe("keys", () => {
  const items = [{ keys: ["j", "ArrowDown"] }, { keys: ["g s"] }, { keys: ["g a"] }, { keys: ["?"] }] as const;

  it.each<[string, string | undefined, object]>([
    ["j", undefined, { hit: items[0] }],
    ["ArrowDown", undefined, { hit: items[0] }],
    ["x", undefined, {}],
    ["g", undefined, { waiting: "g" }],
    ["s", "g", { hit: items[1] }],
    ["a", "g", { hit: items[2] }],
    ["s", undefined, {}],
    ["j", "g", { hit: items[0] }],
    ["g", "g", { waiting: "g" }],
    ["x", "g", {}],
  ])("%s after %s", (key, waiting, pressed) => {
    expect(press(items, key, waiting)).toEqual(pressed);
  });

  it.each([
    ["g s", ["g", "s"]],
    ["ArrowDown", ["↓"]],
    [" ", ["Space"]],
  ])("%s is shown as %j", (keys, caps) => {
    expect(capsOf(keys)).toEqual(caps);
  });
});
