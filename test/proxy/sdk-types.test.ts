import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { readRequestTypes, type RequestType } from "../../scripts/request-types.mjs";
import { fieldsOfRoute } from "../../src/proxy/request/fields.ts";
import { isKnownName } from "../../src/proxy/request/names.ts";
import { partKind } from "../../src/proxy/request/parts.ts";

type Route = "messages" | "responses" | "chat";

/** Everything in a request type that nobody has judged. */
function unjudged(route: Route, { fields, parts }: RequestType) {
  const judged = fieldsOfRoute(route);
  return {
    fields: fields.filter((name) => !judged.has(name)),
    types: Object.keys(parts).filter((type) => type !== "" && partKind(type) === undefined),
    names: [...new Set(Object.values(parts).flat())].filter((name) => !isKnownName(name)),
  };
}

const NOTHING = { fields: [], types: [], names: [] };

test("every field of Anthropic's newest library is judged", () => {
  const file = (path: string) => fileURLToPath(import.meta.resolve(`@anthropic-ai/sdk/${path}`));
  const [stable, beta] = [file("resources/messages/messages.js"), file("resources/beta/messages/messages.js")];
  const types = readRequestTypes([
    { name: "create", type: "MessageCreateParams", file: stable },
    { name: "count", type: "MessageCountTokensParams", file: stable },
    { name: "betaCreate", type: "MessageCreateParams", file: beta },
    { name: "betaCount", type: "MessageCountTokensParams", file: beta },
  ]);
  // The reader does read: without these the test could not fail.
  expect(types["betaCreate"]?.fields).toEqual(expect.arrayContaining(["thread", "container", "messages"]));
  expect(Object.keys(types["create"]?.parts ?? {})).toEqual(
    expect.arrayContaining(["tool_result", "web_search_20250305"]),
  );
  expect(Object.entries(types).map(([name, type]) => [name, unjudged("messages", type)])).toEqual([
    ["create", NOTHING],
    ["count", NOTHING],
    ["betaCreate", NOTHING],
    ["betaCount", NOTHING],
  ]);
});

test("every field of OpenAI's newest library is judged", () => {
  const recorded = JSON.parse(readFileSync(new URL("sdk/openai.json", import.meta.url), "utf8")) as Readonly<
    Record<"responses" | "chat", RequestType>
  >;
  expect([unjudged("responses", recorded.responses), unjudged("chat", recorded.chat)]).toEqual([NOTHING, NOTHING]);
});

test("a field that nobody has judged is found", () => {
  const invented: RequestType = { fields: ["model", "dream"], parts: { "": ["id", "omen"], oracle: ["type"] } };
  expect(unjudged("chat", invented)).toEqual({ fields: ["dream"], types: ["oracle"], names: ["omen"] });
});
