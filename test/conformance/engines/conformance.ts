import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import {
  createAcpEngines,
  createClaudeCliEngine,
  createClaudeSdkEngine,
  createCodexEngine,
  createLoopEngine,
  createOpenCodeEngine,
  createTunnelEngine,
  type Capabilities,
  type Engine,
} from "../../../src/engines/index.ts";
import { TUNNEL_ENGINE, type ModelApi } from "../../../src/protocol/index.ts";
import { isFullRun } from "../../support/sample.ts";
import { TEST_SANDBOX } from "../../support/server.ts";
import { PROGRAMS_FOLDER } from "../../support/vendor-programs.ts";
import { ANSWERS } from "./answers.ts";
import { Bench } from "./bench.ts";
import { CALLS, LIMITED } from "./calls.ts";
import { beginFailures, FAILURES, REFUSALS } from "./failures.ts";
import { LIVES } from "./lives.ts";
import { MONEY } from "./money.ts";
import { SAME } from "./same.ts";
import type { Scenario } from "./scenario.ts";
import { SETTINGS } from "./settings.ts";
import { STEERING } from "./steering.ts";
import { ALONE, STOPS } from "./stops.ts";
import { paperWith, writePaper } from "./table.ts";
import { WALLED } from "./walls.ts";
import { WORDS } from "./words.ts";

const ACP_IDS: ReadonlySet<string> = new Set(["acp:opencode", "acp:qwen", "acp:claude-agent-acp"]);
const ENGINES: readonly Engine[] = [
  createLoopEngine(),
  createClaudeSdkEngine(),
  createClaudeCliEngine(),
  createCodexEngine({ installed: PROGRAMS_FOLDER }),
  createOpenCodeEngine({ installed: PROGRAMS_FOLDER }),
  createTunnelEngine({
    hasTunnels: () => true,
    refusal: () => undefined,
    open: () => Promise.reject(new Error("only its facts are read here")),
  }),
  ...createAcpEngines({ places: () => ({ installed: PROGRAMS_FOLDER }) }).filter(({ id }) => ACP_IDS.has(id)),
];

/** Those whose programs are no dependency of this package. */
const INSTALLED: ReadonlySet<string> = new Set(["codex", "opencode", ...ACP_IDS]);

function isMissing(id: string): boolean {
  return ENGINES.find((engine) => engine.id === id)?.missing?.() !== undefined;
}

/** In the order in which they are played: a restart spares nothing, so what runs beside the others ends before. */
const SCENARIOS: readonly Scenario[] = [
  ...WORDS,
  ...CALLS,
  ...SETTINGS,
  ...STOPS,
  ...STEERING,
  ...FAILURES,
  ...MONEY,
  ...SAME,
  ...REFUSALS,
  ...LIVES,
  ...LIMITED,
  ...ANSWERS,
  ...ALONE,
];

/**
 * A process of the vendor's costs seconds. Both engines that start one share most of their code: every day each plays what it declares of
 * itself, and of the rest each plays others. In a full run both play all.
 */
const TURN_TAKERS: readonly string[] = ["claude-sdk", "claude-cli"];

/** Of what they do not declare, each plays one scenario in so many. */
const EACH_OTHER = 3;

/** Of the loop on another API than Anthropic's, every day: what each API has a form of its own for. */
const OWN_FORMS: ReadonlySet<string> = new Set([
  "thoughts are items of their own",
  "the model sees an attached image",
  "a tool is asked for, run, and its result read",
  "calls of one message that only read are asked about together",
  "a person's no is read word for word",
  "usage and cost are what the model said, to the token",
  "a prompt with tools leaves the same files and the same ledger as with every other engine",
  "a fork knows what was before it and nothing after it",
  "a turn ends with a value in the form of `output_schema`",
]);

