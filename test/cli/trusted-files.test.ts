import { chmodSync, chownSync, mkdirSync, readdirSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, test } from "vitest";
import { trustedInHome, untrusted } from "../../src/cli/home/trusted-files.ts";
import { sample } from "../support/sample.ts";
import { Place } from "./place.ts";

const isRoot = process.getuid?.() === 0;
const ME = process.getuid?.() ?? 0;

interface Case {
  readonly what: string;
  /** Makes the place one that cannot be trusted. */
  readonly spoil: (place: Place) => void;
  /** What is named, below the place, with what is wrong and the command that mends it; PATH stands for the place. */
  readonly path: string;
  readonly problem: string;
  readonly command: string;
  readonly needsRoot?: true;
}

const at = (place: Place, name: string): string => join(place.folder, name);
const STRANGER = 54_321;

const CASES: readonly Case[] = [
  {
    what: "a home that everybody may write",
    spoil: (place) => chmodSync(at(place, ".sallyport"), 0o777),
    path: ".sallyport",
    problem: "can be changed by every user",
    command: "chmod go-w PATH",
  },
  {
    what: "settings that everybody may write",
    spoil: (place) => chmodSync(at(place, ".sallyport/sallyport.yaml"), 0o666),
    path: ".sallyport/sallyport.yaml",
    problem: "can be changed by every user",
    command: "chmod go-w PATH",
  },
  {
    what: "a policy that everybody may write",
    spoil: (place) => chmodSync(at(place, ".sallyport/policy.yaml"), 0o602),
    path: ".sallyport/policy.yaml",
    problem: "can be changed by every user",
    command: "chmod o-w PATH",
  },
  {
    what: "a token that others may read",
    spoil: (place) => chmodSync(at(place, ".sallyport/token"), 0o644),
    path: ".sallyport/token",
    problem: "can be read by other users",
    command: "chmod 600 PATH",
  },
  {
    what: "the address of the server that others may change",
    spoil: (place) => {
      place.write(".sallyport/server.json", "{}");
      chmodSync(at(place, ".sallyport/server.json"), 0o606);
    },
    path: ".sallyport/server.json",
    problem: "can be changed by every user",
    command: "chmod o-w PATH",
  },
  {
    what: "a folder above the home where everybody may swap it",
    spoil: (place) => chmodSync(place.folder, 0o777),
    path: "",
    problem: "can be changed by every user",
    command: "chmod go-w PATH",
  },
  {
    what: "settings that are a link to what everybody may write",
    spoil: (place) => {
      mkdirSync(at(place, "elsewhere"));
      place.write("elsewhere/policy.yaml", "");
      chmodSync(at(place, "elsewhere"), 0o757);
      symlinkSync(at(place, "elsewhere"), at(place, ".sallyport/connections"));
    },
    path: "elsewhere",
    problem: "can be changed by every user",
    command: "chmod o-w PATH",
  },
  {
    what: "a group of others that may write the home",
    spoil: (place) => {
      chownSync(at(place, ".sallyport"), ME, STRANGER);
      chmodSync(at(place, ".sallyport"), 0o770);
    },
    path: ".sallyport",
    problem: `can be changed by the group ${STRANGER}`,
    command: "chmod g-w PATH",
    needsRoot: true,
  },
  {
    what: "settings of another user",
    spoil: (place) => chownSync(at(place, ".sallyport/sallyport.yaml"), STRANGER, STRANGER),
    path: ".sallyport/sallyport.yaml",
    problem: `belongs to another user (uid ${STRANGER}, this process has ${ME})`,
    command: `chown ${ME} PATH`,
    needsRoot: true,
  },
  {
    what: "a folder of another user above the home",
    spoil: (place) => chownSync(place.folder, STRANGER, STRANGER),
    path: "",
    problem: `belongs to another user (uid ${STRANGER}, this process has ${ME})`,
    command: `chown ${ME} PATH`,
    needsRoot: true,
  },
];

