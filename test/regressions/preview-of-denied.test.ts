import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { EditPreview } from "../../src/protocol/index.ts";
import { approveWith, openTestApp, runScript, script, type TestApp } from "../support/app.ts";

let app: TestApp;
beforeAll(async () => {
  app = await openTestApp();
});
afterAll(() => app[Symbol.asyncDispose]());

it("the preview of another input shows nothing of a file that the policy denies", async () => {
  await writeFile(join(app.place.workspace, "secret.txt"), "the combination is 4711\n");
  const policy = await app.client.policy();
  await app.client.setPolicy({
    ...policy,
    profiles: {
      strict: { autonomy: "supervised", deny: ["Write(secret.txt)", "Edit(secret.txt)", "Read(secret.txt)"] },
    },
  });
  const seen: EditPreview[] = [];
  await runScript(
    app.client,
    {
      profile: "strict",
      prompt: { text: script({ tool: "Write", input: { file_path: "a.txt", content: "a\n" } }, { say: "end" }) },
    },
    async (approval) => {
      const input = { file_path: "secret.txt", content: "" };
      seen.push(await (await app.as("operator")).previewEdit(approval.id, { input }));
      await approveWith(app.client)(approval);
    },
  );
  const [answer] = seen;
  expect(answer).toMatchObject({
    preview: { type: "generic", summary: answer?.ruling.why },
    ruling: { effect: "deny" },
  });
  expect(JSON.stringify(answer)).not.toContain("4711");
});
