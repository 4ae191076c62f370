import { mkdir, rename, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LIMITS } from "../../src/protocol/index.ts";
import { WorkspaceFiles } from "../../src/sessions/workspace/workspace-files.ts";
import { openTestApp, type TestApp } from "../support/app.ts";

let app: TestApp;
beforeAll(async () => {
  app = await openTestApp({}, "home inside workspace");
});
afterAll(() => app[Symbol.asyncDispose]());

const refused = (answer: Promise<unknown>): Promise<unknown> =>
  answer.then(
    () => "not refused",
    (error: unknown) => (error as { readonly code?: unknown }).code,
  );

describe("the files of a session", () => {
  it.each(["the server's own folder", "a folder outside the roots"])(
    "are not those of what its workspace was made a link to: %s",
    async (where) => {
      const { workspace, home } = app.place;
      const elsewhere = join(dirname(workspace), "elsewhere");
      await mkdir(elsewhere, { recursive: true });
      await writeFile(join(elsewhere, "private.txt"), "");
      const place = join(workspace, where.length.toString());
      await mkdir(place);
      const agent = await app.as("agent");
      const { id } = await agent.createSession({ workspace: place });
      await rename(place, `${place}-old`);
      await symlink(where.startsWith("the") ? home : elsewhere, place);
      expect(await refused(agent.files(id, {}))).toBe("workspace_missing");
    },
  );

  it("are listed by a few programs at a time", async () => {
    const files = new WorkspaceFiles({ now: () => 0 }, []);
    const folders = Array.from({ length: LIMITS.listedWorkspaces + 2 }, (_, index) =>
      join(app.place.workspace, `many-${index}`),
    );
    for (const folder of folders) await mkdir(folder);
    const answers = await Promise.all(folders.map((folder) => refused(files.of(folder))));
    expect(answers.filter((answer) => answer === "limit_reached").length).toBe(2);
    expect(await files.of(folders.at(-1) ?? "")).toEqual({ files: [], truncated: false });
  });
});

describe("the server's own folder", () => {
  it.each(["admin", "agent"] as const)("is no workspace, for the role %s", async (role) => {
    const client = await app.as(role);
    expect(await refused(client.createSession({ workspace: ".sallyport" }))).toBe("forbidden");
  });
});
