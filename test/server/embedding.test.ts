import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SallyportClient } from "../../src/client/index.ts";
import {
  openSallyport,
  type HookedCall,
  type JournalEvent,
  type SallyportOptions,
  type Sallyport,
  type ToolModule,
} from "../../src/server/index.ts";
import { script } from "../support/app.ts";
import { makePlace, TEST_SANDBOX, type Place } from "../support/server.ts";

const ran: string[] = [];
const shop: ToolModule = {
  name: "shop",
  tools: [
    {
      name: "refund",
      description: "Pays an order back.",
      input_schema: { type: "object", properties: { order: { type: "string" } }, required: ["order"] },
      tier: "execute",
      preview: ({ order }) => `Pays back the order ${String(order)}`,
      execute: async ({ order }) => {
        ran.push(String(order));
        return { content: `${String(order)} was paid back` };
      },
    },
    {
      name: "look",
      description: "Looks an order up.",
      input_schema: { type: "object", properties: { order: { type: "string" } } },
      tier: "read",
      execute: async ({ order }) => ({ content: `${String(order)} is open` }),
    },
  ],
};

const settings = { sandbox: TEST_SANDBOX as "local", start_ahead: false };
const lines: string[] = [];
const log = {
  info: () => undefined,
  warn: (fields: object, message: string) => void lines.push(message + JSON.stringify(fields)),
  error: (fields: object, message: string) => void lines.push(message + JSON.stringify(fields)),
};

let places: readonly Place[] = [];
let one: Sallyport;
let other: Sallyport;
const seen: HookedCall[] = [];

const options = (place: Place, more: Partial<SallyportOptions> = {}): SallyportOptions => ({
  home: place.home,
  workspace: place.workspace,
  settings,
  environment: { PATH: process.env["PATH"] },
  log,
  ...more,
});

beforeAll(async () => {
  places = await Promise.all([makePlace(), makePlace()]);
  const [first, second] = places as [Place, Place];
  one = await openSallyport(
    options(first, {
      tools: [shop],
      hooks: [
        {
          name: "disputes",
          tools: ["mcp__shop__*"],
          before: async (call) => {
            seen.push(call);
            const { order } = call.input;
            if (order === "A-1") return { deny: "The order A-1 is in dispute." };
            if (order === "A-2") return { ask: "The order A-2 is large." };
            if (order === "A-3") throw new Error("the database is away");
            if (order === "A-4") return "yes" as never;
            return undefined;
          },
        },
      ],
    }),
  );
  other = await openSallyport(options(second, { listen: { port: 0 } }));
});
afterAll(async () => {
  await Promise.all([one.close(), other.close()]);
  await Promise.all(places.map((place) => place.remove()));
});

/** Plays a script to the end of its turn; every question is answered with yes. */
async function play(gateway: Sallyport, steps: readonly object[]): Promise<readonly JournalEvent[]> {
  const { admin } = gateway;
  const { id } = await admin.sessions.start({ prompt: script(...steps) });
  const events: JournalEvent[] = [];
  for await (const frame of admin.watch(id)) {
    if (!("seq" in frame)) continue;
    events.push(frame);
    if (frame.type === "approval.requested")
      await admin.approvals.decide(frame.approval.id, { decision: "approve", input_hash: frame.approval.input_hash });
    if (frame.type === "turn.completed" || frame.type === "turn.failed") break;
  }
  return events;
}

const call = (tool: string, order: string): readonly object[] => [
  { tool: `mcp__shop__${tool}`, input: { order } },
  { say: "Done." },
];

const resultsIn = (events: readonly JournalEvent[]): readonly string[] =>
  events.flatMap((event) =>
    event.type === "item.completed" && "output" in event.item ? [JSON.stringify(event.item.output)] : [],
  );
const questionsIn = (events: readonly JournalEvent[]): readonly object[] =>
  events.flatMap((event) =>
    event.type === "approval.requested" ? [{ reason: event.approval.reason, preview: event.approval.preview }] : [],
  );

