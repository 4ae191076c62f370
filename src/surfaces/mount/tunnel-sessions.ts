import {
  defined,
  errorText,
  Failure,
  firstAbort,
  globMatches,
  LIMITS,
  TunnelMessage,
  type Approval,
  type ClaudeCreated,
} from "../../protocol/index.ts";
import type { Caller, Gateway, OpenTunnelSessions, SessionTerms } from "../../sessions/index.ts";
import type { FileService } from "./file-service.ts";
import { ToldTurn } from "./tunnel-turns.ts";

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
  /** The other side names its turns: each is told by itself. Absent: all is told. */
  readonly isByTurn: boolean;
  turn?: ToldTurn | undefined;
  /** Ends what tells of the turn. */
  telling?: AbortController | undefined;
}

type Incoming = Extract<
  TunnelMessage,
  { type: "create_session" | "prompt" | "tool_approval_response" | "stop" | "pause" | "resume" | "interrupt" }
>;
type CreateMessage = Extract<Incoming, { type: "create_session" }>;

/** Runs whole sessions for remote parties, with document 003's messages. */
export function serveTunnelSessions(options: TunnelSessionOptions): OpenTunnelSessions {
  return (caller, link, terms) => {
    const sessions = new TunnelSessions(options, {
      caller,
      terms,
      send: (message) => link.send(message),
      room: () => link.room(),
    });
    return { message: (text) => sessions.take(text), closed: () => sessions.close() };
  };
}

interface TunnelParty {
  readonly caller: Caller;
  /** What the owner of this machine allows it. Undefined: nothing any more. */
  readonly terms: () => Promise<SessionTerms | undefined>;
  readonly send: (message: TunnelMessage) => void;
  readonly room: () => Promise<void>;
}

class TunnelSessions {
  readonly #options: TunnelSessionOptions;
  readonly #caller: Caller;
  readonly #send: (message: TunnelMessage) => void;
  readonly #room: () => Promise<void>;
  readonly #terms: TunnelParty["terms"];
  /** By the id that the other side gave. */
  readonly #sessions = new Map<string, RemoteSession>();
  #turn: Promise<void> = Promise.resolve();
  #waiting = 0;
  #isClosed = false;

  constructor(options: TunnelSessionOptions, { caller, terms, send, room }: TunnelParty) {
    this.#options = options;
    this.#caller = caller;
    this.#send = send;
    this.#room = room;
    this.#terms = terms;
  }

  /** One message after the other. A message of no known kind is refused, and changes nothing. */
  take(text: string): void {
    const message = parse(text);
    if (message === undefined) {
      this.#fail("", new Failure("invalid_request", "this is none of document 003's messages"));
      return;
    }
    if (this.#waiting >= LIMITS.socketMessagesWaiting) {
      this.#fail(message.session_id, new Failure("limit_reached", "too many messages at once: wait for answers"));
      return;
    }
    this.#waiting += 1;
    this.#turn = this.#turn
      .then(() => this.#handle(message))
      .catch((error: unknown) =>
        this.#fail(message.session_id, error, message.type === "prompt" ? message.turn_id : undefined),
      )
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
        await this.#prompt(message);
        return;
      case "tool_approval_response":
        await this.#answer(message);
        return;
      case "stop":
        await this.#stop(message);
        return;
      case "interrupt":
        await this.#interrupt(message);
        return;
      case "pause":
      case "resume":
        await this.#write(message.session_id, "ctl", message.type);
    }
  }

  /** The same id again is the same session. Where the other side does not name its turns, it is told from its beginning. */
  async #create(message: CreateMessage): Promise<void> {
    const { session_id, by_turn } = message;
    if (!this.#sessions.has(session_id) && this.#sessions.size >= LIMITS.tunnelSessions)
      throw new Failure("limit_reached", `a tunnel can have ${LIMITS.tunnelSessions} sessions at once`);
    const id =
      message.home_session_id === undefined ? await this.#new(message) : await this.#open(message.home_session_id);
    this.#sessions.get(session_id)?.ending.abort();
    const session: RemoteSession = { id, asked: [], ending: new AbortController(), isByTurn: by_turn === true };
    this.#sessions.set(session_id, session);
    this.#send({ type: "session_created", session_id, ...(session.isByTurn ? { home_session_id: id } : {}) });
    if (session.isByTurn) return;
    void this.#tell(session_id, session);
    void this.#ask(session_id, session);
  }

