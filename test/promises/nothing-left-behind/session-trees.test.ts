import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { readdir, readFile, watch, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { mountsBelow } from "../../../src/workspaces/overlay.ts";
import { script, untilTurnEnds } from "../../support/app.ts";
import { makePlace, startServer } from "../../support/server.ts";
import { until } from "../../support/until.ts";

test.each(["snapshot", "worktree"] as const)(
  "kill -9 while a session works in a %s loses no change and leaves no mount",
  async (workspace_mode) => {
    const place = await makePlace();
    const git = (...words: readonly string[]): string =>
      execFileSync("git", ["-C", place.workspace, "-c", "user.name=t", "-c", "user.email=t@localhost", ...words], {
        encoding: "utf8",
      });
    await writeFile(join(place.workspace, "a.txt"), "1\n");
    git("init", "--quiet");
    git("add", "--all");
    git("commit", "--quiet", "--message=all");
    const server = await startServer(place);
    const command = "echo 2 > a.txt; echo new > b.txt; touch began; sleep 600";
    const { id, settings } = await server.client.createSession({
      workspace_mode,
      autonomy: "full",
      prompt: { text: script({ tool: "Bash", input: { command } }, { say: "ok" }) },
    });
    await until(() => existsSync(join(settings.workspace, "began")));
    await server.kill();
    const next = await startServer(place);
    await next.client.interrupt(id);
    const { files } = await next.client.changes(id);
    expect(files.map(({ path, status }) => [path, status])).toEqual([
      ["a.txt", "modified"],
      ["b.txt", "added"],
      ["began", "added"],
    ]);
    await next.client.control(id, "close");
    expect(await mountsBelow(place.home)).toEqual([]);
    await next.client.deleteSession(id);
    expect(await readdir(join(place.home, "workspaces"))).toEqual([]);
    expect(git("worktree", "list").trim().split("\n")).toHaveLength(1);
    await next.stop();
    await place.remove();
  },
);

test("kill -9 while files are put back leaves each file whole, and no half-written one beside them", async () => {
  const place = await makePlace();
  const names = Array.from({ length: 200 }, (_, index) => `${index}.txt`);
  for (const name of names) await writeFile(join(place.workspace, name), "before\n");
  const recorded = { SALLYPORT_RECORD_FILES: "on" };
  const server = await startServer(place, recorded);
  const command = "for name in *.txt; do echo after > $name; done";
  const { id, seq } = await server.client.createSession({
    autonomy: "full",
    prompt: { text: script({ tool: "Bash", input: { command } }, { say: "ok" }) },
  });
  await untilTurnEnds(server.client, id, { after: seq });
  const { revision } = await server.client.reviews.compare(id, "start");
  const rewinding = server.client.reviews.rewind(id, { to: "start", revision }).catch(() => undefined);
  for await (const { filename } of watch(place.workspace)) if (filename?.includes(".sallyport-") === true) break;
  await server.kill();
  await rewinding;
  const next = await startServer(place, recorded);
  expect((await readdir(place.workspace)).toSorted()).toEqual(names.toSorted());
  const texts = await Promise.all(names.map((name) => readFile(join(place.workspace, name), "utf8")));
  expect(texts.filter((text) => text !== "before\n" && text !== "after\n")).toEqual([]);
  await next.stop();
  await place.remove();
});

test("a session whose creation a dead server did not finish leaves no files", async () => {
  const place = await makePlace();
  await writeFile(join(place.workspace, "a.txt"), "1\n");
  const server = await startServer(place, { SALLYPORT_CRASH_AT: "session.decided" });
  await server.client.createSession({ workspace_mode: "snapshot" }).catch(() => undefined);
  await server.exited;
  expect(await readdir(join(place.home, "workspaces"))).toHaveLength(1);
  const next = await startServer(place);
  expect(await readdir(join(place.home, "workspaces"))).toEqual([]);
  await next.stop();
  expect(await mountsBelow(place.home)).toEqual([]);
  await place.remove();
});
