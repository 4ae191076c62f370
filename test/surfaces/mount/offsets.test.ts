import { afterAll, beforeAll, expect, it } from "vitest";
import { LIMITS, type MountFrame } from "../../../src/protocol/index.ts";
import { script } from "../../support/app.ts";
import { openMountWorld, type Files, type MountWorld } from "./world.ts";

/** Turns, and calls in each: a journal with several places where a reader can begin. */
const TURNS = 8;
const CALLS = 12;

let world: MountWorld;
beforeAll(async () => {
  world = await openMountWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

async function readFrom({ url, token }: Files, folder: string, offset: number): Promise<Buffer> {
  const headers = { authorization: `Bearer ${token}` };
  return Buffer.from(await (await fetch(`${url}${folder}/output?read=1&offset=${offset}`, { headers })).arrayBuffer());
}

async function followFrom({ mount }: Files, folder: string, offset: number): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const bytes of mount.follow(`${folder}/output`, { offset, until: "idle" })) parts.push(bytes);
  return Buffer.concat(parts);
}

/** So many chunks after one of them. */
async function chunksAfter(
  { mount }: Files,
  folder: string,
  { after, count }: { readonly after?: string | undefined; readonly count: number },
): Promise<readonly MountFrame[]> {
  const frames: MountFrame[] = [];
  if (count > 0)
    for await (const frame of mount.watch(`${folder}/output`, after === undefined ? {} : { after }))
      if (frames.push(frame) === count) break;
  return frames;
}

it("an output from any offset has the bytes and chunks of the whole one, also after a restart", async () => {
  const { app } = world;
  const folder = await world.admin.create({ autonomy: "full" });
  const prompt = script(
    { say: "Grüße, 😀 I begin." },
    ...Array.from({ length: CALLS }, (_, index) => ({ tool: "Glob", input: { pattern: `*.${index}` } })),
    { say: "Done." },
  );
  let whole = Buffer.alloc(0);
  for (let turn = 0; turn < TURNS; turn += 1) {
    await world.admin.write(`${folder}/prompt`, prompt);
    whole = Buffer.concat([whole, await followFrom(world.admin, folder, whole.length)]);
  }
  const { seq } = await app.client.session(folder.slice("/claude/sessions/".length));
  expect(seq).toBeGreaterThan(4 * LIMITS.mountPlaceEvents);
  // Two texts, the calls twice, and the end, of each turn.
  const count = TURNS * (2 * CALLS + 3);
  const chunks = await chunksAfter(world.admin, folder, { count });
  const compare = async (files: Files): Promise<void> => {
    expect((await files.mount.stat(`${folder}/output`)).size).toBe(whole.length);
    for (let step = 0; step <= 12; step += 1) {
      const offset = Math.floor((step * whole.length) / 12);
      expect((await readFrom(files, folder, offset)).equals(whole.subarray(offset))).toBe(true);
      expect((await followFrom(files, folder, offset)).equals(whole.subarray(offset))).toBe(true);
      const at = Math.floor((step * count) / 12);
      const rest = { after: chunks[at - 1]?.id, count: count - at };
      expect(await chunksAfter(files, folder, rest)).toEqual(chunks.slice(at));
    }
  };
  await compare(world.admin);
  await app.restart();
  await compare(world.admin);
});