/** Of an engine whose program shares no code with those of the others, every day: beside its own forms, what its program could do alone. */
const OWN_PROGRAM: ReadonlySet<string> = new Set([
  ...OWN_FORMS,
  "a call runs as a person changed it",
  "a tool that there is not is refused",
  "interrupted in a tool: its processes are gone",
  "a prompt sent into a running turn is read before the model is asked again",
  "the server is killed while a person is asked: the approved call runs after it",
]);

/** The API on which an engine is put through everything. */
function apiOf(id: string): ModelApi {
  if (id === "acp:claude-agent-acp") return "messages";
  if (ACP_IDS.has(id)) return "chat";
  return ENGINES.find((engine) => engine.id === id)?.wires.includes("anthropic") === false ? "responses" : "messages";
}

/** Of the agents that share all of our code with another one that plays more: that they start, use our tools, are metered and go on. */
const ALSO: ReadonlySet<string> = new Set([
  "text comes while it is written",
  "a tool is asked for, run, and its result read",
  "a call runs as a person changed it",
  "a prompt with tools leaves the same files and the same ledger as with every other engine",
]);

/** Of sessions that another machine runs, every day: what is told of them in a form of its own. A kill is in `test/tunnels`. */
const AT_HOME: ReadonlySet<string> = new Set([
  "text comes while it is written",
  "the model sees an attached image",
  "a tool is asked for, run, and its result read",
  "a person's no is read word for word",
  "a call runs as a person changed it",
  "a person's no ends the turn, and the next one knows why",
  "interrupted in a text: the turn ends, the session goes on",
  "interrupted in a tool: its processes are gone",
  "interrupted while a person is asked: the question is withdrawn",
  "usage and cost are what the model said, to the token",
  "without money a person is asked, and with more of it the turn goes on",
  "a prompt with tools leaves the same files and the same ledger as with every other engine",
  "the server is restarted between turns: the model still knows what was said",
  "the server is stopped in a text: the turn goes on at the next start",
  "a fork knows what was before it and nothing after it",
]);

/** A start of OpenCode costs five seconds of processor time: every day it plays what is its own. */
const SAMPLED: Readonly<Record<string, ReadonlySet<string>>> = {
  "acp:opencode": new Set(["text comes while it is written", "a tool is asked for, run, and its result read"]),
  "acp:claude-agent-acp": ALSO,
  tunnel: AT_HOME,
  opencode: new Set([
    "text comes while it is written",
    "a tool is asked for, run, and its result read",
    "a call runs as a person changed it",
    "interrupted in a text: the turn ends, the session goes on",
    "its process is killed before it reads a call's result: the model learns it in the next turn",
    "a prompt with tools leaves the same files and the same ledger as with every other engine",
    "the server is restarted between turns: the model still knows what was said",
  ]),
};

function scenariosOf(id: string, api: ModelApi): readonly Scenario[] {
  const sampled = SAMPLED[id];
  if (sampled !== undefined && !isFullRun) return SCENARIOS.filter(({ name }) => sampled.has(name));
  if (api !== "messages" && !isFullRun) {
    const daily = api === apiOf(id) ? OWN_PROGRAM : OWN_FORMS;
    return SCENARIOS.filter(({ name }) => daily.has(name));
  }
  const turn = TURN_TAKERS.indexOf(id);
  if (isFullRun || turn < 0) return SCENARIOS;
  return SCENARIOS.filter(
    (scenario, index) => scenario.shows !== undefined || SAME.includes(scenario) || index % EACH_OTHER === turn,
  );
}

/** Set: the table in docs/internals/engines.md is written anew instead of compared. */
const REWRITE = "SALLYPORT_WRITE_ENGINES";

const ENGINE_IDS: readonly string[] = ENGINES.map(({ id }) => id);

/** Those whose program is here and runs here; the others are left out. */
export const PRESENT_IDS: readonly string[] = ENGINE_IDS.filter(
  (id) => id !== TUNNEL_ENGINE && (!INSTALLED.has(id) || !isMissing(id)),
);

