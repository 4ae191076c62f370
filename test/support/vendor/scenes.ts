import { join } from "node:path";
import type { Approval, Decision } from "../../../src/protocol/index.ts";
import type { Place } from "../server.ts";
import type { Step } from "./sense.ts";

/** The turns of a life. The first two are sent at once, so that one waits in the queue; the third is interrupted. */
export const SCENES = ["commands", "queued", "interrupted", "refused", "afterwards"] as const;
export type Scene = (typeof SCENES)[number];

/** Where the effects of commands can be counted. */
export const EFFECTS = "effects.txt";
const EDITED = "edited";

const bash = (word: string, rest = ""): Step => ({
  tool: "Bash",
  input: { command: `echo ${word} >> ${EFFECTS}${rest}` },
});
/** Ends a moment after it has begun, so that a kill may fall between. */
const slowBash = (word: string): Step => bash(word, "; sleep 0.1");

function stepsOf(scene: Scene, { workspace }: Place): readonly Step[] {
  switch (scene) {
    case "commands":
      return [
        { say: "said-1a" },
        { tool: "Read", input: { file_path: join(workspace, "read-1.txt") } },
        slowBash("did-1"),
        { say: "said-1b" },
        { tool: "Write", input: { file_path: join(workspace, "did-1w.txt"), content: "written\n" } },
        { say: "said-1c" },
      ];
    case "queued":
      return [{ tools: [bash("did-2"), slowBash("did-2e")] }, { say: "said-2" }];
    case "interrupted":
      return [{ stream: { tokens: 20_000, per_second: 400 } }];
    case "refused":
      return [{ think: "said-4a" }, { tools: [bash("no-4"), slowBash("did-4")] }, { say: "said-4b" }];
    case "afterwards":
      return [{ say: "said-5" }];
  }
}

/** The files that have to be there. */
export const SEEDS = ["read-1.txt"];

/** The words by which a prompt is known. */
export function markOf(scene: Scene): string {
  return `mark-${scene}.`;
}

export function promptOf(scene: Scene, place: Place): string {
  return `This is the prompt ${markOf(scene)}\nsim: ${JSON.stringify(stepsOf(scene, place))}`;
}

/** What a person says to a question: yes, but for one command, and with a change to another. */
export function decisionOn({ tool, input, input_hash }: Approval): Decision {
  const command = String(input["command"]);
  if (tool !== "Bash") return { decision: "approve", input_hash };
  if (command.includes("echo no-")) return { decision: "reject", input_hash, feedback: "leave that out" };
  if (!command.includes("echo did-2e")) return { decision: "approve", input_hash };
  const changed = command.replace("did-2e", `did-2e ${EDITED}`);
  return { decision: "approve", input_hash, updated_input: { ...input, command: changed } };
}

/** The line that a command leaves behind; undefined: none may. */
export function lineOf(word: string): string | undefined {
  if (word.startsWith("no-")) return undefined;
  return word === "did-2e" ? `${word} ${EDITED}` : word;
}
