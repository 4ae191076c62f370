import { access, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { approveWith, untilTurnEnds } from "../../support/app.ts";
import { Haystack } from "../../support/money/haystack.ts";
import { TEST_TOKEN } from "../../support/server.ts";
import { askProxy } from "../../support/vendor/ask.ts";
import { keyOf, openVendorApp, type VendorApp } from "../../support/vendor/app.ts";
import { MIND_KEY } from "../../support/vendor/mind.ts";
import { isVendor, markedProcesses, type Marked } from "../../support/vendor/processes.ts";
import { until } from "../../support/until.ts";

/** Not in the form of anybody's keys: what hides them must know them, not guess. */
const VARIABLES = {
  ANTHROPIC_API_KEY: "canary.of.anthropic.5c1d0e7a9b24",
  ANTHROPIC_AUTH_TOKEN: "canary.of.a.token.6d2e1f8b0c35",
  CLAUDE_CODE_OAUTH_TOKEN: "canary.of.a.login.7e3f2a9c1d46",
  OPENAI_API_KEY: "canary.of.openai.77f0a1c2d3e4b5968",
  AWS_SECRET_ACCESS_KEY: "canary.of.a.cloud.8f4a3b0d2e57",
} as const;
const CANARIES = { ...VARIABLES, file: MIND_KEY, admin: TEST_TOKEN } as const;
const SESSION_KEY = /^sp_model_[A-Za-z0-9_-]{20,}$/;
const ENGINES = ["claude-sdk", "claude-cli"] as const;

let app: VendorApp;
const dead: string[] = [];
beforeAll(async () => {
  app = await openVendorApp(VARIABLES);
});
afterAll(() => app[Symbol.asyncDispose]());

/** The answers of both doors of the model proxy. */
function askWith(key: string): Promise<readonly number[]> {
  return Promise.all(app.doors.map((door) => askProxy(door, key)));
}

async function exists(path: string): Promise<void> {
  const there = (): Promise<boolean> =>
    access(path).then(
      () => true,
      () => false,
    );
  await until(there);
}

interface Seen {
  readonly id: string;
  /** Processes while a tool ran. */
  readonly during: readonly Marked[];
  readonly journal: string;
}

/** A session that looks around itself, and what could be seen of it from outside. */
async function lookAround(engine: string): Promise<Seen> {
  const { client } = app.server;
  const file = (name: string): string => `${engine}.${name}`;
  const look = `env > ${file("env")}; cat /proc/$$/environ > ${file("environ")}; ps eww $$ > ${file("ps")}; env # did-1`;
  const wait = `touch ${file("running")}; until [ -e ${file("go")} ]; do sleep 0.02; done # did-2`;
  const steps = [look, wait].map((command) => ({ tool: "Bash", input: { command } }));
  const text = `Look around.\nsim: ${JSON.stringify([...steps, { say: "said-3" }])}`;
  const { id } = await client.createSession({ engine, prompt: { text } });
  const turn = untilTurnEnds(client, id, { answer: approveWith(client) });
  await exists(join(app.place.workspace, file("running")));
  const during = markedProcesses(app.place);
  await writeFile(join(app.place.workspace, file("go")), "");
  const events = await turn;
  expect(events.at(-1)).toMatchObject({ type: "turn.completed" });
  return { id, during, journal: JSON.stringify(events) };
}

describe("a vendor's process", () => {
  it.each(ENGINES)("%s has no credential but the session's own key, which ends with the session", async (engine) => {
    const { place, server } = app;
    const { id, during, journal } = await lookAround(engine);
    const own = during.filter((entry) => isVendor(entry) && entry.session === id);
    const [key = ""] = own.map(keyOf);
    expect({ processes: own.length, key }).toMatchObject({ processes: 1, key: expect.stringMatching(SESSION_KEY) });
    // That one variable is the only place: no other process, word, file or event has any key.
    const hay = new Haystack();
    for (const entry of during) {
      const { [isVendor(entry) ? "ANTHROPIC_AUTH_TOKEN" : ""]: _, ...environment } = entry.environment;
      hay.add("words", entry.words.join("\0"));
      hay.add(`environment of a ${isVendor(entry) ? "vendor" : "tool"}`, JSON.stringify(environment));
    }
    await hay.addFiles("engines", join(place.home, "engines"));
    await hay.addFiles("workspace", place.workspace);
    hay.add("journal", journal);
    expect(hay.find(CANARIES)).toEqual([]);
    const files = ["env", "environ", "ps"].map((name) => `workspace /${engine}.${name}`);
    expect(hay.places).toEqual(expect.arrayContaining(["environment of a vendor", "environment of a tool", ...files]));
    expect(hay.places.some((where) => where.startsWith(`engines /${id}/claude/projects/`))).toBe(true);
    expect(await askWith(key)).toEqual([200, 200]);
    await server.client.control(id, "close");
    expect(await askWith(key)).toEqual([401, 401]);
    expect(markedProcesses(place).filter(({ session }) => session === id)).toEqual([]);
    dead.push(key);
  });

  it("left keys that do not come back with the server", async () => {
    expect(dead).toHaveLength(ENGINES.length);
    await app.restart();
    for (const key of dead) expect(await askWith(key)).toEqual([401, 401]);
    // No provider ever saw one of them.
    expect(app.mind.strangers).toEqual([]);
  });
});
