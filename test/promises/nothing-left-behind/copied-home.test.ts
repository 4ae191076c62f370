import { existsSync } from "node:fs";
import { copyFile, cp, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, test } from "vitest";
import { findServer } from "../../../src/cli/connect.ts";
import { markerOf } from "../../../src/cli/home/home-marker.ts";
import { script, untilTurnEnds } from "../../support/app.ts";
import { makePlace, startServer } from "../../support/server.ts";
import { until } from "../../support/until.ts";

it("a server on a copy of a home leaves the processes of the original alone, and is not taken for its server", async () => {
  const place = await makePlace();
  const copy = await makePlace();
  // Copied while stopped, as one should.
  await (await startServer(place)).stop();
  await cp(place.home, copy.home, { recursive: true });
  const server = await startServer(place);
  const command = "touch began; while [ ! -e go ]; do sleep 0.05; done; touch ended";
  const { id } = await server.client.createSession({
    autonomy: "full",
    prompt: { text: script({ tool: "Bash", input: { command } }, { say: "ok" }) },
  });
  await until(() => existsSync(join(place.workspace, "began")));
  await copyFile(join(place.home, "server.json"), join(copy.home, "server.json"));
  expect([(await findServer(place.home))?.url, await findServer(copy.home)]).toEqual([server.url, undefined]);
  const second = await startServer(copy);
  expect((await findServer(copy.home))?.url).toBe(second.url);
  await second.kill();
  await writeFile(join(place.workspace, "go"), "");
  const events = await untilTurnEnds(server.client, id);
  expect([events.at(-1)?.type, existsSync(join(place.workspace, "ended"))]).toEqual(["turn.completed", true]);
  await server.stop();
  await Promise.all([place.remove(), copy.remove()]);
});

test("the marker stays with its folder: moved it is the same, copied, damaged or of an older version it is made anew", async () => {
  const root = await mkdtemp(join(tmpdir(), "sallyport-marker-"));
  const home = await mkdtemp(join(root, "home-"));
  const moved = join(root, "moved");
  const copied = join(root, "copied");
  const marker = await markerOf(home);
  expect(await markerOf(home)).toBe(marker);
  await rename(home, moved);
  expect(await markerOf(moved)).toBe(marker);
  await cp(moved, copied, { recursive: true });
  const own = await markerOf(copied);
  expect([own === marker, await markerOf(copied), await markerOf(moved)]).toEqual([false, own, marker]);
  for (const odd of ["", "\n", "0123456789abcdef01234567\n", "x".repeat(1_048_576), `${marker}x`]) {
    await writeFile(join(moved, "instance"), odd);
    const made = await markerOf(moved);
    expect([made === marker, (await readFile(join(moved, "instance"), "utf8")).trim()]).toEqual([false, made]);
    expect(made).toMatch(/^[0-9a-f]{24}-[0-9a-f]+-[0-9a-f]+$/);
  }
  await rm(root, { recursive: true, force: true });
});
