import { chmod, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import { LIMITS } from "../../../src/protocol/index.ts";
import { openTestApp, untilTurnEnds } from "../../support/app.ts";
import { MovableClock } from "../../support/clock.ts";

/** How long the engine looks away between two looks at its program. */
const LOOK_MS = LIMITS.engineSilenceMs / 2;

it("a Codex that lives and does nothing is given up, although it answers", async () => {
  const clock = new MovableClock({ stands: true });
  await using app = await openTestApp({}, { clock });
  const codex = join(app.place.home, "codex");
  const script = resolve(import.meta.dirname, "app-server.mjs");
  await writeFile(codex, `#!/bin/sh\nexec "${process.execPath}" "${script}"\n`);
  await chmod(codex, 0o700);
  const silent = {
    base_url: "http://127.0.0.1:9",
    wire: "openai",
    openai_api: "responses",
    auth: "none",
    default_model: "silent",
    free: true,
  };
  await writeFile(
    join(app.place.home, "sallyport.yaml"),
    JSON.stringify({ programs: { codex }, provider: "silent", providers: { silent } }),
  );
  await app.restart();
  const { id } = await app.client.createSession({ engine: "codex", prompt: { text: "Do nothing." } });
  const said: string[] = [];
  const events = await untilTurnEnds(app.client, id, {
    onFrame: (frame) => {
      if (frame.type !== "error") return;
      said.push(frame.message);
      clock.pass(LOOK_MS);
    },
  });
  // After half of the time it is asked whether it lives.
  expect(said).toEqual(["Codex says: it idles", "Codex says: it lives"]);
  expect(events.at(-1)).toMatchObject({
    type: "turn.failed",
    error: { code: "engine_failed", message: expect.stringContaining("stopped responding") },
  });
});
