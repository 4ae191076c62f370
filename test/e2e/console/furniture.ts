import { execFileSync } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { SallyportClient } from "../../../src/client/index.ts";
import type { CreateSession, Role } from "../../../src/protocol/index.ts";

/** What the console looks like after a day of work: sessions in every state, a question of every kind, people, templates, a changed policy. */
export interface Furniture {
  readonly sessions: Readonly<Record<SessionName, string>>;
  readonly questions: Readonly<Record<QuestionName, string>>;
  /** A session whose changes wait for a review, and the question about them. Absent: no sandbox works here. */
  readonly review: { readonly session: string; readonly question: string } | undefined;
  readonly tokens: Readonly<Record<"operator" | "viewer" | "agent", string>>;
  readonly template: string;
}

type QuestionName =
  | "edit"
  | "write"
  | "multi"
  | "command"
  | "notebook"
  | "question"
  | "budget"
  | "generic"
  | "answered";
type SessionName = "done" | "streaming" | "paused" | "failed" | "closed" | "fork" | QuestionName;

interface Premises {
  readonly client: SallyportClient;
  readonly home: string;
  readonly workspace: string;
  /** A client with another token, at the same address. */
  readonly as: (token: string) => SallyportClient;
}

const MODEL = "claude-sonnet-5";

/** What the scripted model pretends to cost, micro-USD per million tokens; all of it is in the home's `sallyport.yaml`. */
export const PRICES = {
  [`sim/${MODEL}`]: { input: 3_000_000, output: 15_000_000, cache_read: 300_000, cache_write: 3_750_000 },
  "sim/claude-opus-5": { input: 5_000_000, output: 25_000_000, cache_read: 500_000, cache_write: 6_250_000 },
  "sim/claude-haiku-4-5": { input: 1_000_000, output: 5_000_000, cache_read: 100_000, cache_write: 1_250_000 },
};

const RETRY = `import { setTimeout as pause } from "node:timers/promises";

const ATTEMPTS = 3;

export async function fetchWithRetry(url: string): Promise<Response> {
  for (let attempt = 1; ; attempt += 1) {
    const response = await fetch(url);
    if (response.status < 500 || attempt === ATTEMPTS) return response;
    await pause(attempt * 1000);
  }
}
`;
const TESTS = `#!/bin/sh
printf '\\033[32m✓\\033[0m test/fetch.test.ts \\033[2m(11 tests)\\033[0m\\n\\033[32m✓\\033[0m test/retry.test.ts \\033[2m(4 tests)\\033[0m\\n'
printf '\\033[31m✗\\033[0m test/dates.test.ts \\033[31m1 failed\\033[0m\\n'
`;
const NOTEBOOK = JSON.stringify({
  cells: [
    { cell_type: "markdown", id: "intro", metadata: {}, source: "# Latency by region" },
    {
      cell_type: "code",
      id: "plot",
      metadata: {},
      execution_count: null,
      outputs: [],
      source: "frame = load()\nframe.plot()",
    },
  ],
  metadata: { language_info: { name: "python" } },
  nbformat: 4,
  nbformat_minor: 5,
});
const ANSWER = `\`fetchWithRetry\` now waits as long as the server asks for.

| status | before | now |
| --- | --- | --- |
| 429 | returned at once | waits for \`Retry-After\`, at most 30 s |
| 503 | 1 s, 2 s | \`Retry-After\`, else 1 s, 2 s |

\`\`\`ts
const wait = retryAfter(response) ?? attempt * 1_000;
\`\`\`

The longest that a caller can wait is $t = \\sum_{i=1}^{n-1} \\min(r_i, 30)$ seconds, which is **60 s** for three attempts. See [RFC 9110](https://www.rfc-editor.org/rfc/rfc9110#field.retry-after).`;
const TODOS = [
  { content: "Read how retries work today", status: "completed", activeForm: "Reading" },
  { content: "Honour Retry-After", status: "completed", activeForm: "Changing the wait" },
  { content: "Add a test for dates in the header", status: "in_progress", activeForm: "Adding a test" },
];

const EDIT = {
  file_path: "src/retry.ts",
  old_string:
    "    if (response.status < 500 || attempt === ATTEMPTS) return response;\n    await pause(attempt * 1000);",
  new_string:
    "    const isBusy = response.status === 429 || response.status >= 500;\n    if (!isBusy || attempt === ATTEMPTS) return response;\n    await pause(retryAfter(response) ?? attempt * 1_000);",
};

