import { expect, it } from "vitest";
import { titleOfPrompt } from "../../src/sessions/core/title.ts";
import { openTestApp, script, untilTurnEnds } from "../support/app.ts";

it("a session has a name, tags and a place in the archive, also after it has ended and after a restart", async () => {
  await using app = await openTestApp();
  const { id } = await app.client.createSession({ prompt: { text: `# Tidy the parser\n${script({ say: "Done." })}` } });
  const other = await app.client.createSession({});
  await untilTurnEnds(app.client, id, {});
  expect((await app.client.session(id)).title).toBe("Tidy the parser");
  await app.client.inbox.label(id, { title: "Parser", tags: ["work", "büro"] });
  await app.client.control(id, "close");
  expect(await app.client.inbox.label(id, { archived: true })).toMatchObject({
    status: "complete",
    title: "Parser",
    tags: ["work", "büro"],
    archived: true,
  });
  await app.restart();
  const ids = async (query: Parameters<typeof app.client.sessions>[0]): Promise<readonly string[]> =>
    (await app.client.sessions(query)).sessions.map((session) => session.id);
  expect([
    await ids({ archived: true }),
    await ids({ archived: false }),
    await ids({ tag: "büro" }),
    await ids({ tag: "bür" }),
    await ids({ search: "BÜRO" }),
    await ids({ workspace: app.place.workspace, archived: false }),
    await ids({ workspace: "/elsewhere" }),
    await ids({ to: "2000-01-01T00:00:00Z" }),
    (await ids({ from: "2000-01-01T00:00:00Z" })).length,
  ]).toEqual([[id], [other.id], [id], [], [id], [other.id], [], [], 2]);
  const plain = await app.client.inbox.label(id, { title: "", tags: [], archived: false });
  expect([plain.title, plain.tags, plain.archived]).toEqual(["Tidy the parser", undefined, undefined]);
});

it("refuses labels that nobody could use, and callers who may not", async () => {
  await using app = await openTestApp();
  const { id } = await app.client.createSession({});
  for (const label of [{}, { tags: ["a b"] }, { tags: ["a", "a"] }, { title: "x".repeat(201) }])
    await expect(app.client.inbox.label(id, label)).rejects.toMatchObject({ code: "invalid_request" });
  const viewer = await app.as("viewer");
  await expect(viewer.inbox.label(id, { title: "mine" })).rejects.toMatchObject({ code: "forbidden" });
});

it.each([
  ["Fix it", "Fix it"],
  ["\n\n  ## Fix   the\tparser \nand more", "Fix the parser"],
  ["> - quoted entry\nx", "quoted entry"],
  ["```ts\nconst a = 1;\n```", "const a = 1;"],
  ["1. first\n2. second", "first"],
  ["   ", ""],
  ["word ".repeat(40), `${"word ".repeat(19)}word …`],
])("names a session by what was asked: %j", (prompt, title) => {
  expect(titleOfPrompt(prompt)).toBe(title);
});
