import { afterAll, beforeAll, expect, test } from "vitest";
import { openTestApp, runScript, script, type TestApp } from "../support/app.ts";
import { TEST_TOKEN } from "../support/server.ts";

let app: TestApp;
beforeAll(async () => {
  app = await openTestApp();
});
afterAll(() => app[Symbol.asyncDispose]());

interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly required?: boolean }[];
}

const get = async (path: string): Promise<{ readonly status: number; readonly text: string }> => {
  const abort = new AbortController();
  const answer = await fetch(`${app.serving.url}${path}`, {
    headers: { authorization: `Bearer ${TEST_TOKEN}` },
    signal: abort.signal,
  });
  // A stream has no end: that it began is its answer.
  const isStream = answer.headers.get("content-type")?.includes("json") !== true;
  if (isStream) abort.abort();
  return { status: answer.status, text: isStream ? "" : await answer.text() };
};

const VALUES = [
  "",
  "-1",
  "0",
  "1.5",
  "1e3",
  "1e309",
  "0x10",
  "٣",
  "３",
  "1_000",
  " 5",
  "+5",
  "NaN",
  "Infinity",
  "null",
  "true",
  "99999999999999999999",
  "9007199254740993",
  "9223372036854775808",
  "[object Object]",
  "__proto__",
  "'; drop table sessions; --",
  "%",
  "\0",
  "\ud800",
  "x".repeat(5_000),
  "ses_zzzzzzzzzzzzzzzzzzzzzz",
];

test("no list takes a value that is no page of it for one, and none breaks", async () => {
  const { session } = await runScript(app.client, { prompt: { text: script({ say: "hi" }) } });
  await app.client.createSession({});
  const { paths } = JSON.parse((await get("/openapi.json")).text) as {
    readonly paths: Readonly<Record<string, { readonly get?: Operation }>>;
  };
  const broken: string[] = [];
  const cursors: string[] = [];
  const counts = { routes: 0, asked: 0 };
  const lists = Object.entries(paths).flatMap(([path, { get: operation }]) => {
    const query = (operation?.parameters ?? []).filter((parameter) => parameter.in === "query");
    return query.length === 0 ? [] : [{ path: path.replace("{id}", session.id), query }];
  });
  for (const { path } of lists) {
    const { text } = await get(`${path}?limit=1`);
    const next = /"(?:next_)?cursor":"([^"]+)"/.exec(text)?.[1];
    if (next !== undefined) cursors.push(next);
  }
  for (const { path, query } of lists) {
    counts.routes += 1;
    for (const { name } of query) {
      for (const value of [...VALUES, ...cursors]) {
        counts.asked += 1;
        const { status, text } = await get(`${path}?${name}=${encodeURIComponent(value.toWellFormed())}`);
        if (status >= 500 || (status >= 400 && !/"code":\s*"\w+"/.test(text)))
          broken.push(`${path}?${name}=${value.slice(0, 40)} ${String(status)} ${text.slice(0, 200)}`);
      }
      counts.asked += 1;
      const { status } = await get(`${path}?${name}=1&${name}=2`);
      if (status >= 500) broken.push(`${path} twice ${name} ${String(status)}`);
    }
  }
  console.log(counts, cursors);
  expect(broken).toEqual([]);
});
