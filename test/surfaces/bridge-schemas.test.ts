import { readFile } from "node:fs/promises";
import { Ajv2020 } from "ajv/dist/2020.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { JSON_SCHEMAS } from "../../src/protocol/schemas.ts";
import { approveWith, openTestApp, script, untilTurnEnds, type TestApp } from "../support/app.ts";
import { BridgeClient } from "./bridge-client.ts";

let app: TestApp;
beforeAll(async () => {
  app = await openTestApp();
});
afterAll(() => app[Symbol.asyncDispose]());

const EVERYTHING = script(
  { think: "I look around." },
  { tool: "TodoWrite", input: { todos: [{ content: "look", status: "pending", activeForm: "looking" }] } },
  { tool: "Write", input: { file_path: "a.txt", content: "hello\n" } },
  { tool: "Bash", input: { command: "cat a.txt" } },
  { tool: "NoSuchTool", input: {} },
  { say: "Done." },
);

async function schemaOf(name: string): Promise<object> {
  const headers = { authorization: `Bearer ${app.serving.token}` };
  const response = await fetch(`${app.serving.url}/api/schemas/${name}`, { headers });
  return (await response.json()) as object;
}

describe("the JSON Schemas of document 002's rows", () => {
  it.each(["compat", "rich", "codex"])("fit every row that the bridge sends in %s", async (mapping) => {
    const validate = new Ajv2020({ strict: false }).compile(await schemaOf(`${mapping}-row`));
    const bridge = new BridgeClient(app, { query: `replay=off&mapping=${mapping}` });
    await bridge.submit(EVERYTHING);
    const begun = await bridge.until("thread.started");
    const thread = String(begun.at(-1)?.["thread_id"]);
    await untilTurnEnds(app.client, thread, { answer: approveWith(app.client) });
    const rows = [...begun, ...(await bridge.turn())];
    bridge.close();
    expect(rows.length).toBeGreaterThan(5);
    const wrong = rows.flatMap((row) => (validate(row) ? [] : [{ row, errors: validate.errors }]));
    expect(wrong).toEqual([]);
    // And it is no schema that fits everything.
    expect([validate({ type: "no.such.row" }), validate({ ...rows[0], surprise: 1 })]).toEqual([false, false]);
  });

  it("are files too, which `node scripts/json-schemas.mjs` writes", async () => {
    for (const [name, schema] of Object.entries(JSON_SCHEMAS)) {
      const text = await readFile(new URL(`../../schemas/${name}.json`, import.meta.url), "utf8");
      expect(JSON.parse(text)).toEqual(schema);
    }
  });

  it("are those of the package, and the controls' is there too", async () => {
    const entry = "sallyport/schemas";
    const built = (await import(entry)) as { readonly JSON_SCHEMAS: Readonly<Record<string, object>> };
    for (const [name, schema] of Object.entries(built.JSON_SCHEMAS)) expect(await schemaOf(name)).toEqual(schema);
    const validate = new Ajv2020({ strict: false }).compile(JSON_SCHEMAS["bridge-control"] ?? {});
    expect([
      validate({ control: "run.submit", text: "hello" }),
      validate({ control: "bridge.status" }),
      validate({ control: "no.such.control" }),
    ]).toEqual([true, true, false]);
  });
});
