import { access, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { SallyportClient } from "../../../src/client/index.ts";
import { approveWith, untilTurnEnds } from "../../support/house.ts";
import { Haystack } from "../../support/money/haystack.ts";
import { TEST_TOKEN, type Place } from "../../support/server.ts";
import { askProxy } from "../../support/vendor/ask.ts";
import { keyOf, openVendorHouse } from "../../support/vendor/house.ts";
import { MIND_KEY } from "../../support/vendor/mind.ts";
import { isVendor, markedProcesses, type Marked } from "../../support/vendor/processes.ts";

/** Not in the form of anybody's keys: what hides them must know them, not guess. */
const VARIABLES = {
  ANTHROPIC_API_KEY: "canary.of.anthropic.5c1d0e7a9b24",
  ANTHROPIC_AUTH_TOKEN: "canary.of.a.token.6d2e1f8b0c35",
  CLAUDE_CODE_OAUTH_TOKEN: "canary.of.a.login.7e3f2a9c1d46",
  OPENAI_API_KEY: "canary.of.openai.77f0a1c2d3e4b5968",
  AWS_SECRET_ACCESS_KEY: "canary.of.a.cloud.8f4a3b0d2e57",
} as const;
const CANARIES = { ...VARIABLES, file: MIND_KEY, admin: TEST_TOKEN } as const;
const SESSION_KEY = /sp_model_[A-Za-z0-9_-]{20,}/g;

const LOOK = "env > env.txt; cat /proc/$PPID/environ > parent.bin; ps eww > ps.txt; env";
const WAIT = "touch running; until [ -e go ]; do sleep 0.02; done; echo did-2";

async function exists(path: string): Promise<void> {
  while (
    !(await access(path).then(
      () => true,
      () => false,
    ))
  )
    await pause(10);
}

interface Seen {
  readonly id: string;
  readonly during: readonly Marked[];
  readonly journal: string;
}

/** A session that looks around itself, and what could be seen of it while a tool of it ran. */
async function lookAround(client: SallyportClient, place: Place, engine: string): Promise<Seen> {
  const steps = [LOOK, WAIT].map((command, index) => ({
    tool: "Bash",
    input: { command: `${command} # did-${index + 1}` },
  }));
  const text = `Look around.\nsim: ${JSON.stringify([...steps, { say: "said-3" }])}`;
  const { id } = await client.createSession({ engine, prompt: { text } });
  const turn = untilTurnEnds(client, id, { answer: approveWith(client) });
  await exists(join(place.workspace, "running"));
  const during = markedProcesses(place);
  await writeFile(join(place.workspace, "go"), "");
  const journal = JSON.stringify(await turn);
  expect(journal).toContain('"type":"turn.completed"');
  return { id, during, journal };
}

describe.each(["claude-sdk", "claude-cli"])("%s", (engine) => {
  it(
    "its process has no credential but the session's own key, which ends with the session",
    { timeout: 60_000 },
    async () => {
      await using house = await openVendorHouse(VARIABLES);
      const { place, doors } = house;
      const { client } = house.server;
      const { id, during, journal } = await lookAround(client, place, engine);
      const hay = new Haystack();
      for (const [index, { words, environment }] of during.entries()) {
        hay.add(`words ${index}`, words.join("\0"));
        hay.add(`environment ${index}`, JSON.stringify(environment));
      }
      await hay.addFiles("engines", join(place.home, "engines"));
      await hay.addFiles("workspace", place.workspace);
      hay.add("journal", journal);
      expect(hay.find(CANARIES).filter((where) => !where.endsWith("a session's key"))).toEqual([]);
      expect(hay.places).toEqual(expect.arrayContaining(["workspace /env.txt", "workspace /ps.txt", "workspace /parent.bin"]));
      // Its own key is in its environment and nowhere else: not in words that others can read, files of its own, or the journal.
      const own = during.filter((entry) => isVendor(entry) && entry.session === id);
      const keys = [...new Set(own.map(keyOf))];
      expect({ processes: own.length, keys: keys.length, form: keys.join().match(SESSION_KEY)?.length }).toEqual({
        processes: 1,
        keys: 1,
        form: 1,
      });
      const [key = ""] = keys;
      expect(hay.find({ key }).filter((where) => /^(?:words|journal|engines)/.test(where))).toEqual([]);
      // It works as long as the session lives.
      const answers = (): Promise<readonly number[]> => Promise.all(doors.map((door) => askProxy(door, key)));
      expect(await answers()).toEqual([200, 200]);
      await client.control(id, "close");
      expect(await answers()).toEqual([401, 401]);
      expect(markedProcesses(place).filter(({ session }) => session === id)).toEqual([]);
      // Nor does it come back.
      await house.restart();
      expect(await answers()).toEqual([401, 401]);
      expect(house.mind.strangers).toEqual([]);
    },
  );
});
