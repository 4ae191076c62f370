import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve, sep } from "node:path";
import { describe, expect, it } from "vitest";
import { BUILT_IN_TOOL_NAMES } from "../../src/protocol/index.ts";
import { BUILT_IN_TOOLS } from "../../src/tools/built-in.ts";

const root = resolve(import.meta.dirname, "../..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");

/** The sources without comments and without texts for people, which may name anything. */
const SOURCES: ReadonlyMap<string, string> = new Map(
  readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => {
      const path = `src/${name.split(sep).join("/")}`;
      const code = read(path)
        .split("\n")
        .filter((line) => !/^\s*(\*|\/\/|\/\*)/.test(line));
      return [path, code.join("\n").replace(/\b(?:t|mark)\("(?:[^"\\]|\\.)*"/g, "t(")];
    }),
);

function filesWith(pattern: RegExp): readonly string[] {
  return [...SOURCES].filter(([, code]) => pattern.test(code)).map(([path]) => path);
}

/** A name as a text of its own, at the beginning of a rule, or as a key. */
function named(name: string): RegExp {
  return new RegExp(`["'\`]${name}["'\`(]|^\\s*"?${name}"?:`, "m");
}

interface Recipe {
  readonly example: string;
  readonly files: readonly string[];
}

function recipes(): Readonly<Record<string, Recipe>> {
  const rows = [...read("CONTRIBUTING.md").matchAll(/^\| an? ([a-zA-Z ]+) \| `([^`]+)` \| (.+) \|$/gm)];
  return Object.fromEntries(
    rows.map(([, what = "", example = "", files = ""]) => [
      what,
      { example, files: [...files.matchAll(/`([^`]+)`/g)].map(([, path = ""]) => path) },
    ]),
  );
}

/** How the example of a recipe is found in `src`, and what names it without being a part of the recipe. */
const COMPLETE: Readonly<
  Record<string, { readonly found: RegExp; readonly besides?: Readonly<Record<string, string>> }>
> = {
  tool: {
    found: named("NotebookEdit"),
    besides: { "src/gate/profiles.ts": "document 000's full agent names it" },
  },
  engine: {
    found: /claude-cli|ClaudeCliEngine/,
    besides: { "src/engines/claude-sdk/sdk.ts": "advises the other engine where its own package is missing" },
  },
  "limit kind": {
    found: /agent_day/,
    besides: { "src/surfaces/mount/reserve.ts": "document 003 shows the day of its caller" },
  },
  "provider kind": { found: named("openrouter") },
  viewer: { found: /"Calendar"|\bCalendar:|calendar\/definition/ },
  "REST route": { found: /\/api\/templates|templateRoutes|TemplateService/ },
  "console page": { found: /["'`]\/audit["'`]|pages\/audit\// },
  language: { found: /catalogues\/de|^\s*de: \{/m },
};

describe("CONTRIBUTING's recipes", () => {
  it("name files that exist", () => {
    const found = recipes();
    expect(Object.keys(found)).toEqual([
      "tool",
      "engine",
      "event kind",
      "limit kind",
      "provider kind",
      "viewer",
      "REST route",
      "dialect",
      "store",
      "console page",
      "language",
    ]);
    for (const [what, { files }] of Object.entries(found)) {
      expect(files.length, what).toBeGreaterThan(1);
      expect(
        files.filter((path) => !existsSync(join(root, path))),
        what,
      ).toEqual([]);
    }
  });

  it.each(Object.entries(COMPLETE))(
    "name every file of src that an existing %s is in",
    (what, { found, besides = {} }) => {
      const { files } = recipes()[what] ?? { files: [] };
      const known = [...files, ...Object.keys(besides)];
      const mentions = filesWith(found);
      expect(mentions.filter((path) => !known.some((one) => path === one || path.startsWith(`${one}/`)))).toEqual([]);
      expect(Object.keys(besides).filter((path) => !mentions.includes(path))).toEqual([]);
    },
  );
});

/** Files beside a tool's own and the table that name tools, with the reason. */
const NAMED_ELSEWHERE: Readonly<Record<string, { readonly tools: string; readonly why: string }>> = {
  "src/gate/rules.ts": { tools: "Read Edit", why: "in Claude Code's rules each speaks for its family" },
  "src/gate/command-paths.ts": { tools: "Write", why: "rules for this one hold for the shell, too" },
  "src/gate/profiles.ts": {
    tools: "Read Write Edit Glob Grep Bash WebFetch Task NotebookEdit",
    why: "profiles of documents 000 and 004",
  },
  "src/gate/settings.ts": { tools: "Read Write Edit Glob Grep Bash", why: "document 004's settings" },
  "src/engines/acp/tool-names.ts": {
    tools: "Read Write Edit Bash WebFetch",
    why: "calls of an ACP agent's own tools are judged as those of ours that they are",
  },
  "src/engines/acp/client-requests.ts": {
    tools: "Read Write Bash",
    why: "files and terminals that an ACP agent asks for are calls of these",
  },
  "src/engines/command/call.ts": { tools: "Bash", why: "a job's command runs as a call of this tool" },
  "src/sessions/workspace/session-instructions.ts": { tools: "Read", why: "what it may not read is not loaded" },
  "src/sessions/workspace/repository-context.ts": { tools: "Read", why: "the same for parts of files" },
  "src/gate/guarded.ts": { tools: "Bash", why: "document 004's hook" },
  "src/gate/guarded-hook.ts": { tools: "Bash", why: "the same for Claude Code and the Agent SDK" },
  "src/gate/imports/codex-rules.ts": { tools: "Bash", why: "what Codex's rules are about" },
  "src/cli/commands/hook.ts": { tools: "Bash", why: "what Claude Code's settings say" },
  "src/gate/shell/words.ts": { tools: "Glob", why: "a part of a parsed word of the shell" },
  "src/gate/reading/simple-line.ts": { tools: "Glob", why: "the same" },
  "src/engines/claude/tools.ts": {
    tools: "TaskOutput TaskStop Skill",
    why: "the vendor's own of these names are refused",
  },
  "src/sim/demo.ts": { tools: "Read Write Edit Glob Grep Bash TodoWrite", why: "a model calls tools by their names" },
  "src/web/panel/words.ts": { tools: "Edit Grep", why: "document 000's words for steps" },
  "src/web/console/approval/field-labels.ts": { tools: "Skill", why: "the label of a field" },
  "src/web/console/pages/policy/tester.tsx": { tools: "Bash", why: "the tool that the form begins with" },
  "src/web/console/pages/policy/fields.ts": { tools: "Bash Read", why: "examples of rules" },
  "src/web/workbench/app/bar/menus.ts": { tools: "Edit", why: "a menu" },
};

describe("a tool's name", () => {
  it("of a built-in tool is in the table, and only built-in tools are there as ours", () => {
    expect(BUILT_IN_TOOLS.map(({ name }) => name).toSorted()).toEqual([...BUILT_IN_TOOL_NAMES].toSorted());
  });

  it.each(BUILT_IN_TOOL_NAMES)("%s stands in its own file and in the table", (name) => {
    const own = filesWith(new RegExp(`^  name: "${name}",$`, "m"));
    expect(own).toHaveLength(1);
    const elsewhere = Object.entries(NAMED_ELSEWHERE).flatMap(([path, { tools }]) =>
      tools.split(" ").includes(name) ? [path] : [],
    );
    const allowed = [...own, "src/protocol/access/tool-facts.ts", ...elsewhere];
    expect([...filesWith(named(name))].toSorted()).toEqual(allowed.toSorted());
  });
});
