import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { script } from "../support/app.ts";
import { TEST_TOKEN } from "../support/server.ts";
import { openRuntimeApp, PageClient, type Message, type RuntimeApp } from "./runtime-world.ts";

const TABLE = { context: { viewType: "TableView" } };
const viewer = (viewerType: string): object => ({
  tool: "mcp__datagrok__add_viewer",
  input: { viewerType, viewerProperties: {} },
});

let app: RuntimeApp;
const added: unknown[] = [];
beforeAll(async () => {
  app = await openRuntimeApp();
  const { profiles } = await app.client.policy();
  const server = { ...profiles["server"], ask: ["mcp__datagrok__add_viewer"] };
  await app.client.setPolicy({ default_profile: "full", profiles: { server } });
});
afterAll(() => app[Symbol.asyncDispose]());

async function open(): Promise<PageClient> {
  const page = new PageClient(app.url, TEST_TOKEN, {
    add_viewer: (args) => {
      added.push((args as { viewerType: string }).viewerType);
      return "added";
    },
  });
  await page.opened;
  return page;
}

async function approve({ requestId }: Message): Promise<void> {
  const { id, input_hash } = await app.client.approval(String(requestId));
  await app.client.decide(id, { decision: "approve", input_hash });
}

describe("an answer that names no question", () => {
  it("does not reach the one that took the place of what was shown; that is shown again", async () => {
    const page = await open();
    page.ask("taken", script(viewer("Grid"), viewer("Form"), { say: "ok" }), TABLE);
    await approve(await page.next("approval_request"));
    const second = await page.next("approval_request");
    page.say({ type: "input_response", sessionId: "taken", value: true });
    expect(await page.next("approval_request")).toEqual(second);
    expect(await page.next("error")).toMatchObject({ sessionId: "taken", code: "input_changed" });
    expect(added).toEqual(["Grid"]);
    page.say({ type: "input_response", sessionId: "taken", value: true });
    await page.next("final");
    expect(added).toEqual(["Grid", "Form"]);
    await page.close();
  });

  it("does not count from a page that was not shown the question", async () => {
    const page = await open();
    const other = await open();
    added.length = 0;
    page.ask("other", script(viewer("Pie"), { say: "ok" }), TABLE);
    const asked = await page.next("approval_request");
    other.say({ type: "input_response", sessionId: "other", value: true });
    expect(await other.next("approval_request")).toEqual(asked);
    expect(await other.next("error")).toMatchObject({ sessionId: "other", code: "input_changed" });
    expect(added).toEqual([]);
    page.say({ type: "input_response", sessionId: "other", value: true });
    await page.next("final");
    expect(added).toEqual(["Pie"]);
    await page.close();
    await other.close();
  });

  it("means the next one after an answer from the same page", async () => {
    const page = await open();
    added.length = 0;
    page.ask("own", script(viewer("Bar"), viewer("Map"), { say: "ok" }), TABLE);
    await page.next("approval_request");
    page.say({ type: "input_response", sessionId: "own", value: true });
    await page.next("approval_request");
    page.say({ type: "input_response", sessionId: "own", value: true });
    await page.next("final");
    expect(added).toEqual(["Bar", "Map"]);
    await page.close();
  });
});
