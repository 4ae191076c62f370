import { expect, it } from "vitest";
import { WebSocket } from "ws";
import { LiveConnection } from "../../../src/client/index.ts";
import type { Approval } from "../../../src/protocol/index.ts";
import { countTool } from "../../client/page-world.ts";
import { openTestApp, script, untilTurnEnds } from "../../support/app.ts";

it("a grant for a page's tool means this call, unless the person picks the broader rule", async () => {
  await using app = await openTestApp();
  const { url, token } = app.serving;
  const live = new LiveConnection({ url, token, WebSocket });
  const { id } = await app.client.createSession({});
  const ran: number[] = [];
  const tool = countTool({
    tier: "execute",
    handler: ({ n }) => {
      ran.push(n);
      return Promise.resolve(`counted ${n}`);
    },
  });
  await live.offer(id, { page: "app", tools: [tool] }).ready();
  const asked: Approval[] = [];
  const call = (n: number): object => ({ tool: "mcp__app__count", input: { n } });
  const turn = async (rule: "session_rule" | "broader_rule", ...numbers: readonly number[]): Promise<void> => {
    const { seq } = await app.client.prompt(id, { text: script(...numbers.map(call), { say: "Done." }) });
    await untilTurnEnds(app.client, id, {
      after: seq - 1,
      answer: (approval) => {
        asked.push(approval);
        const picked = rule === "session_rule" ? {} : { rule: approval.broader_rule ?? "" };
        return app.client.decide(approval.id, {
          decision: "approve",
          input_hash: approval.input_hash,
          scope: "session",
          ...picked,
        });
      },
    });
  };
  await turn("session_rule", 1, 1, 2);
  expect(asked.map(({ input, session_rule, broader_rule }) => [input, session_rule, broader_rule])).toEqual([
    [{ n: 1 }, 'mcp__app__count({"n":1})', "mcp__app__count"],
    [{ n: 2 }, 'mcp__app__count({"n":2})', "mcp__app__count"],
  ]);
  await turn("broader_rule", 3, 4);
  expect([asked.length, ran]).toEqual([3, [1, 1, 2, 3, 4]]);
  expect((await app.client.session(id)).grants).toEqual([
    'mcp__app__count({"n":1})',
    'mcp__app__count({"n":2})',
    "mcp__app__count",
  ]);
  live.close();
});