  async #new({ session_id, request }: CreateMessage): Promise<string> {
    // Here it is no tunnel any more.
    const { tunnel_endpoint: _there, provider: _theirs, ...wanted } = request;
    const { provider, models = ["*"], engine } = (await this.#terms()) ?? {};
    if (provider === undefined || !models.some((glob) => globMatches(glob, request.model)))
      throw new Failure("model_not_allowed", `this tunnel is not for the model ${request.model}`);
    const asked = { ...defined({ engine }), ...wanted, provider, idempotency_key: `tunnel ${session_id}` };
    const { files } = this.#options;
    const made = await files.call(this.#caller, `${CLAUDE}/new`, encoder.encode(JSON.stringify(asked)));
    return (JSON.parse(decoder.decode(made)) as ClaudeCreated).session_id;
  }

  /** One that was made before. */
  async #open(id: string): Promise<string> {
    const { status } = await this.#options.gateway.sessions.get(this.#caller, id);
    if (status === "complete" || status === "failed")
      throw new Failure("not_found", `session not found: ${id} has ended; start another one`);
    return id;
  }

  async #prompt(message: Extract<Incoming, { type: "prompt" }>): Promise<void> {
    const { session_id, turn_id, content } = message;
    const session = this.#of(session_id);
    if (!session.isByTurn || turn_id === undefined) {
      await this.#write(session_id, "prompt", content);
      return;
    }
    const { gateway } = this.#options;
    const ending = new AbortController();
    const { signal, release } = firstAbort(session.ending.signal, ending.signal);
    const turn = await ToldTurn.begin(
      {
        gateway,
        caller: this.#caller,
        id: session.id,
        session_id,
        send: this.#send,
        room: this.#room,
        signal,
      },
      { ...message, turn_id },
    ).catch((error: unknown) => {
      release();
      throw error;
    });
    // The same turn again: it is told from its beginning.
    if (session.turn?.turn_id === turn_id) session.telling?.abort();
    session.turn = turn;
    session.telling = ending;
    turn
      .tell()
      .catch((error: unknown) => this.#fail(session_id, error, turn_id))
      .finally(release);
  }

  /** Ends the session. One that is gone has ended. */
  async #stop({ session_id, home_session_id }: Extract<Incoming, { type: "stop" }>): Promise<void> {
    const id = home_session_id ?? this.#of(session_id).id;
    try {
      await this.#options.gateway.sessions.close(this.#caller, id);
    } catch (error) {
      if (home_session_id === undefined || !(error instanceof Failure && error.code === "not_found")) throw error;
    }
    this.#sessions.delete(session_id);
    if (home_session_id !== undefined) this.#send({ type: "stopped", session_id });
  }

  /** Ends a turn, if it is the one that runs. */
  async #interrupt({ session_id, home_session_id, turn_id }: Extract<Incoming, { type: "interrupt" }>): Promise<void> {
    const known = this.#sessions.get(session_id);
    const id = known?.id ?? home_session_id ?? this.#of(session_id).id;
    const { sessions } = this.#options.gateway;
    const { turn_id: open } = await sessions.get(this.#caller, id);
    const meant = known?.turn?.turn_id === turn_id ? known?.turn?.homeTurnId : undefined;
    if (open === undefined || (meant !== undefined && meant !== open)) return;
    await sessions.interrupt(this.#caller, id);
  }

  async #answer(message: Extract<Incoming, { type: "tool_approval_response" }>): Promise<void> {
    const { session_id, approved, feedback, interrupt } = message;
    const request_id = message.request_id ?? this.#of(session_id).asked.shift();
    if (request_id === undefined) throw new Failure("conflict", "no pending tool: nothing waits for an answer");
    await this.#write(session_id, "tools/approve", JSON.stringify({ approved, request_id, feedback, interrupt }));
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
      if (!signal.aborted) this.#fail(session_id, error);
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
      if (!signal.aborted) this.#fail(session_id, error);
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

  #fail(session_id: string, error: unknown, turn_id?: string): void {
    const code = error instanceof Failure ? error.code : "internal";
    this.#send({ type: "error", session_id, error: wordsOf(error), code, ...defined({ turn_id }) });
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
      case "interrupt":
        return data;
      case "session_created":
      case "chunk":
      case "tool_approval":
      case "error":
      case "stopped":
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
