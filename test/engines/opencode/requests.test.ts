import { readFileSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openTestApp, untilTurnEnds, type TestApp } from "../../support/app.ts";
import type { Place } from "../../support/server.ts";

const PROMPT = "POST /session/ses_1/prompt_async";
const LOOKUPS = ["GET /session/ses_1", "GET /session/ses_1/message/<id>"];

async function install({ home }: Place): Promise<() => Promise<void>> {
  await mkdir(home, { mode: 0o700 });
  const program = join(home, "opencode.mjs");
  const source = await readFile(new URL("./scripted-opencode.mjs", import.meta.url), "utf8");
  // Its search path is empty, so the program that runs it is named in full.
  await writeFile(program, `#!${process.execPath}\n${source}`, { mode: 0o755 });
  await writeFile(join(home, "sallyport.yaml"), JSON.stringify({ programs: { opencode: program } }), { mode: 0o600 });
  return async () => undefined;
}

/** A session with the scripted program. A turn answers how it ended, and what the program was asked for it. */
async function open(
  app: TestApp,
): Promise<(text: string) => Promise<{ readonly end: string; readonly asked: string[] }>> {
  const { id } = await app.client.createSession({ engine: "opencode" });
  const file = join(app.place.home, "engines", id, "opencode", "requests.txt");
  const asked = (): string[] => readFileSync(file, "utf8").trim().split("\n");
  let after = 0;
  let known = 0;
  return async (text) => {
    await app.client.prompt(id, { text });
    const events = await untilTurnEnds(app.client, id, {
      after,
      onFrame: (frame) => {
        if (text === "wait" && frame.type === "item.started" && frame.item.type === "agent_message")
          void app.client.control(id, "interrupt");
      },
    });
    const last = events.at(-1);
    after = last?.seq ?? 0;
    const fresh = asked().slice(known);
    known += fresh.length;
    return { end: last?.type ?? "", asked: fresh };
  };
}

it("a turn after a complete one asks OpenCode for nothing but the prompt; after one that broke off its record is looked at", async () => {
  await using app = await openTestApp({}, { prepare: install });
  const turn = await open(app);
  expect(await turn("one")).toEqual({
    end: "turn.completed",
    asked: ["GET /event", "GET /global/health", "POST /session", PROMPT],
  });
  expect(await turn("two")).toEqual({ end: "turn.completed", asked: [PROMPT] });
  expect(await turn("wait")).toEqual({ end: "turn.failed", asked: [PROMPT, "POST /session/ses_1/abort"] });
  expect(await turn("four")).toEqual({ end: "turn.completed", asked: [...LOOKUPS, PROMPT] });
  expect(await turn("five")).toEqual({ end: "turn.completed", asked: [PROMPT] });
});

it.each([
  { deaths: LOOKUPS.slice(0, 1), end: "turn.completed" },
  { deaths: LOOKUPS.slice(1), end: "turn.completed" },
  // The first one was there before the turn.
  { deaths: ["GET /session/ses_1", "GET /global/health"], end: "turn.completed" },
  { deaths: ["GET /session/ses_1", "GET /global/health", "GET /global/health"], end: "turn.failed" },
  { deaths: [PROMPT], end: "turn.completed" },
  { deaths: [PROMPT, PROMPT], end: "turn.failed" },
])(
  "an OpenCode that dies at $deaths, before it has taken the prompt, is started again once",
  async ({ deaths, end }) => {
    await using app = await openTestApp({}, { prepare: install });
    const turn = await open(app);
    await turn("one");
    // It broke off, so the next one looks into the record.
    await turn("wait");
    const { sessions } = await app.client.sessions();
    const file = join(app.place.home, "engines", sessions[0]?.id ?? "", "opencode", "deaths.txt");
    await writeFile(file, deaths.join("\n"));
    expect((await turn("three")).end).toBe(end);
    expect(await readFile(file, "utf8")).toBe("");
    expect((await turn("four")).end).toBe("turn.completed");
  },
);