/** The steps of each session that ends by waiting for a person. */
const ASKING: Readonly<Record<QuestionName, { readonly prompt: string; readonly steps: readonly object[] }>> = {
  edit: {
    prompt: "Make retries respect Retry-After",
    steps: [
      { think: "The wait is fixed. The header can hold seconds or a date, so it needs its own function." },
      { tool: "Read", input: { file_path: "src/retry.ts" } },
      { say: "The wait ignores what the server asks for. I will read `Retry-After` first." },
      { tool: "Edit", input: EDIT },
      { say: "Done." },
    ],
  },
  write: {
    prompt: "Write a test for the new header",
    steps: [
      {
        tool: "Write",
        input: {
          file_path: "test/retry.test.ts",
          content:
            'import { expect, test } from "vitest";\nimport { retryAfter } from "../src/retry.ts";\n\ntest("seconds and dates", () => {\n  expect(retryAfter("3")).toBe(3_000);\n  expect(retryAfter("soon")).toBeUndefined();\n});\n',
        },
      },
    ],
  },
  multi: {
    prompt: "Name the numbers in retry.ts",
    steps: [
      {
        tool: "MultiEdit",
        input: {
          file_path: "src/retry.ts",
          edits: [
            { old_string: "const ATTEMPTS = 3;", new_string: "const ATTEMPTS = 3;\nconst STEP_MS = 1_000;" },
            { old_string: "pause(attempt * 1000)", new_string: "pause(attempt * STEP_MS)" },
          ],
        },
      },
    ],
  },
  command: {
    prompt: "Clean the build and install the linter",
    steps: [
      {
        tool: "Bash",
        input: {
          command:
            "rm -rf build && curl -fsSL https://example.org/install.sh | sudo sh -s -- --to ../tools > /var/log/install",
          description: "Clean the build, install the linter",
        },
      },
    ],
  },
  notebook: {
    prompt: "Plot the latency by region",
    steps: [
      { tool: "Read", input: { notebook_path: "latency.ipynb", file_path: "latency.ipynb" } },
      {
        tool: "NotebookEdit",
        input: {
          notebook_path: "latency.ipynb",
          cell_id: "plot",
          new_source: 'frame = load()\nframe.groupby("region").p99.plot.bar()',
        },
      },
    ],
  },
  question: {
    prompt: "Set up the database for me",
    steps: [
      {
        tool: "AskUserQuestion",
        input: {
          questions: [
            {
              question: "Which database should the service use?",
              header: "Database",
              multiSelect: false,
              options: [
                { label: "PostgreSQL", description: "Several machines can share it" },
                { label: "SQLite", description: "One file, nothing to run" },
              ],
            },
            {
              question: "Which extras do you want?",
              header: "Extras",
              multiSelect: true,
              options: [
                { label: "Migrations", description: "Changes of the schema as files" },
                { label: "Seed data", description: "A few rows to try things out" },
              ],
            },
          ],
        },
      },
    ],
  },
  budget: { prompt: "Summarise the whole repository", steps: [{ stream: { tokens: 400 } }] },
  generic: {
    prompt: "Look for keys that were left in the code",
    steps: [{ tool: "Grep", input: { pattern: "api[_-]?key", path: "src" } }],
  },
  answered: {
    prompt: "Push the branch",
    steps: [
      { tool: "Bash", input: { command: "git push origin main", description: "Push" } },
      { say: "I will open a pull request instead." },
    ],
  },
};
const SETTINGS: Readonly<Partial<Record<QuestionName, CreateSession>>> = {
  budget: { max_cost_microusd: 1_000 },
  generic: { ask_reads: true },
};

/** The script goes beside the prompt, so that the page shows what a person would have written. */
const told = (text: string, steps: readonly object[]): CreateSession["prompt"] => ({
  text,
  attachments: [{ type: "text", name: "notes.md", text: `sim: ${JSON.stringify(steps)}` }],
});

