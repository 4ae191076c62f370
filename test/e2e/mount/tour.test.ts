import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import { describeWithFuse, MountPlace, shell } from "../../support/fuse.ts";
import { openTestApp } from "../../support/app.ts";
import { TEST_TOKEN } from "../../support/server.ts";
import { startMount } from "./world.ts";

const PAGE = resolve(import.meta.dirname, "../../../docs/user/mount-filesystem.md");

describeWithFuse("the tour of the manual", () => {
  it("runs as it is written", async () => {
    const blocks = [...readFileSync(PAGE, "utf8").matchAll(/```sh tour\n(.*?)```/gs)].map(([, lines = ""]) => lines);
    const app = await openTestApp();
    const place = new MountPlace();
    const mount = await startMount({ url: app.serving.url, token: TEST_TOKEN, folder: place.folder });
    try {
      const { code, stdout, stderr } = await shell(place.root, `set -e\n${blocks.join("echo ---\n")}`);
      expect([code, stderr]).toEqual([0, ""]);
      const [created, , approved, forked, ended] = stdout.split("---\n");
      const hello = join(app.place.workspace, "hello.txt");
      expect(created).toMatch(/"status": "creating".*"status": "ready"|"status": "creating".*"status": "creating"/s);
      expect(approved).toContain(`\n[Write] ${hello} → completed\n`);
      expect(approved).toContain("\n[Bash] cp hello.txt copy.txt → completed\n");
      expect(JSON.parse(approved?.slice(0, approved.indexOf("\n]") + 2) ?? "")).toMatchObject([{ tool: "Write" }]);
      expect(forked).toMatch(/\[Read\].*→ completed/);
      expect(forked?.match(/^ses_\w+$/gm)).toHaveLength(2);
      expect(ended).toMatch(/"cost_usd": 0/);
      expect(ended?.endsWith('  "status": "complete",\n')).toBe(true);
    } finally {
      await mount.end("SIGTERM");
      place.remove();
      await app[Symbol.asyncDispose]();
    }
  });
});