describe("a gateway inside a program", () => {
  it("has the program's tools: asked by their tier, with their own preview", async () => {
    const events = await play(one, call("refund", "B-7"));
    expect(questionsIn(events)).toEqual([
      expect.objectContaining({ preview: { type: "generic", summary: "Pays back the order B-7" } }),
    ]);
    expect(resultsIn(events)).toEqual([expect.stringContaining("B-7 was paid back")]);
    expect(ran).toEqual(["B-7"]);
    expect(seen[0]).toMatchObject({ tool: "mcp__shop__refund", tier: "execute", input: { order: "B-7" } });
  });

  it.each([
    ["a hook that denies", "A-1", "Denied by policy (disputes): The order A-1 is in dispute."],
    ["a hook that throws", "A-3", "Denied by policy (disputes): it failed: the database is away"],
    ["a hook that answers nonsense", "A-4", "Denied by policy (disputes): it answered with something"],
  ])("%s refuses the call, whatever its tier", async (_what, order, text) => {
    const events = await play(one, call("look", order));
    expect(resultsIn(events)).toEqual([expect.stringContaining(text)]);
    expect(questionsIn(events)).toEqual([]);
  });

  it("a hook asks about calls that would run unasked, and never allows calls that would be asked about", async () => {
    const events = await play(one, call("look", "A-2"));
    expect(questionsIn(events)).toEqual([expect.objectContaining({ reason: "The order A-2 is large." })]);
    expect(resultsIn(events)).toEqual([expect.stringContaining("A-2 is open")]);
    expect(questionsIn(await play(one, call("refund", "B-8")))).toHaveLength(1);
  });

  it("shares nothing with a second one in the same process", async () => {
    const events = await play(other, call("look", "B-1"));
    expect(resultsIn(events)).toEqual([expect.stringContaining("Unknown tool: mcp__shop__look")]);
    expect(one.adminToken).not.toBe(other.adminToken);
    await expect(one.principal(other.adminToken)).rejects.toMatchObject({ code: "unauthenticated" });
    expect([one.url, other.url]).toEqual([undefined, expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/)]);
    const { sessions } = await new SallyportClient({ url: other.url ?? "", token: other.adminToken }).sessions();
    expect(sessions).toHaveLength(1);
  });

  it("a principal has the rights of its token, until the token is gone", async () => {
    const { token } = await one.admin.createToken({ role: "viewer", name: "screen" });
    const viewer = await one.principal(token);
    await expect(viewer.sessions.start({})).rejects.toMatchObject({ code: "forbidden" });
    const feed = viewer.feed()[Symbol.asyncIterator]();
    const first = feed.next();
    const { id } = await one.admin.sessions.start({});
    expect(await first).toMatchObject({ value: { type: "session.changed", session: { id } } });
    await one.admin.sessions.close(id);
    expect(await viewer.sessions.get(id)).toMatchObject({ status: "complete" });
    await feed.return?.(undefined);
  });

  it("bad requests are refused by name, and nothing begins", async () => {
    await expect(one.admin.sessions.start({ model: 7 } as never)).rejects.toMatchObject({
      code: "invalid_request",
      message: expect.stringContaining("model: "),
    });
    const [place] = places as [Place];
    await expect(openSallyport(options(place))).rejects.toThrow(/another|in use|already/i);
    const bad = async (more: Partial<SallyportOptions>): Promise<unknown> =>
      openSallyport(options(place, more)).catch((error: Error) => error.message);
    expect(await bad({ hooks: [{ name: "a b", before: () => undefined }] })).toContain("hooks.0.name");
    expect(await bad({ settings: { nothing: 1 } })).toContain("nothing");
    expect(await bad({ home: "" })).toContain("needs a home");
    expect(await bad({ tools: [{ name: "x", tools: [] }] })).toContain("x of this program");
  });

  it("a closed one ends its watchers and opens again with what it had", async () => {
    const [place] = places as [Place];
    const { id } = await one.admin.sessions.start({});
    const frames = one.admin.watch(id)[Symbol.asyncIterator]();
    await frames.next();
    const rest = (async () => {
      while ((await frames.next()).done !== true);
      return "ended";
    })();
    await one.close();
    expect(await rest).toBe("ended");
    one = await openSallyport(options(place));
    expect(await one.admin.sessions.get(id)).toMatchObject({ id, status: "ready" });
  });
});
