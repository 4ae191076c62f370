import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { WebSocket } from "ws";
import { LiveConnection } from "../../src/client/index.ts";
import { openTestApp, script, untilTurnEnds, type TestApp } from "../support/app.ts";
import { toldBy } from "./page-world.ts";

let app: TestApp;
beforeAll(async () => {
  app = await openTestApp();
});
afterAll(() => app[Symbol.asyncDispose]());

it("the ten lines of page-tools.md offer a tool that the agent can call", async () => {
  const paper = readFileSync(resolve(import.meta.dirname, "../../docs/user/page-tools.md"), "utf8");
  const lines = /<script type="module">\n([\s\S]*?)<\/script>/.exec(paper)?.[1] ?? "";
  const [first = "", ...rest] = lines.trim().split("\n");
  expect(first).toBe('import { LiveConnection } from "sallyport/client";');
  // The page's bundler has the import; SERVER, SESSION_ID and what /my/token answers are the page's own.
  class NodeLive extends LiveConnection {
    constructor(options: { url: string; token: string }) {
      super({ ...options, WebSocket });
    }
  }
  const { id } = await app.client.createSession({ autonomy: "supervised" });
  const cart: string[] = ["bread"];
  const page = `export async function run({ LiveConnection, SERVER, SESSION_ID, cart, fetch }) {${rest.join("\n")}\nreturn live;}`;
  const embedded = (await import(/* @vite-ignore */ `data:text/javascript,${encodeURIComponent(page)}`)) as {
    run(world: object): Promise<LiveConnection>;
  };
  const { url: SERVER, token } = app.serving;
  // The page's own server, which knows its visitors.
  const fetch = async () => Response.json({ token });
  const live = await embedded.run({ LiveConnection: NodeLive, SERVER, SESSION_ID: id, cart, fetch });
  const { seq } = await app.client.prompt(id, {
    text: script({ tool: "mcp__shop__add_to_cart", input: { article: "milk" } }),
  });
  const events = await untilTurnEnds(app.client, id, { after: seq - 1 });
  expect([toldBy(events), cart]).toEqual([[{ text: '{"in_cart":2}', failed: false }], ["bread", "milk"]]);
  live.close();
});
