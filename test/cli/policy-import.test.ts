import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Place } from "./place.ts";

const place = new Place();
afterAll(() => place[Symbol.asyncDispose]());
const run = (...words: readonly string[]) => place.run(["policy", "import", ...words], { HOME: "/home/ada" });
const profile = async (name: string): Promise<unknown> => {
  const { stdout } = await place.run(["policy", "show", "--json"]);
  return (JSON.parse(stdout) as { profiles: Record<string, unknown> }).profiles[name];
};

describe("policy import", () => {
  beforeAll(() =>
    place.write(
      "settings.json",
      JSON.stringify({ permissions: { allow: ["Bash(ls:*)"], deny: ["Bash(rm:*)", "Read(~/.ssh/**)", "Read(../x)"] } }),
    ),
  );

  test("shows what would change, and changes it after a yes", async () => {
    place.write("policy.yaml", "default_profile: own\nprofiles:\n  own: { deny: [Bash(rm:*)] }\n");
    expect((await place.run(["policy", "set", "policy.yaml"])).code).toBe(0);
    const looked = await run("settings.json");
    expect([looked.code, looked.stdout.trim().split("\n")]).toEqual([
      0,
      [
        "+ deny   Read(/home/ada/.ssh/**)",
        "+ allow  Bash(ls:*)  (agents may do more)",
        "- not taken: deny Read(../x): a path rule cannot hold ..",
        "profile own was not changed; 1 of them lets agents do more: add --yes to take all, --stricter --yes to leave it out",
      ],
    ]);
    expect(await profile("own")).toEqual({ deny: ["Bash(rm:*)"] });
    expect((await run("settings.json", "--stricter", "--yes")).stdout).toContain("profile own was changed");
    expect(await profile("own")).toEqual({ deny: ["Bash(rm:*)", "Read(/home/ada/.ssh/**)"] });
    const all = JSON.parse((await run("settings.json", "--yes", "--json")).stdout) as unknown;
    expect(all).toMatchObject({ profile: "own", allow: ["Bash(ls:*)"], deny: [], applied: true });
    expect(await profile("own")).toMatchObject({ allow: ["Bash(ls:*)"] });
    expect((await run("settings.json", "--yes")).stdout).toContain("nothing was changed");
  });

  test("takes Codex's rules into a profile that is named", async () => {
    place.write("default.rules", 'prefix_rule(pattern=["git", "push"], decision="forbidden")\n');
    expect((await run("default.rules", "--profile", "guarded", "--yes")).code).toBe(0);
    expect(await profile("guarded")).toMatchObject({ deny: expect.arrayContaining(["Bash(git push:*)"]) });
  });

  test.each([
    [["none.json"], "none.json cannot be read"],
    [["bad.json"], "bad.json: it is not JSON"],
    [["settings.json", "--profile", "nobody"], "there is no profile nobody"],
  ])("%j is refused", async (words, message) => {
    place.write("bad.json", "{");
    const { code, stderr } = await run(...words);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});
