import { chmod, readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import { openTestApp, untilTurnEnds } from "../../support/app.ts";

const ENDED = {
  type: "turn.failed",
  error: { code: "engine_failed", message: "Codex ended unexpectedly, by SIGKILL. Send the prompt again." },
};
const CASES = ["initialize", "initialized", "thread/start"].flatMap((method) => [
  { method, deaths: 1, end: { type: "turn.completed" } },
  { method, deaths: 2, end: ENDED },
]);

it.each(CASES)(
  "a Codex that is killed at $method, $deaths times: begun again once",
  async ({ method, deaths, end }) => {
    await using app = await openTestApp();
    const codex = join(app.place.home, "codex");
    const letters = join(app.place.home, "deaths");
    const script = resolve(import.meta.dirname, "app-server.mjs");
    await writeFile(codex, `#!/bin/sh\nexec "${process.execPath}" "${script}" "${method}" "${letters}"\n`);
    await chmod(codex, 0o700);
    const mute = {
      base_url: "http://127.0.0.1:9",
      wire: "openai",
      openai_api: "responses",
      auth: "none",
      default_model: "mute",
      free: true,
    };
    await writeFile(
      join(app.place.home, "sallyport.yaml"),
      JSON.stringify({ programs: { codex }, provider: "mute", providers: { mute } }),
    );
    await app.restart();
    await writeFile(letters, "x".repeat(deaths));
    const { id } = await app.client.createSession({ engine: "codex", prompt: { text: "Say nothing." } });
    const events = await untilTurnEnds(app.client, id);
    expect(events.at(-1)).toMatchObject(end);
    expect(await readFile(letters, "utf8")).toBe("");
  },
);
