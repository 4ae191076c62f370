import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openTestApp, runScript, script } from "../../support/app.ts";
import { filesBelow } from "../../support/files-below.ts";

const CANARY = "sk-ant-canary-0123456789abcdefghijklmnop";
const ADMIN = "sp_canary-admin-token-0123456789abcdefghijklmnopqrstuv";

it("keeps the model key and tokens out of tools, journal, store, answers and files", async () => {
  await using app = await openTestApp({
    ANTHROPIC_API_KEY: CANARY,
    SALLYPORT_TOKEN: ADMIN,
    SALLYPORT_PROVIDER: "sim",
    SECRET_OF_THE_SERVER: CANARY,
  });
  const { SallyportClient } = await import("../../../src/client/index.ts");
  const client = new SallyportClient({ url: app.serving.url, token: ADMIN });
  await writeFile(join(app.place.workspace, "leak.txt"), `the key is ${CANARY}\nthe token is ${ADMIN}\n`);
  const seen: string[] = [];
  const { session, events } = await runScript(
    client,
    {
      prompt: {
        text: script(
          { say: `I was told ${CANARY}` },
          { tool: "Bash", input: { command: "env; cat /proc/self/environ; cat leak.txt" } },
          { tool: "Read", input: { file_path: join(app.place.workspace, "leak.txt") } },
          { tool: "Write", input: { file_path: join(app.place.workspace, "copy.txt"), content: CANARY } },
          { say: "done" },
        ),
      },
      metadata: { note: CANARY },
    },
    ({ id, input_hash, not_approvable }) =>
      client.decide(id, { decision: not_approvable === undefined ? "approve" : "reject", input_hash }),
  );
  seen.push(JSON.stringify(events));
  seen.push(
    JSON.stringify(await client.session(session.id)),
    JSON.stringify(await client.approvals()),
    JSON.stringify(await client.tokens()),
  );
  const headers = { authorization: `Bearer ${ADMIN}` };
  for (const path of [
    "/",
    "/openapi.json",
    "/api/audit",
    "/api/sessions",
    `/api/sessions/${session.id}/events`,
    "/api/policy",
  ]) {
    seen.push(await (await fetch(`${app.serving.url}${path}`, { headers })).text());
  }
  expect(events.at(-1)).toMatchObject({ type: "turn.completed" });
  const bash = events.find((event) => event.type === "item.completed" && event.item.type === "command_execution");
  expect(JSON.stringify(bash)).toContain("PATH=");
  expect(JSON.stringify(bash)).not.toContain("SECRET_OF_THE_SERVER");
  expect(seen.filter((text) => text.includes(CANARY) || text.includes(ADMIN))).toEqual([]);
  const leaks: string[] = [];
  for (const path of await filesBelow(app.place.home)) {
    const bytes = await readFile(path, "latin1").catch(() => "");
    if (bytes.includes(CANARY) || bytes.includes(ADMIN)) leaks.push(path);
  }
  expect(leaks).toEqual([]);
  expect((await stat(join(app.place.home, "sallyport.db"))).mode & 0o077).toBe(0);
  expect((await stat(app.place.home)).mode & 0o077).toBe(0);
});
