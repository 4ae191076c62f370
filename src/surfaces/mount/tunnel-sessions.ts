import { errorText, Failure, LIMITS, TunnelMessage, type Approval, type ClaudeCreated } from "../../protocol/index.ts";
import type { Caller, Gateway, OpenTunnelSessions } from "../../sessions/index.ts";
import type { FileService } from "./file-service.ts";

const CLAUDE = "/claude";
const encoder = new TextEncoder();
const decoder = new TextDecoder();

interface TunnelSessionOptions {
  readonly gateway: Gateway;
  /** Document 003's files: what its messages ask for is what its files do, with the same rights. */
  readonly files: FileService;
}

/** A session that runs here for the other side. */
interface RemoteSession {
  /** As it is called here. */
  readonly id: string;
  /** Questions that wait for an answer, the oldest first. */
  readonly asked: string[];
  readonly ending: AbortController;
}

type Incoming = Extract<
  TunnelMessage,
  { type: "create_session" | "prompt" | "tool_approval_response" | "stop" | "pause" | "resume" }
>;

/** Runs whole sessions for remote parties, with document 003's messages. */
export function serveTunnelSessions(options: TunnelSessionOptions): OpenTunnelSessions {
  return (caller, link) => {
    const sessions = new TunnelSessions(options, { caller, send: (message) => link.send(message) });
    return { message: (text) => sessions.take(text), closed: () => sessions.close() };
  };
}

class TunnelSessions {
  readonly #options: TunnelSessionOptions;
  readonly #caller: Caller;
  readonly #send: (message: TunnelMessage) => void;
  /** By the id that the other side gave. */
  readonly #sessions = new Map<string, RemoteSession>();
  #turn: Promise<void> = Promise.resolve();
  #waiting = 0;
  #isClosed = false;

  constructor(
    options: TunnelSessionOptions,
    { caller, send }: { readonly caller: Caller; readonly send: (message: TunnelMessage) => void },
  ) {
    this.#options = options;
    this.#caller = caller;
    this.#send = send;
  }

  /** One message after the other. A message of no known kind is refused, and changes nothing. */
  take(text: string): void {
    const message = parse(text);
    if (message === undefined) {
      this.#fail("", "this is none of document 003's messages");
      return;
    }
    if (this.#waiting >= LIMITS.socketMessagesWaiting) {
      this.#fail(message.session_id, "too many messages at once: wait for answers");
      return;
    }
    this.#waiting += 1;
    this.#turn = this.#turn
      .then(() => this.#handle(message))
      .catch((error: unknown) => this.#fail(message.session_id, wordsOf(error)))
      .finally(() => {
        this.#waiting -= 1;
      });
  }

  /** The sessions stay: they go on from the journal. */
  close(): void {
    this.#isClosed = true;
    for (const { ending } of this.#sessions.values()) ending.abort();
    this.#sessions.clear();
  }

  async #handle(message: Incoming): Promise<void> {
    if (this.#isClosed) return;
    switch (message.type) {
      case "create_session":
        await this.#create(message);
        return;
      case "prompt":
        await this.#write(message.session_id, "prompt", message.content);
        return;
      case "tool_approval_response":
        await this.#answer(message);
        return;
      case "stop":
      case "pause":
      case "resume":
        await this.#write(message.session_id, "ctl", message.type);
    }
  }

  /** The same id again is the same session: it is told from its beginning. */
  async #create({ session_id, request }: Extract<Incoming, { type: "create_session" }>): Promise<void> {
    if (!this.#sessions.has(session_id) && this.#sessions.size >= LIMITS.tunnelSessions)
      throw new Failure("limit_reached", `a tunnel can have ${LIMITS.tunnelSessions} sessions at once`);
    // Here it is no tunnel any more.
    const { tunnel_endpoint: _there, provider: _theirs, ...wanted } = request;
    const asked = { ...wanted, idempotency_key: `tunnel ${session_id}` };
    const { files } = this.#options;
    const made = await files.call(this.#caller, `${CLAUDE}/new`, encoder.encode(JSON.stringify(asked)));
    const { session_id: id } = JSON.parse(decoder.decode(made)) as ClaudeCreated;
    this.#sessions.get(session_id)?.ending.abort();
    const session: RemoteSession = { id, asked: [], ending: new AbortController() };
    this.#sessions.set(session_id, session);
    this.#send({ type: "session_created", session_id });
    void this.#tell(session_id, session);
    void this.#ask(session_id, session);
  }

  async #answer({ session_id, approved }: Extract<Incoming, { type: "tool_approval_response" }>): Promise<void> {
    const session = this.#of(session_id);
    const request_id = session.asked.shift();
    if (request_id === undefined) throw new Failure("conflict", "no pending tool: nothing waits for an answer");
    await this.#write(session_id, "tools/approve", JSON.stringify({ approved, request_id }));
  }

  async #write(session_id: string, file: string, text: string): Promise<void> {
    const { id } = this.#of(session_id);
    await this.#options.files.write(this.#caller, `${CLAUDE}/sessions/${id}/${file}`, encoder.encode(text));
  }

  /** Everything that the session says. */
  async #tell(session_id: string, { id, ending: { signal } }: RemoteSession): Promise<void> {
    try {
      const options = { after: "", signal };
      const batches = await this.#options.files.watch(this.#caller, `${CLAUDE}/sessions/${id}/output`, options);
      for await (const frames of batches)
        for (const { chunk } of frames) if (!signal.aborted) this.#send({ type: "chunk", ...chunk, session_id });
    } catch (error) {
      if (!signal.aborted) this.#fail(session_id, wordsOf(error));
    }
  }

  /** Every question of the session. Whether the other side may answer it is a matter of this machine's policy. */
  async #ask(session_id: string, { id, asked, ending: { signal } }: RemoteSession): Promise<void> {
    try {
      const batches = await this.#options.gateway.sessions.watch(this.#caller, id, 0, signal);
      for await (const frames of batches) {
        for (const { value } of frames) {
          if (!("type" in value) || signal.aborted) continue;
          if (value.type === "approval.requested") this.#request(session_id, asked, value.approval);
          else if (value.type === "approval.resolved" && asked.includes(value.approval_id))
            asked.splice(asked.indexOf(value.approval_id), 1);
        }
      }
    } catch (error) {
      if (!signal.aborted) this.#fail(session_id, wordsOf(error));
    }
  }

  #request(session_id: string, asked: string[], { id, tool, input }: Approval): void {
    asked.push(id);
    this.#send({ type: "tool_approval", session_id, tool, params: input });
  }

  #of(session_id: string): RemoteSession {
    const found = this.#sessions.get(session_id);
    if (found === undefined) throw new Failure("not_found", `session not found: ${session_id}`);
    return found;
  }

  #fail(session_id: string, error: string): void {
    this.#send({ type: "error", session_id, error });
  }
}

/** Undefined: it is none that this side takes. */
function parse(text: string): Incoming | undefined {
  try {
    const { data } = TunnelMessage.safeParse(JSON.parse(text));
    switch (data?.type) {
      case "create_session":
      case "prompt":
      case "tool_approval_response":
      case "stop":
      case "pause":
      case "resume":
        return data;
      case "session_created":
      case "chunk":
      case "tool_approval":
      case "error":
      case undefined:
        return undefined;
    }
  } catch {
    return undefined;
  }
}

function wordsOf(error: unknown): string {
  return error instanceof Failure ? errorText(error) : "something went wrong here";
}
