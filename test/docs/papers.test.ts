import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { readSettings } from "../../src/cli/settings/settings.ts";
import { parsePolicyYaml } from "../../src/gate/index.ts";
import { BUILT_IN_TOOL_NAMES, ErrorCode, LIMITS, toolFacts } from "../../src/protocol/index.ts";
import { CHECKPOINTS } from "../../src/sessions/index.ts";
import { allHelp } from "../cli/help.ts";
import { Place } from "../cli/place.ts";

const root = resolve(import.meta.dirname, "../..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");

function papers(): readonly string[] {
  const docs = readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" }).map((name) => join("docs", name));
  const top = readdirSync(root);
  return [...top, ...docs].filter((name) => name.endsWith(".md"));
}

describe("the papers say what the code says", () => {
  it("limits.md names every limit with its value", () => {
    const rows = [...read("docs/operations/limits.md").matchAll(/^\| `(\w+)` \| ([\d,._]+)/gm)];
    const written = Object.fromEntries(rows.map(([, name, value]) => [name, Number(value?.replaceAll(",", ""))]));
    expect(written).toEqual({ ...LIMITS });
  });

  it("http-api.md names every error code, journal.md every crash point", () => {
    const api = read("docs/user/http-api.md");
    expect(ErrorCode.options.filter((code) => !api.includes(`\`${code}\``))).toEqual([]);
    const journal = read("docs/internals/journal.md");
    expect(CHECKPOINTS.filter((point) => !journal.includes(`\`${point}\``))).toEqual([]);
  });

  it("tools.md names the tools that run in Claude's own process", () => {
    const own = BUILT_IN_TOOL_NAMES.filter((name) => typeof toolFacts(name)?.claude === "object");
    const words = `${own.slice(0, -1).join(", ")} and ${own.at(-1) ?? ""}`;
    expect(read("docs/user/tools.md")).toContain(`Claude Code's own ${words} run, in its process`);
  });

  it("troubleshooting.md quotes what the sources say", () => {
    const files = ["src", "scripts"].flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
        .filter((name) => /\.(?:tsx?|mjs)$/.test(name) && !name.includes("node_modules"))
        .map((name) => read(join(folder, name))),
    );
    const sources = files.join("\n").replaceAll("\\`", "`");
    // Names, numbers and parts that differ from case to case.
    const parts = (text: string): readonly string[] =>
      text.split(
        /…|`.*|\b(?:N|full|codex|agent|cloud)\b|\S*@\S+|>?=?[a-z]*\d[\d.,]*|<[^>]+>|: |; | for | waits |the provider|[A-Z_]{9,}|Claude Code/,
      );
    const rows = [...read("docs/user/troubleshooting.md").matchAll(/^\| (.*?) \| /gm)].map(([, cell = ""]) => cell);
    const quoted = rows.flatMap((cell) => [...cell.matchAll(/`((?:[^`\\]|\\.)+)`/g)].map(([, text = ""]) => text));
    expect(quoted.length).toBeGreaterThan(50);
    const missing = quoted
      .filter((text) => text.includes(" "))
      .flatMap((text) => parts(text.replaceAll("\\", "")).map((part) => part.trim()))
      .filter((part) => part.length > 8 && !sources.includes(part));
    expect(missing).toEqual([]);
  });

  it("has no link to a file that is not there", () => {
    const broken = papers().flatMap((paper) =>
      [...read(paper).matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)]
        .map(([, target]) => target ?? "")
        .filter((target) => !/^[a-z]+:/.test(target) && !existsSync(join(root, dirname(paper), target)))
        .map((target) => `${paper}: ${target}`),
    );
    expect(broken).toEqual([]);
  });
});

describe("the papers name what the command line has", () => {
  const place = new Place();
  afterAll(() => place[Symbol.asyncDispose]());
  const pages = papers().filter((name) => /^(?:README\.md|docs\/(?:user|operations)\/)/.test(name));
  const isNamed = (text: string, word: string): boolean => new RegExp(`(?<![\\w-])${word}(?![\\w-])`).test(text);

  it("cli.md has each command, one of its pages each option", async () => {
    const all = await allHelp(place);
    const overview = read("docs/user/cli.md");
    const everything = pages.map(read).join("\n");
    const commands = all.map(({ words }) => words).filter((words) => words.length > 0);
    expect(commands.filter((words) => !words.every((word) => isNamed(overview, word)))).toEqual([]);
    const options = all.flatMap(({ words, options }) => options.map((option) => `${words.join(" ")} ${option}`));
    const missing = options.filter((text) => !isNamed(everything, text.split(" ").at(-1) ?? ""));
    expect(missing).toEqual([]);
  });

  it("what the pages type into a shell has only commands and options that there are", async () => {
    const all = await allHelp(place);
    const typed = pages.flatMap((page) =>
      [...read(page).matchAll(/(?:^|[`$&|(] ?|\b-s )sallyport (?:-- )?([a-z-]+[^`\n|]*)/gm)].map(([, words = ""]) => ({
        page,
        words: words.split(/ -- | {2,}#/, 1)[0] ?? "",
      })),
    );
    expect(typed.length).toBeGreaterThan(100);
    const wrong = typed.filter(({ words }) => {
      const [first = "", second = ""] = words.replace(/^--server \S+ /, "").split(/\s+/);
      const own = all.find((one) => one.words.join(" ") === `${first} ${second.replace(/^\[list\]$/, "list")}`);
      const help = own ?? all.find((one) => one.words.join(" ") === first);
      if (help === undefined) return true;
      const known = new Set([...help.options, ...(all[0]?.options ?? [])]);
      return [...words.matchAll(/(?<![\w-])--[a-z][\w-]*/g)].some(([option]) => !known.has(option));
    });
    expect(wrong).toEqual([]);
  });
});

describe("the YAML samples of the pages", () => {
  const folder = mkdtempSync(join(tmpdir(), "sallyport-samples-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const samples = papers()
    .filter((name) => /^(?:[A-Z]+\.md|docs\/(?:user|operations)\/)/.test(name))
    .flatMap((page) => [...read(page).matchAll(/```yaml\n(.*?)```/gs)].map(([, yaml = ""]) => [page, yaml] as const));
  const isPolicy = (yaml: string): boolean => /^(?:profiles|default_profile):/m.test(yaml);
  /** Of other programs: Kubernetes and Prometheus. */
  const isForeign = (yaml: string): boolean => /^(?:apiVersion|livenessProbe|scrape_configs):/m.test(yaml);

  it.each(samples.filter(([, yaml]) => !isPolicy(yaml) && !isForeign(yaml)))(
    "the settings of %s are valid: %s",
    (_page, yaml) => {
      const home = mkdtempSync(join(folder, "home-"));
      writeFileSync(join(home, "sallyport.yaml"), yaml);
      expect(() => readSettings({ home }, {}, "/project")).not.toThrow();
    },
  );

  it.each(samples.filter(([, yaml]) => isPolicy(yaml)))("the policy of %s is valid: %s", (_page, yaml) => {
    expect(() => parsePolicyYaml(yaml)).not.toThrow();
  });
});
