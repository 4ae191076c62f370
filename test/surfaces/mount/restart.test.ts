import { describe, expect, it } from "vitest";
import type { MountClient } from "../../../src/client/index.ts";
import { script } from "../../support/app.ts";
import { ownPort } from "../../support/port.ts";
import { makePlace, startServer, TEST_TOKEN } from "../../support/server.ts";
import { Files } from "./world.ts";

const READERS = 16;

/** All bytes that one reader got, over however many connections. */
async function gather(files: Files, folder: string, seen: (bytes: number) => void = () => undefined): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const bytes of files.mount.follow(`${folder}/output`)) {
    parts.push(bytes);
    size += bytes.length;
    seen(size);
  }
  return Buffer.concat(parts).toString("utf8");
}

describe("output across a kill -9 of the server", () => {
  it("has the same bytes for 16 readers, early and late, and loses no chunk of a resumed watch", async () => {
    const place = await makePlace();
    const environment = { SALLYPORT_PORT: String(await ownPort()) };
    let server = await startServer(place, environment);
    try {
      const files = new Files(server.url, TEST_TOKEN);
      const folder = await files.create({
        autonomy: "full",
        initial_prompt: script(
          { say: "I begin." },
          { tool: "Bash", input: { command: "echo working" } },
          { stream: { tokens: 600, per_second: 150 } },
        ),
      });
      let shown = 0;
      let isUnderway = (): void => undefined;
      const underway = new Promise<void>((resolve) => {
        isUnderway = resolve;
      });
      const early = Array.from({ length: READERS / 2 }, () =>
        gather(files, folder, (bytes) => {
          shown = Math.max(shown, bytes);
          // In the middle of the long message, of which the journal has nothing yet.
          if (bytes > 400) isUnderway();
        }),
      );
      const watched = watchAll(files.mount, folder);
      await underway;
      const before = shown;
      await server.kill();
      server = await startServer(place, environment);
      const later = Array.from({ length: READERS / 4 }, () => gather(files, folder));
      const output = await files.outputUntilIdle(folder);
      const last = Array.from({ length: READERS / 4 }, () => gather(files, folder));
      await files.write(`${folder}/ctl`, "stop");
      const all = await Promise.all([...early, ...later, ...last]);
      expect(new Set(all).size).toBe(1);
      expect(all[0]).toBe(output);
      expect(all[0]?.startsWith("I begin.\n[Bash] echo working → completed\n")).toBe(true);
      const response = (await files.text(`${folder}/response`)).slice(0, -1);
      // What was shown before the server died is still there, and the message came whole after it.
      expect(Buffer.byteLength(output)).toBeGreaterThan(before + Buffer.byteLength(response));
      expect(await files.text(`${folder}/output`)).toBe(output);
      const chunks = await watched;
      const calls = chunks.filter(({ chunk }) => chunk.chunk_type !== "text" && chunk.chunk_type !== "tool_output");
      expect(calls.map(({ chunk }) => chunk.chunk_type)).toEqual(["tool_start", "tool_done", "done"]);
      const text = chunks.map(({ chunk }) => (chunk.chunk_type === "text" ? (chunk.delta ?? "") : "")).join("");
      expect(text.endsWith(response)).toBe(true);
    } finally {
      await server.kill();
      await place.remove();
    }
  });
});

async function watchAll(mount: MountClient, folder: string) {
  const frames = [];
  for await (const frame of mount.watch(`${folder}/output`)) frames.push(frame);
  return frames;
}
