import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openTestHouse, runScript, script } from "../../support/house.ts";
import { leftBehind, makePlace, startServer } from "../../support/server.ts";

const escape = "(setsid sleep 1000 &) ; nohup sleep 1000 >/dev/null 2>&1 & trap '' TERM; sleep 1000 &";

it("ends every process of a session that closes, also those that left their group", async () => {
  await using house = await openTestHouse();
  const { session } = await runScript(house.client, {
    autonomy: "full",
    prompt: {
      text: script(
        { tool: "Bash", input: { command: escape } },
        { tool: "Bash", input: { command: "sleep 1000", run_in_background: true } },
        { say: "ok" },
      ),
    },
  });
  expect((await leftBehind(house.place)).length).toBeGreaterThan(1);
  await house.client.control(session.id, "close");
  expect(await leftBehind(house.place)).toEqual([]);
});

it("ends what a killed server left, at the next start", async () => {
  const place = await makePlace();
  const first = await startServer(place);
  const session = await first.client.createSession({
    autonomy: "full",
    prompt: { text: script({ tool: "Bash", input: { command: `${escape} wait` } }) },
  });
  for await (const frame of first.client.watch(session.id)) if (frame.type === "item.updated") break;
  // The mark comes before the process: wait until the process is there.
  while ((await leftBehind(place)).length < 3) await new Promise((resolve) => setImmediate(resolve));
  await first.kill();
  expect((await leftBehind(place)).length).toBeGreaterThan(0);
  const second = await startServer(place);
  expect(await leftBehind(place)).toEqual([]);
  await second.stop();
  expect(await leftBehind(place)).toEqual([]);
  await place.remove();
});

it("leaves no half-written file and no folder of its own in the workspace", async () => {
  await using house = await openTestHouse();
  await runScript(house.client, {
    autonomy: "full",
    prompt: {
      text: script(
        { tool: "Write", input: { file_path: join(house.place.workspace, "a/b/c.txt"), content: "x" } },
        { say: "ok" },
      ),
    },
  });
  expect((await readdir(house.place.workspace, { recursive: true })).sort()).toEqual(["a", "a/b", "a/b/c.txt"]);
});
