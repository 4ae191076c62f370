// What a caller of the product does, with a watch in hand.
import { SallyportClient } from "../../dist/client/index.js";

const TURN_MS = 60_000;

export class Caller {
  #client;
  /** Sessions that this caller began. */
  known = new Set();

  constructor(url, token) {
    this.#client = new SallyportClient({ url, token });
  }

  /** A session with its stream open; times run from the prompt to what the stream shows. */
  async open(settings) {
    const session = await this.#client.createSession(settings);
    this.known.add(session.id);
    const stream = this.#client.watch(session.id)[Symbol.asyncIterator]();
    return {
      id: session.id,
      model: session.settings.model,
      turn: async (text) => {
        const begun = performance.now();
        const [times] = await Promise.all([follow(stream, begun), this.#client.prompt(session.id, { text })]);
        return times;
      },
      close: () => this.#close(session.id, stream),
    };
  }

  /** A session with its first prompt, from nothing. */
  async begin(settings, text) {
    const begun = performance.now();
    const { id } = await this.#client.createSession({ ...settings, prompt: { text } });
    this.known.add(id);
    const stream = this.#client.watch(id)[Symbol.asyncIterator]();
    const times = await follow(stream, begun);
    await this.#close(id, stream);
    return times;
  }

  /** A session whose first prompt asks a person; resolves when it waits for the answer. */
  async beginAsking(settings, text) {
    const begun = performance.now();
    const { id } = await this.#client.createSession({ ...settings, prompt: { text } });
    this.known.add(id);
    const stream = this.#client.watch(id)[Symbol.asyncIterator]();
    const { approval } = await until(stream, ({ type }) => type === "approval.requested");
    return {
      asked_ms: performance.now() - begun,
      approve: async () => {
        const approved = performance.now();
        await this.#client.decide(approval.id, { decision: "approve", input_hash: approval.input_hash });
        await until(stream, ({ type }) => type === "turn.completed");
        return performance.now() - approved;
      },
      close: () => this.#close(id, stream),
    };
  }

  async #close(id, stream) {
    await stream.return();
    await this.#client.control(id, "close");
  }
}

/** Text that is there, live or as it was when the stream began. */
function isText(frame) {
  if (frame.type === "item.delta") return frame.field === "text";
  return frame.type.startsWith("item.") && frame.item.type === "agent_message" && frame.item.text !== "";
}

async function follow(stream, begun) {
  let first;
  await until(stream, (frame) => {
    if (isText(frame)) first ??= performance.now() - begun;
    return frame.type === "turn.completed";
  });
  return { first_ms: first, whole_ms: performance.now() - begun };
}

/** The first frame that is wanted. */
async function until(stream, isWanted) {
  const begun = performance.now();
  for (;;) {
    const { value, done } = await stream.next();
    if (done || value.type === "turn.failed")
      throw new Error(`a turn failed: ${JSON.stringify(value ?? "the stream ended")}`);
    if (isWanted(value)) return value;
    if (performance.now() - begun > TURN_MS) throw new Error(`a turn took longer than ${TURN_MS} ms`);
  }
}
