import { describe, expect, it } from "vitest";
import { LIMITS, type ProjectContent, type ProjectTable, type SaveProject } from "../../src/protocol/index.ts";
import { openTestApp } from "../support/app.ts";

const first: ProjectTable = {
  name: "demog",
  columns: ["age", "sex"],
  source: { kind: "sample", id: "demog" },
  layout: '{"table":"demog"}',
};
const content: ProjectContent = {
  tables: [first, { name: "mine", columns: ["a"], source: { kind: "computer" }, layout: "{}" }],
  shown: 1,
  queries: [{ name: "Query 1", source: "page", sql: "SELECT 1" }],
};

describe("projects of the workbench", () => {
  it("are saved, opened by others, renamed, changed and deleted, also after a restart", async () => {
    await using app = await openTestApp();
    const [ada, bob] = [await app.as("operator", "Ada"), await app.as("viewer", "Bob")];
    const saved = await ada.projects.save("p1", { name: "  Ages  ", content });
    expect(saved).toMatchObject({ id: "p1", name: "Ages", revision: 1, tables: 2, queries: 1 });
    expect(saved.created_by.name).toBe("Ada");
    expect(saved.bytes).toBe(Buffer.byteLength(JSON.stringify(content)));
    expect(await bob.projects.list()).toEqual({ projects: [saved] });
    expect(await bob.projects.get("p1")).toEqual({ ...saved, content });
    const renamed = await ada.projects.save("p1", { name: "Ages of people", revision: 1 });
    expect(renamed).toMatchObject({ name: "Ages of people", revision: 2, tables: 2, bytes: saved.bytes });
    const less = { ...content, tables: content.tables.slice(0, 1), shown: 0 };
    const changed = await ada.projects.save("p1", { name: "Ages of people", revision: 2, content: less });
    await app.restart();
    const { projects } = app.client;
    expect(await projects.get("p1")).toEqual({ ...changed, content: less });
    await projects.delete("p1");
    expect(await projects.list()).toEqual({ projects: [] });
    await expect(projects.get("p1")).rejects.toMatchObject({ code: "not_found" });
    const { entries } = await app.client.audit({ action: "project." });
    expect(entries.map(({ action, target, by }) => [action, target, by.name])).toEqual([
      ["project.delete", "p1", expect.any(String)],
      ["project.set", "p1", "Ada"],
      ["project.set", "p1", "Ada"],
      ["project.set", "p1", "Ada"],
    ]);
  });

  it("are changed by their owner and by admins alone, and an agent sees only its own", async () => {
    await using app = await openTestApp();
    const [ada, bob, agent] = [
      await app.as("operator", "Ada"),
      await app.as("operator", "Bob"),
      await app.as("agent", "Bot"),
    ];
    await ada.projects.save("p1", { name: "Ada's", content });
    await agent.projects.save("p2", { name: "Bot's", content });
    await expect(bob.projects.save("p1", { name: "Bob's", revision: 1 })).rejects.toMatchObject({
      code: "forbidden",
      message: expect.stringContaining("Ada saved this project"),
    });
    await expect(bob.projects.delete("p1")).rejects.toMatchObject({ code: "forbidden" });
    for (const refused of [
      () => agent.projects.get("p1"),
      () => agent.projects.delete("p1"),
      () => agent.projects.save("p1", { name: "Bot's", revision: 1 }),
    ])
      await expect(refused()).rejects.toMatchObject({ code: "not_found" });
    expect((await agent.projects.list()).projects.map(({ id }) => id)).toEqual(["p2"]);
    expect((await bob.projects.list()).projects.map(({ id }) => id)).toEqual(["p1", "p2"]);
    const viewer = await app.as("viewer", "Eve");
    await expect(viewer.projects.save("p3", { name: "Eve's", content })).rejects.toMatchObject({ code: "forbidden" });
    await app.client.projects.save("p1", { name: "An admin's name", revision: 1 });
    await app.client.projects.delete("p2");
    expect((await bob.projects.list()).projects.map(({ name }) => name)).toEqual(["An admin's name"]);
  });

  it("do not overwrite what another one saved meanwhile; a request that is sent twice changes once", async () => {
    await using app = await openTestApp();
    const { projects } = app.client;
    const saved = await projects.save("p1", { name: "Ages", content });
    expect(await projects.save("p1", { name: "Ages", content })).toEqual(saved);
    const other = { ...content, queries: [] };
    await expect(projects.save("p1", { name: "Ages", content: other })).rejects.toMatchObject({ code: "conflict" });
    const [one, two] = await Promise.allSettled([
      projects.save("p1", { name: "Mine", revision: 1, content: other }),
      projects.save("p1", { name: "Yours", revision: 1, content: other }),
    ]);
    expect([one.status, two.status].toSorted()).toEqual(["fulfilled", "rejected"]);
    expect((await projects.get("p1")).revision).toBe(2);
    await expect(projects.save("p2", { name: "Gone", revision: 4 })).rejects.toMatchObject({ code: "not_found" });
  });

  it("have bounds, of which the refusal tells", async () => {
    await using app = await openTestApp();
    const { projects } = app.client;
    const long = { ...content, queries: [{ name: "q", source: "page", sql: "é".repeat(600_000) }] };
    await expect(projects.save("p1", { name: "Long", content: long })).rejects.toMatchObject({
      code: "payload_too_large",
    });
    const wrong: readonly [SaveProject, string][] = [
      [{ name: " ", content }, "name"],
      [{ name: "x".repeat(LIMITS.workbenchProjectNameChars + 1), content }, "name"],
      [{ name: "x", content: { ...content, shown: -1 } }, "shown"],
      [{ name: "x", content: { ...content, tables: Array.from({ length: 33 }, () => first) } }, "tables"],
      [{ name: "x", content: { ...content, rows: [] } as ProjectContent }, "rows"],
    ];
    for (const [project, named] of wrong)
      await expect(projects.save("p1", project)).rejects.toMatchObject({
        code: "invalid_request",
        message: expect.stringContaining(named),
      });
    await expect(projects.save("..", { name: "x", content })).rejects.toThrow();
    for (let made = 0; made < LIMITS.workbenchProjectsEach; made += 1)
      await projects.save(`p${made}`, { name: `Project ${made}`, content });
    await expect(projects.save("more", { name: "One more", content })).rejects.toMatchObject({ code: "limit_reached" });
  });
});