/** Of our own engine behind walls, what is played every day: a command, and the deaths of its sandbox and of the server. */
const DAILY: Readonly<Record<string, readonly RegExp[]>> = {
  bubblewrap: [/^a tool is asked for/, /^interrupted in a tool/, /^a fork/, /^its sandbox is killed/],
  container: [
    /^a tool is asked for/,
    /^its sandbox is killed while a command/,
    /^the server is killed while a command/,
  ],
};

/** Puts an engine through everything behind walls. Its table says the same as without them. */
export function walledConformance(id: string, sandbox: string): void {
  describe(`engine ${id} in ${sandbox}`, () => {
    const all = [...SCENARIOS, ...WALLED];
    const isDaily = ({ name }: Scenario): boolean => (DAILY[sandbox] ?? []).some((words) => words.test(name));
    play(id, { api: apiOf(id), sandbox, scenarios: isFullRun ? all : all.filter(isDaily) });
  });
}

/** Puts an engine through everything, in the real server, and compares what it does with what it says of itself. */
export function engineConformance(id: string, api: ModelApi = apiOf(id)): void {
  // `npm test` brings vendors' programs; those that it could not bring are said at its end.
  const isLeftOut = INSTALLED.has(id) && isMissing(id);
  describe.skipIf(isLeftOut)(`engine ${id}${api === apiOf(id) ? "" : ` asking for ${api}`}`, () => {
    const column = play(id, { api, sandbox: TEST_SANDBOX, scenarios: scenariosOf(id, api) });
    it(`is described by its table, which ${REWRITE}=1 writes`, () => {
      const { is, must } = paperWith(id, column, { engines: ENGINE_IDS, scenarios: SCENARIOS });
      if (process.env[REWRITE] === "1" && column.size === SCENARIOS.length) writePaper(must);
      else expect(is).toBe(must);
    });
  });
}

interface Play {
  readonly api: ModelApi;
  readonly sandbox: string;
  readonly scenarios: readonly Scenario[];
}

/** Plays scenarios one after the other. Returns the words for the engine's table, once they are played. */
function play(id: string, { api, sandbox, scenarios }: Play): ReadonlyMap<string, string> {
  const engine = ENGINES.find((each) => each.id === id);
  const observed: Partial<Record<keyof Capabilities, boolean>> = {};
  const column = new Map<string, string>();
  let bench: Bench;
  beforeAll(async () => {
    const missing = engine === undefined ? `there is no engine ${id}` : engine.missing?.();
    if (missing !== undefined) throw new Error(`engine ${id} cannot be tested: ${missing}`);
    bench = await Bench.open(id, { api, sandbox });
    if (REFUSALS.some((scenario) => scenarios.includes(scenario))) bench.failures = beginFailures(bench);
  });
  afterEach(() => bench.rest());
  afterAll(() => bench?.remove());

  for (const scenario of scenarios) {
    const { name, shows } = scenario;
    it(name, async () => {
      const { can, words = can ? "yes" : "no" } = await scenario.run(bench);
      if (shows !== undefined) observed[shows] = can;
      column.set(name, words);
      await bench.allSound();
    });
  }

  it("does what it declares, no more and no less", () => {
    const shown = new Set(scenarios.map(({ shows }) => shows));
    // What no scenario shows is declared without proof: it fails here.
    const left = new Set(SCENARIOS.filter((scenario) => !scenarios.includes(scenario)).map(({ shows }) => shows));
    const declared = Object.entries(engine?.capabilities ?? {}).filter(
      ([name]) => shown.has(name as keyof Capabilities) || !left.has(name as keyof Capabilities),
    );
    expect(observed).toEqual(Object.fromEntries(declared));
  });

  it(`asks models for ${api} only`, () => {
    expect([...bench.model.apis]).toEqual([api]);
  });

  it("leaves no process behind", async () => {
    await bench.close();
    expect(await bench.left()).toEqual([]);
  });
  return column;
}