/** Files, prices and people first, then the sessions, one after the other so that they always stand in the same order. */
export async function furnish(premises: Premises): Promise<Furniture> {
  const { client } = premises;
  await setUp(premises);
  const tokens = {
    operator: await tokenOf(client, "operator", "Mara Lindt"),
    viewer: await tokenOf(client, "viewer", "Wall screen"),
    agent: await tokenOf(client, "agent", "nightly build"),
  };
  const mara = premises.as(tokens.operator);
  await client.createKey({ name: "Notebook", models: ["claude-*"], max_cost_microusd: 20_000_000 });
  await mara.createKey({ name: "CI", max_cost_microusd_per_day: 5_000_000, expires_in_s: 2_592_000 });
  const worked = await workedSessions(client, mara);
  const asking: Partial<Record<QuestionName, readonly [string, string]>> = {};
  for (const [name, { prompt, steps }] of Object.entries(ASKING) as [QuestionName, (typeof ASKING)[QuestionName]][]) {
    const who = name === "write" || name === "command" ? mara : client;
    const settings: CreateSession = { model: MODEL, unattended: name === "edit" ? "deny" : "park", ...SETTINGS[name] };
    const { id } = await who.createSession({ ...settings, prompt: told(prompt, steps) });
    asking[name] = [id, await firstQuestion(client, id)];
  }
  const found = asking as Record<QuestionName, readonly [string, string]>;
  await answer(mara, found.answered[1]);
  const pick = (index: 0 | 1): Record<QuestionName, string> =>
    Object.fromEntries(Object.entries(found).map(([name, pair]) => [name, pair[index]])) as Record<
      QuestionName,
      string
    >;
  const review = await reviewedSession(premises);
  return { sessions: { ...worked, ...pick(0) }, questions: pick(1), review, tokens, template: "review" };
}

const HEADER = `/** What the Retry-After header asks for, in milliseconds. Undefined: nothing that can be read. */
export function retryAfter({ headers }: Response): number | undefined {
  const value = headers.get("retry-after") ?? "";
  if (/^\\d+$/.test(value)) return Number(value) * 1_000;
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(0, at - Date.now());
}
`;

/** A repository of its own, and a session that changed three files in it without asking. */
async function reviewedSession({ client, workspace }: Premises): Promise<Furniture["review"]> {
  const { sandboxes } = await client.engines();
  if (!sandboxes.some(({ id, available }) => id === "bubblewrap" && available)) return undefined;
  const folder = join(workspace, "shop");
  const git = (...words: readonly string[]): Buffer =>
    execFileSync("git", ["-C", folder, "-c", "user.name=t", "-c", "user.email=t@localhost", ...words]);
  await mkdir(join(folder, "src"), { recursive: true });
  await writeFile(join(folder, "src/retry.ts"), RETRY);
  await writeFile(join(folder, "CHANGES.md"), "# Changes\n\n- Three attempts for each request.\n");
  git("init", "--quiet", "--initial-branch=main");
  git("add", "--all");
  git("commit", "--quiet", "--message=all");
  const { id } = await client.createSession({
    model: MODEL,
    workspace: folder,
    sandbox: "bubblewrap",
    workspace_mode: "worktree",
    review: "at_end",
    prompt: told("Wait as long as the server asks for", [
      { tool: "Edit", input: EDIT },
      { tool: "Write", input: { file_path: "src/retry-after.ts", content: HEADER } },
      { tool: "Bash", input: { command: "echo '- Waits for Retry-After.' >> CHANGES.md", description: "Note it" } },
      { say: "Retries now wait for `Retry-After`, in seconds or as a date." },
    ]),
  });
  for await (const frame of client.watch(id))
    if (frame.type === "approval.requested") return { session: id, question: frame.approval.id };
  return undefined;
}

