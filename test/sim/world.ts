import { startSim, type SimOptions, type SimPlace, type SimServer } from "../../src/sim/index.ts";

export interface Block {
  readonly type: string;
  readonly text?: string;
  readonly thinking?: string;
  readonly signature?: string;
  readonly id?: string;
  readonly name?: string;
  readonly input?: Readonly<Record<string, unknown>>;
}

export interface Answer {
  readonly id: string;
  readonly content: readonly Block[];
  readonly stop_reason: string | null;
  readonly usage: Readonly<Record<string, unknown>>;
}

export interface Sent {
  readonly role: "user" | "assistant";
  readonly content: string | readonly object[];
}

export const TOOLS = ["Read", "Write", "Edit", "Glob", "Grep", "Bash", "TodoWrite"].map((name) => ({
  name,
  input_schema: { type: "object" },
}));

/** A client of the scripted model, as plain as can be. */
export class Client {
  readonly server: SimServer;

  private constructor(server: SimServer) {
    this.server = server;
  }

  static async start(place: SimPlace = {}, options: SimOptions = {}): Promise<Client> {
    return new Client(await startSim(place, { demoDelayMs: 0, ...options }));
  }

  post(body: object, path = "/v1/messages"): Promise<Response> {
    return fetch(this.server.url + path, {
      method: "POST",
      headers: { "x-api-key": "key" },
      body: JSON.stringify(body),
    });
  }

  async ask(messages: readonly Sent[], more: object = {}): Promise<Answer> {
    const response = await this.post({ model: "sim", max_tokens: 1_000, messages, ...more });
    return (await response.json()) as Answer;
  }

  async stream(messages: readonly Sent[], more: object = {}): Promise<string> {
    const response = await this.post({ model: "sim", max_tokens: 1_000, stream: true, messages, ...more });
    return response.text();
  }
}

export function script(...steps: readonly unknown[]): Sent {
  return { role: "user", content: `Play this.\nsim: ${JSON.stringify(steps)}\nThank you.` };
}

/** The JSON of each event; the event's name must be its type. */
export function eventsOf(stream: string): readonly Readonly<Record<string, unknown>>[] {
  return stream
    .split("\n\n")
    .filter((frame) => frame !== "")
    .map((frame) => {
      const match = /^event: (\w+)\ndata: (.*)$/.exec(frame);
      const data = JSON.parse(match?.[2] ?? "null") as Readonly<Record<string, unknown>>;
      if (data["type"] !== match?.[1]) throw new Error(`bad frame: ${frame}`);
      return data;
    });
}

interface Delta {
  readonly text?: string;
  readonly thinking?: string;
  readonly signature?: string;
  readonly partial_json?: string;
}

/** Puts the message of a stream together. */
export function assemble(stream: string): Answer {
  let answer: Answer | undefined;
  const blocks: Block[] = [];
  const inputs: string[] = [];
  for (const event of eventsOf(stream)) {
    const index = event["index"] as number;
    const block = blocks[index];
    if (event["type"] === "message_start") answer = event["message"] as Answer;
    if (event["type"] === "content_block_start") blocks[index] = event["content_block"] as Block;
    if (event["type"] === "content_block_delta" && block !== undefined) {
      const delta = event["delta"] as Delta;
      inputs[index] = (inputs[index] ?? "") + (delta.partial_json ?? "");
      blocks[index] = {
        ...block,
        ...(delta.text === undefined ? {} : { text: (block.text ?? "") + delta.text }),
        ...(delta.thinking === undefined ? {} : { thinking: (block.thinking ?? "") + delta.thinking }),
        ...(delta.signature === undefined ? {} : { signature: delta.signature }),
      };
    }
    if (event["type"] === "content_block_stop" && block?.type === "tool_use") {
      blocks[index] = { ...block, input: JSON.parse(inputs[index] ?? "") as Readonly<Record<string, unknown>> };
    }
    if (event["type"] === "message_delta" && answer !== undefined) {
      const { delta, usage } = event as { delta?: object; usage?: object };
      answer = { ...answer, ...delta, usage: { ...answer.usage, ...usage } };
    }
  }
  if (answer === undefined) throw new Error("no message_start");
  return { ...answer, content: blocks };
}

/** The conversation after an answer whose calls gave these results, in order. */
export function after(
  messages: readonly Sent[],
  answer: Answer,
  results: readonly (string | { readonly error: string })[],
): readonly Sent[] {
  const calls = answer.content.filter((block) => block.type === "tool_use");
  const content = calls.map((call, index) => {
    const result = results[index] ?? "";
    if (typeof result === "string") return { type: "tool_result", tool_use_id: call.id, content: result };
    return { type: "tool_result", tool_use_id: call.id, content: result.error, is_error: true };
  });
  return [...messages, { role: "assistant", content: answer.content }, { role: "user", content }];
}