/** A home with everything in it that is trusted, as we make it. */
function placeWithHome(): Place {
  const place = new Place();
  mkdirSync(at(place, ".sallyport"), { mode: 0o700 });
  chmodSync(at(place, ".sallyport"), 0o700);
  for (const name of ["sallyport.yaml", "policy.yaml", "token"]) {
    place.write(`.sallyport/${name}`, name === "token" ? "sp_0123456789012345678901234567890123456789012\n" : "");
    chmodSync(at(place, `.sallyport/${name}`), 0o600);
  }
  return place;
}

describe("files that others can change", () => {
  const refused = async (one: Case): Promise<void> => {
    await using place = placeWithHome();
    one.spoil(place);
    const path = one.path === "" ? place.folder : at(place, one.path);
    const command = one.command.replace("PATH", path);
    const message = `error: other users of this machine could take over this server. Run, and start again:\n  ${path} ${one.problem}\n    ${command}\n`;
    for (const words of [["serve", "--port", "0"], ["run", "hello"], ["sessions"], ["provider", "list"]])
      expect([words, await place.run(words)]).toEqual([words, { code: 2, stdout: "", stderr: message }]);
    const { code, stdout } = await place.run(["doctor", "--json"]);
    const { checks } = JSON.parse(stdout) as { checks: readonly { name: string }[] };
    expect([code, checks.filter(({ name }) => name === "trust")]).toEqual([
      1,
      [{ name: "trust", state: "fail", found: `${path} ${one.problem}`, advice: command }],
    ]);
  };
  const ownCases = CASES.filter(({ needsRoot }) => needsRoot !== true);
  const rootCases = CASES.filter(({ needsRoot }) => needsRoot === true);
  it.each(sample(ownCases, 2))("$what: refused with the command, told by doctor", refused);
  it.skipIf(!isRoot).each(sample(rootCases, 1))("$what: refused with the command, told by doctor", refused);

  test("all of them are told at once; the variable accepts them, and doctor then warns", async () => {
    await using place = placeWithHome();
    for (const { spoil, needsRoot } of CASES) if (needsRoot !== true || isRoot) spoil(place);
    const { code, stderr } = await place.run(["run", "hello"]);
    expect([code, stderr.match(/^ {4}ch(mod|own) /gm)?.length]).toEqual([2, 7]);
    const environment = { SALLYPORT_ACCEPT_SHARED_HOME: "1" };
    expect((await place.run(["provider", "list"], environment)).code).toBe(0);
    const { stdout } = await place.run(["doctor", "--json"], environment);
    const { checks } = JSON.parse(stdout) as { checks: readonly { name: string; state: string }[] };
    const trust = checks.filter(({ name }) => name === "trust");
    expect([trust.length, new Set(trust.map(({ state }) => state))]).toEqual([7, new Set(["warn"])]);
  });

  test("what we make ourselves is private, also in a home that others may look into", async () => {
    await using place = new Place();
    mkdirSync(at(place, ".sallyport"), { mode: 0o755 });
    chmodSync(at(place, ".sallyport"), 0o755);
    expect((await place.run(["run", "say hello", "--model", "sim"])).code).toBe(0);
    const open = readdirSync(at(place, ".sallyport"))
      .map((name) => [name, (statSync(at(place, `.sallyport/${name}`)).mode & 0o077).toString(8)] as const)
      .filter(([, bits]) => bits !== "0");
    expect(open).toEqual([]);
    expect(untrusted(trustedInHome(at(place, ".sallyport")))).toEqual([]);
  });

  test("a key file that others can change is refused at the start, one that they can only read when it is used", async () => {
    await using place = placeWithHome();
    place.write("key", "sk-test-0123456789\n");
    place.write(
      ".sallyport/sallyport.yaml",
      `providers:\n  other: { wire: anthropic, base_url: "http://127.0.0.1:9", credential_file: ${at(place, "key")} }\n`,
    );
    chmodSync(at(place, "key"), 0o622);
    const refused = await place.run(["serve", "--port", "0"]);
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringContaining(`${at(place, "key")} can be changed by every user\n    chmod go-w ${at(place, "key")}`),
    ]);
    const { code, stdout } = await place.run(["doctor"]);
    expect([code, stdout]).toEqual([1, expect.stringContaining(`chmod go-w ${at(place, "key")}`)]);
  });
});