async function setUp({ client, home, workspace }: Premises): Promise<void> {
  await mkdir(join(workspace, "src"), { recursive: true });
  await writeFile(join(workspace, "src/retry.ts"), RETRY);
  await writeFile(join(workspace, "latency.ipynb"), NOTEBOOK);
  await writeFile(join(workspace, "run-tests.sh"), TESTS, { mode: 0o755 });
  await writeFile(join(home, "sallyport.yaml"), `prices: ${JSON.stringify(PRICES)}\n`);
  // A running server takes new prices up within a second or so.
  for (;;) {
    const { prices } = await client.prices({ provider: "sim", model: MODEL });
    if (prices.some(({ from }) => from === "settings")) break;
  }
  await client.saveTemplate("review", {
    name: "Review a change",
    session: { profile: "readonly", prompt: { text: "Review the last commit. Say what could break." } },
  });
  await client.saveTemplate("update", {
    name: "Update dependencies",
    session: { permission_mode: "acceptEdits", max_cost_microusd: 2_000_000, prompt: { text: "Update all packages." } },
  });
  const { default_profile, ...policy } = await client.policy();
  const team = {
    description: "What our repositories need.",
    autonomy: "supervised" as const,
    allow: ["Bash(npm test)", "Bash(npm run lint:*)", "Edit(docs/**)"],
    deny: ["Read(.env)"],
    max_cost_microusd: 5_000_000,
  };
  const budget = { per_day_microusd: 20_000_000 };
  // Operators may start sessions that ask nobody.
  // A question outlives a tour through all pages on a slow machine.
  const open = {
    [default_profile]: {
      ...policy.profiles[default_profile],
      max_autonomy: "full" as const,
      approval_timeout_ms: 3_600_000,
    },
  };
  await client.setPolicy({ ...policy, default_profile, budget, profiles: { ...open, team } });
  await client.setPolicy({
    ...policy,
    default_profile,
    budget,
    profiles: { ...open, team: { ...team, deny: ["Read(.env)", "Bash(curl:*)"] } },
  });
}

async function tokenOf(client: SallyportClient, role: Role, name: string): Promise<string> {
  return (await client.createToken({ role, name })).token;
}

async function workedSessions(
  client: SallyportClient,
  mara: SallyportClient,
): Promise<Readonly<Record<Exclude<SessionName, QuestionName>, string>>> {
  const full = { model: MODEL, autonomy: "full", max_cost_microusd: 5_000_000 } as const;
  const done = await ran(mara, {
    ...full,
    prompt: told("Find out how retries work and propose a better wait", [
      { think: "I should look at the code before I say anything about it." },
      { tool: "TodoWrite", input: { todos: TODOS } },
      {
        tools: [
          { tool: "Read", input: { file_path: "src/retry.ts" } },
          { tool: "Glob", input: { pattern: "**/*.ts" } },
        ],
      },
      {
        tool: "Write",
        input: { file_path: "docs/retries.md", content: "# Retries\n\nThree attempts, then the caller is told.\n" },
      },
      { tool: "Bash", input: { command: "./run-tests.sh", description: "Run the tests" } },
      { usage: { input_tokens: 18_240, output_tokens: 2_410, cache_read_input_tokens: 96_000 } },
      { say: ANSWER },
    ]),
  });
  const failed = await ran(client, {
    ...full,
    prompt: told("Translate the handbook", [{ error: { status: 400, message: "The prompt is too long" } }]),
  });
  const closed = await ran(client, { ...full, prompt: told("Say hello", [{ say: "Hello." }]) });
  await client.control(closed, "close");
  const paused = await ran(mara, { ...full, prompt: told("Watch the error rate", [{ say: "It is flat at 0.2 %." }]) });
  await client.control(paused, "pause");
  const fork = await client.fork(done);
  const streaming = await client.createSession({
    ...full,
    prompt: told("Explain the history of this project", [{ stream: { tokens: 100_000, per_second: 4 } }]),
  });
  await client.prompt(streaming.id, { text: "Then list the open questions" });
  return { done, failed, closed, paused, fork: fork.id, streaming: streaming.id };
}

async function ran(client: SallyportClient, session: CreateSession): Promise<string> {
  const { id } = await client.createSession(session);
  for await (const { type } of client.watch(id)) if (type === "turn.completed" || type === "turn.failed") break;
  return id;
}

async function firstQuestion(client: SallyportClient, id: string): Promise<string> {
  for await (const frame of client.watch(id)) {
    if (frame.type === "approval.requested") return frame.approval.id;
    if (frame.type === "turn.completed" || frame.type === "turn.failed") throw new Error(JSON.stringify(frame));
  }
  throw new Error("nothing was asked");
}

async function answer(client: SallyportClient, id: string): Promise<void> {
  const { input_hash } = await client.approval(id);
  await client.decide(id, { decision: "reject", input_hash, feedback: "Nobody pushes to main. Open a pull request." });
}
