import { join } from "node:path";
import type { Place } from "./server.ts";

/** The engines that the crash suite kills the server under. */
export const LIFE_ENGINES = ["loop", "claude-sdk", "claude-cli"] as const;
export type LifeEngine = (typeof LIFE_ENGINES)[number];

/** Where the effects of commands can be counted. */
export const EFFECTS = "effects.txt";
/** The files that have to be there. */
export const SEEDS = ["read-1.txt", "read-2.txt"];
export const PAGE = "app";

/**
 * What has an effect: who does it, and in which agent. Each is named once in the scripts. Commands append their word to a file, the page
 * counts its own.
 */
export const EFFECTFUL = {
  "did-1": { by: "command", depth: 0 },
  "did-2": { by: "command", depth: 0 },
  "did-3": { by: "page", depth: 0 },
  "did-4": { by: "command", depth: 1 },
  "did-5": { by: "page", depth: 1 },
  "did-6": { by: "command", depth: 2 },
  "did-7": { by: "page", depth: 2 },
  "did-8": { by: "command", depth: 1 },
} as const;
export type EffectWord = keyof typeof EFFECTFUL;
export const EFFECT_WORDS = Object.keys(EFFECTFUL) as readonly EffectWord[];

type Step = Readonly<Record<string, unknown>>;

const script = (steps: readonly Step[]): string => `Do as told.\nsim: ${JSON.stringify(steps)}`;
const bash = (word: EffectWord): Step => ({ tool: "Bash", input: { command: `echo ${word} >> ${EFFECTS}` } });
const onPage = (word: EffectWord): Step => ({ tool: `mcp__${PAGE}__act`, input: { word } });
/** The same where a person is asked. */
const askedOnPage = (word: EffectWord): Step => ({ tool: `mcp__${PAGE}__change`, input: { word } });
const look = (word: string): Step => ({ tool: `mcp__${PAGE}__look`, input: { word } });

export interface LifePrompts {
  readonly first: string;
  readonly second: string;
  readonly third: string;
}

/**
 * The second prompt has it all: calls of one message that read, write, run on a page and start two sub-agents. One of these does the
 * same and starts a sub-agent of its own.
 */
export function promptsFor(engine: LifeEngine, { workspace }: Place): LifePrompts {
  const read = (name: string): Step => ({ tool: "Read", input: { file_path: join(workspace, name) } });
  const task = (steps: readonly Step[]): Step => ({
    tool: engine === "loop" ? "Task" : "Agent",
    input: { description: "a part of it", prompt: script(steps) },
  });
  const nested = task([{ tools: [bash("did-6"), askedOnPage("did-7")] }, { say: "said-nested" }]);
  const sub = task([{ tools: [look("read-4"), bash("did-4"), onPage("did-5"), nested] }, { say: "said-sub" }]);
  const other = task([bash("did-8"), { say: "said-other" }]);
  return {
    first: script([{ say: "said-1a" }, read("read-1.txt"), bash("did-1"), { say: "said-1b" }]),
    second: script([
      { tools: [read("read-2.txt"), look("read-3"), bash("did-2"), askedOnPage("did-3"), sub, other] },
      { say: "said-2" },
    ]),
    third: script([{ stream: { tokens: 100_000, per_second: 500 } }]),
  };
}
