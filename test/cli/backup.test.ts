import { execFileSync } from "node:child_process";
import { mkdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { backUp, restore } from "../../src/store/sqlite/backup.ts";
import { examineDatabase } from "../../src/store/sqlite/examine.ts";
import { Place } from "./place.ts";
import { approveWith, openTestApp, script, untilTurnEnds } from "../support/app.ts";
import { faultsOf, journalOf, NO_FAULTS } from "../support/journals.ts";

const ask = {
  prompt: { text: script({ tool: "Bash", input: { command: "echo hi >> effects.txt" } }, { say: "Done." }) },
};

it("a backup of a running server brings sessions, tokens and questions back", async () => {
  await using app = await openTestApp();
  const path = join(app.place.home, "sallyport.db");
  const target = join(app.place.workspace, "a.backup");
  const kept = await app.client.createSession(ask);
  for await (const frame of app.client.watch(kept.id)) if (frame.type === "approval.requested") break;
  const operator = await app.as("operator", "keeps its token");
  const before = await journalOf(app.client, kept.id);
  const files = [{ name: "policy.yaml", body: "default_profile: server\n" }];
  const report = await backUp({ path, target, files, now: 0 });
  expect(report).toEqual({ sessions: 1, made_at: "1970-01-01T00:00:00.000Z", files });
  expect((await stat(target)).mode & 0o777).toBe(0o600);
  expect((await examineDatabase(target)).problems).toEqual([]);
  await expect(backUp({ path, target, files, now: 0 })).rejects.toMatchObject({ code: "conflict" });
  const nowhere = join(app.place.workspace, "none");
  await expect(backUp({ path, target: join(nowhere, "a.backup"), files, now: 0 })).rejects.toMatchObject({
    code: "not_found",
    message: `There is no folder ${nowhere}: make it first.`,
  });
  await app.client.createSession({});
  // Not while a server has the home, and not what is no backup.
  await expect(restore({ path, source: target, now: 0 })).rejects.toMatchObject({ code: "conflict" });
  await app.stop();
  const junk = join(app.place.workspace, "junk");
  await writeFile(junk, "not a database ".repeat(100));
  const untouched = await readFile(path);
  await expect(restore({ path, source: junk, now: 0 })).rejects.toMatchObject({ code: "invalid_request" });
  expect((await readFile(path)).equals(untouched)).toBe(true);
  const restored = await restore({ path, source: target, now: 0 });
  expect(restored).toMatchObject({ ...report, aside: `${path}.before-restore-1970-01-01T00-00-00-000Z` });
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect((await examineDatabase(restored.aside ?? "")).sessions).toBe(2);
  await app.restart();
  expect((await app.client.sessions()).sessions.map(({ id }) => id)).toEqual([kept.id]);
  expect((await journalOf(app.client, kept.id)).slice(0, before.length)).toEqual(before);
  const again = (await app.client.approvals({ status: "pending" })).approvals;
  expect(again.length).toBe(1);
  for (const approval of again) await approveWith(app.client)(approval);
  await untilTurnEnds(app.client, kept.id);
  expect(faultsOf(await journalOf(app.client, kept.id))).toEqual(NO_FAULTS);
  const same = await fetch(`${app.serving.url}/api/sessions`, {
    headers: { authorization: `Bearer ${operator.token}` },
  });
  expect(same.status).toBe(200);
});

it("a backup can be restored into a home that has nothing", async () => {
  await using app = await openTestApp();
  await app.client.createSession({});
  const target = join(app.place.workspace, "a.backup");
  await backUp({ path: join(app.place.home, "sallyport.db"), target, files: [], now: 0 });
  await app.stop();
  await rm(app.place.home, { recursive: true });
  await mkdir(app.place.home);
  const path = join(app.place.home, "sallyport.db");
  expect(await restore({ path, source: target, now: 0 })).toEqual({
    sessions: 1,
    made_at: "1970-01-01T00:00:00.000Z",
    files: [],
  });
  await app.restart();
  expect((await app.client.sessions()).sessions.length).toBe(1);
});

it("the command refuses a database that lost something, unless somebody accepts that", async () => {
  await using app = await openTestApp();
  await app.client.createSession({});
  await app.stop();
  const { home, workspace } = app.place;
  const record = join(home, "sallyport.db.record");
  const { instance, commits } = JSON.parse(await readFile(record, "utf8")) as { instance: string; commits: number };
  await writeFile(record, JSON.stringify({ instance, commits: commits + 1 }));
  await using place = new Place();
  const target = join(workspace, "a.backup");
  const refused = await place.run(["--home", home, "backup", target]);
  expect([refused.code, refused.stdout]).toEqual([1, ""]);
  expect(refused.stderr).toContain("sallyport backup --accept-data-loss");
  const accepted = await place.run(["--home", home, "backup", "--accept-data-loss", target]);
  expect([accepted.code, accepted.stdout]).toEqual([0, `${target}: 1 session, checked\n`]);
  expect(accepted.stderr).toContain("warning: The database of this home is older than it should be");
});

/** A busy machine: what the store refuses with takes a second to load, each time that somebody imports it. */
const SLOW_TO_LOAD = `import { register } from "node:module";
register("data:text/javascript," + encodeURIComponent(\`export async function resolve(specifier, context, next) {
  if (/refusal[^/]*$/.test(specifier)) await new Promise((loaded) => setTimeout(loaded, 1000));
  return next(specifier, context);
}\`));`;

it.each([
  ["backup", "error: There is no database PLACE/.sallyport/sallyport.db.\n"],
  ["restore", "error: There is no file PLACE/a.backup.\n"],
])("%s: a refusal is told in words, however long the machine takes to load them", async (command, words) => {
  await using place = new Place();
  const slow = `--import=data:text/javascript,${encodeURIComponent(SLOW_TO_LOAD)}`;
  const { code, stdout, stderr } = await place.start([command, "a.backup"], { NODE_OPTIONS: slow }).ended;
  expect([code, stdout, stderr]).toEqual([2, "", words.replace("PLACE", place.folder)]);
});

it("the command does not wait for a settings file that is a pipe", async () => {
  await using place = new Place();
  for (const name of ["sallyport.yaml", "policy.yaml"]) {
    const home = join(place.folder, name);
    await mkdir(home, { mode: 0o700 });
    execFileSync("mkfifo", ["-m", "600", join(home, name)]);
    const { code, stderr } = await place.run(["--home", home, "serve", "--port", "0"]);
    expect([code, stderr.includes(`${join(home, name)} is not a regular file`)]).toEqual([2, true]);
  }
});
