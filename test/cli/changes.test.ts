import { execFileSync } from "node:child_process";
import { readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { SallyportClient } from "../../src/client/index.ts";
import { script, untilTurnEnds } from "../support/app.ts";
import { Place } from "./place.ts";

const place = new Place();
afterAll(() => place[Symbol.asyncDispose]());

test("changes are listed, looked at, committed, applied and discarded", async () => {
  const git = (...words: readonly string[]): string =>
    execFileSync("git", ["-C", place.folder, "-c", "user.name=t", "-c", "user.email=t@localhost", ...words], {
      encoding: "utf8",
    });
  writeFileSync(join(place.folder, "a.txt"), "one\n");
  writeFileSync(join(place.folder, ".gitignore"), ".sallyport\n");
  git("init", "--quiet");
  git("add", "--all");
  git("commit", "--quiet", "--message=all");
  writeFileSync(join(place.folder, ".env"), "A=1\n");
  const link = await place.serve();
  const client = new SallyportClient({ url: link.origin, token: link.searchParams.get("token") ?? "" });
  const write = (file_path: string): object => ({ tool: "Write", input: { file_path, content: "two\n" } });
  const begun = await place.run([
    "run",
    "--workspace-mode=snapshot",
    "--repo-filter=standard",
    "--autonomy=full",
    "--json",
    script(write("a.txt"), write("b.txt"), { say: "Done." }),
  ]);
  expect(begun.code).toBe(0);
  const [session] = (await client.sessions({ limit: 1 })).sessions;
  const id = session?.id ?? "";
  await untilTurnEnds(client, id);
  const run = async (...words: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await place.run(["changes", ...words]);
    expect({ words, code, stderr }).toEqual({ words, code: 0, stderr: "" });
    return stdout;
  };
  const listed = await run("list", id);
  expect(listed).toMatch(/M +\+1 −1 +a\.txt/);
  expect(listed).toMatch(/A +\+1 −0 +b\.txt/);
  expect(listed).toContain("1 withheld from the session:\n  .env (name)\n");
  expect(JSON.parse(await run("list", id, "--json"))).toMatchObject({ files: [{ path: "a.txt" }, { path: "b.txt" }] });
  expect(await run("diff", id)).toContain("-one\n+two");
  expect(await run("commit", id, "--branch", "mine", "--message", "Mine")).toBe("committed 2 files on mine\n");
  expect(git("show", "mine:b.txt")).toBe("two\n");
  expect(await run("commit", id, "b.txt", "--branch", "proposed")).toBe("committed 1 file on proposed\n");
  expect(git("log", "-1", "--format=%B", "proposed")).toContain("- Add b.txt");
  const bare = join(realpathSync(dirname(place.folder)), `${basename(place.folder)}.git`);
  execFileSync("git", ["init", "--quiet", "--bare", bare]);
  git("remote", "add", "origin", bare);
  expect(await place.run(["changes", "push", id])).toMatchObject({ code: 2 });
  expect(await run("push", id, "--branch", "mine")).toBe(`pushed mine to origin (${bare})\n`);
  rmSync(bare, { recursive: true });
  expect(await run("moments", id)).toContain("before the first change");
  expect(await run("compare", id, "start")).toContain("-one\n+two");
  expect(await place.run(["changes", "rewind", id, "start"])).toMatchObject({ code: 2 });
  const { seq } = await client.session(id);
  expect(await run("comment", id, "a.txt:1", "Why two?")).toBe("sent 1 comment\n");
  await untilTurnEnds(client, id, { after: seq });
  expect(await run("apply", id, "a.txt")).toBe("applied 1 file\n");
  expect(readFileSync(join(place.folder, "a.txt"), "utf8")).toBe("two\n");
  expect(await place.run(["changes", "discard", id])).toMatchObject({ code: 2 });
  expect(await run("discard", id, "--yes")).toBe("discarded 1 file\n");
  expect(await run("list", id)).toContain("0 files");
});
