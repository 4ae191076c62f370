/** A step of a script, as docs/user/sim.md has them. What it does is named by words such as `did-1a`, each used once. */
export type Step = Readonly<Record<string, unknown>>;

interface Call {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** What a conversation says of the steps of its last prompt. */
export interface Conversation {
  readonly steps: readonly Step[];
  /** What is known of a word: it was done or given up, or it must be called again with this input. */
  readonly known: ReadonlyMap<string, "over" | Call["input"]>;
  /** All that people said. */
  readonly asked: string;
  /** All that the model itself said and did, and what it was told of that. */
  readonly done: string;
}

interface Block {
  readonly type: string;
  readonly text?: string;
  readonly id?: string;
  readonly tool_use_id?: string;
  readonly name?: string;
  readonly input?: Readonly<Record<string, unknown>>;
  readonly content?: unknown;
}

const WORD = /\b(?:did|said|read|no)-\w+/g;
const SCRIPT = /^sim: (\[.*\])$/m;
const REMINDER = "<system-reminder>";
/** An agent may put all parts of a prompt into one text. */
const REMINDERS = /(<system-reminder>[^]*?<\/system-reminder>)/;
/** Words of a person in a conversation that is told as text. */
const PERSON = /^(?:User|sim|The prompt was): /;
/** How an agent is told of a prompt that it may not have written down. */
const PROMPT_WAS = /^The prompt was: (".*")$/m;
/** How the vendor's program tells of a call without a result, and a restarted server that all those did not run which it does not name. */
const RESULTLESS = /^\[Tool call interrupted: the session ended/;
const NOT_RUN = "A call that has no result and is not named here was not run.";
/** How a restarted server tells of a call that was approved and never run. */
const AGAIN = /again with exactly this input, and nobody will be asked again: (\{.*\})$/gm;

export function wordsOf(value: unknown): readonly string[] {
  return [...new Set(JSON.stringify(value).match(WORD))];
}

/** Reads the messages of a request in order; what comes later counts. */
export function readConversation(messages: unknown): Conversation {
  const known = new Map<string, "over" | Call["input"]>();
  const asked: string[] = [];
  const done: string[] = [];
  const calls = new Map<string, readonly string[]>();
  const resultless = new Set<string>();
  let steps: readonly Step[] = [];
  for (const message of messages as readonly { readonly role: string; readonly content: string | readonly Block[] }[]) {
    const { role, content } = message;
    for (const block of partsOf(content)) {
      const text = block.text ?? "";
      const script = role === "user" ? scriptIn(text) : undefined;
      if (script !== undefined) {
        steps = JSON.parse(script) as readonly Step[];
        asked.push(text);
        if (!text.startsWith(REMINDER)) continue;
      }
      const lines = (block.text ?? JSON.stringify(block)).split("\n");
      for (const line of lines) (PERSON.test(line) ? asked : done).push(line);
      if (text.includes(NOT_RUN)) for (const word of resultless) known.delete(word);
      for (const word of wordsOf(lines.filter((line) => !PERSON.test(line)))) known.set(word, "over");
      if (block.type === "tool_use") calls.set(block.id ?? "", wordsOf(block.input ?? {}));
      if (typeof block.content === "string" && RESULTLESS.test(block.content))
        for (const word of calls.get(block.tool_use_id ?? "") ?? []) resultless.add(word);
      for (const [, json = "{}"] of text.matchAll(AGAIN)) {
        const input = JSON.parse(json) as Call["input"];
        for (const word of wordsOf(input)) known.set(word, input);
      }
    }
  }
  return { steps, known, asked: asked.join("\n"), done: done.join("\n") };
}

/** Reminders are parts of their own. */
function partsOf(content: string | readonly Block[]): readonly Block[] {
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
  return blocks.flatMap((block): readonly Block[] =>
    block.text === undefined
      ? [block]
      : block.text
          .split(REMINDERS)
          .filter((text) => text !== "")
          .map((text): Block => ({ type: block.type, text })),
  );
}

/** The steps of a prompt, as JSON; undefined: it is none. */
function scriptIn(text: string): string | undefined {
  const told = text.startsWith(REMINDER) ? PROMPT_WAS.exec(text)?.[1] : undefined;
  if (text.startsWith(REMINDER) && told === undefined) return undefined;
  return SCRIPT.exec(told === undefined ? text : String(JSON.parse(told)))?.[1];
}

/** The steps that are still to be done. */
export function nextSteps({ steps, known }: Conversation): readonly Step[] {
  return steps.flatMap((step): readonly Step[] => {
    if (!("tool" in step) && !("tools" in step)) return wordsOf(step).some((word) => known.has(word)) ? [] : [step];
    const calls = ("tools" in step ? step["tools"] : [step]) as readonly Call[];
    const due = calls.flatMap((call): readonly Call[] => {
      const found = wordsOf(call)
        .map((word) => known.get(word))
        .find((fact) => fact !== undefined);
      if (found === undefined) return [call];
      return found === "over" ? [] : [{ ...call, input: found }];
    });
    return due.length === 0 ? [] : [{ tools: due }];
  });
}
