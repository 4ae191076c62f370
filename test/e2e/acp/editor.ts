import { spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { PassThrough, Readable, Writable } from "node:stream";
import { text } from "node:stream/consumers";
import {
  client,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  type ClientCapabilities,
  type ClientConnection,
  type ContentBlock,
  type NewSessionResponse,
  type PromptResponse,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionUpdate,
} from "@agentclientprotocol/sdk";
import { runCommandLine } from "../../../src/cli/program.ts";

const MAIN = resolve("dist/cli/main.js");

type Permission = (request: RequestPermissionRequest, signal: AbortSignal) => Promise<RequestPermissionResponse>;

export interface EditorOptions {
  readonly words: readonly string[];
  readonly folder: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly capabilities?: ClientCapabilities;
  readonly permission?: Permission;
  /** A process of its own; otherwise the whole command in this one. */
  readonly spawned?: boolean;
}

interface Command {
  readonly input: Writable;
  readonly output: Readable;
  readonly ended: Promise<{ readonly code: number | string; readonly stderr: string }>;
}

/** The protocol's own client library, at the other end of `sallyport acp`. */
export class Editor {
  readonly connection: ClientConnection;
  readonly updates: SessionUpdate[] = [];
  readonly asked: RequestPermissionRequest[] = [];
  /** Every byte of standard output, as it came. */
  stdout = "";
  readonly #command: Command;
  #waiting: { readonly done: () => boolean; readonly resolve: () => void } | undefined;

  private constructor(command: Command, permission: Permission | undefined) {
    this.#command = command;
    const read = new PassThrough();
    command.output.on("data", (chunk: Buffer) => {
      this.stdout += chunk.toString();
      read.write(chunk);
    });
    command.output.on("end", () => read.end());
    const app = client({ name: "test" })
      .onNotification(methods.client.session.update, ({ params }) => {
        this.updates.push(params.update);
        this.#wake();
      })
      .onRequest(methods.client.session.requestPermission, async ({ params, signal }) => {
        this.asked.push(params);
        this.#wake();
        return permission?.(params, signal) ?? { outcome: { outcome: "cancelled" } };
      });
    const stream = ndJsonStream(
      Writable.toWeb(command.input) as WritableStream<Uint8Array>,
      Readable.toWeb(read) as unknown as ReadableStream<Uint8Array>,
    );
    this.connection = app.connect(stream);
  }

  static async open(options: EditorOptions): Promise<Editor> {
    const command = options.spawned === true ? spawned(options) : inProcess(options);
    const editor = new Editor(command, options.permission);
    await editor.connection.agent.request(methods.agent.initialize, {
      protocolVersion: PROTOCOL_VERSION,
      clientCapabilities: options.capabilities ?? {},
      clientInfo: { name: "test", version: "0" },
    });
    return editor;
  }

  newSession(cwd: string): Promise<NewSessionResponse> {
    return this.connection.agent.request(methods.agent.session.new, { cwd, mcpServers: [] });
  }

  prompt(sessionId: string, prompt: string | ContentBlock[]): Promise<PromptResponse> {
    return this.connection.agent.request(methods.agent.session.prompt, {
      sessionId,
      prompt: typeof prompt === "string" ? [{ type: "text", text: prompt }] : prompt,
    });
  }

  cancel(sessionId: string): Promise<void> {
    return this.connection.agent.notify(methods.agent.session.cancel, { sessionId });
  }

  until(done: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting = { done, resolve };
      this.#wake();
    });
  }

  #wake(): void {
    const waiting = this.#waiting;
    if (waiting === undefined || !waiting.done()) return;
    this.#waiting = undefined;
    waiting.resolve();
  }

  /** The agent's words or thoughts, put together. */
  spoken(kind: "agent_message_chunk" | "agent_thought_chunk" | "user_message_chunk" = "agent_message_chunk"): string {
    return this.updates
      .flatMap((update) =>
        update.sessionUpdate === kind && "content" in update && update.content.type === "text"
          ? [update.content.text]
          : [],
      )
      .join("");
  }

  /** Each tool call as it is on the screen in the end. */
  calls(): readonly Readonly<Record<string, unknown>>[] {
    const calls = new Map<string, Record<string, unknown>>();
    for (const update of this.updates) {
      if (update.sessionUpdate !== "tool_call" && update.sessionUpdate !== "tool_call_update") continue;
      const { sessionUpdate: _kind, toolCallId, ...rest } = update;
      calls.set(toolCallId, { ...calls.get(toolCallId), ...rest });
    }
    return [...calls.values()];
  }

  /** Closes standard input, as an editor does that leaves. */
  async leave(): Promise<{ readonly code: number | string; readonly stderr: string }> {
    this.#command.input.end();
    return this.#command.ended;
  }
}

function inProcess({ words, folder, environment }: EditorOptions): Command {
  const [input, output, errors] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const stderr = text(errors);
  const ended = runCommandLine(words, {
    environment: { PATH: process.env["PATH"], HOME: folder, ...environment },
    cwd: folder,
    input,
    output,
    errors,
    version: "0.0.0-test",
    name: "sallyport",
    now: () => Date.now(),
    onSignal: () => () => undefined,
    goOnWithoutOutput: () => undefined,
    exit: () => undefined,
    endBySignal: () => undefined,
  }).then(async (code) => {
    output.end();
    errors.end();
    return { code, stderr: await stderr };
  });
  return { input, output, ended };
}

function spawned({ words, folder, environment }: EditorOptions): Command {
  const child = spawn(process.execPath, [MAIN, ...words], {
    cwd: folder,
    env: { PATH: process.env["PATH"], HOME: folder, SALLYPORT_SANDBOX: "local", ...environment },
    stdio: ["pipe", "pipe", "pipe"],
  });
  const stderr = text(child.stderr);
  const ended = once(child, "close").then(async ([code, signal]) => ({
    code: (code as number | null) ?? String(signal),
    stderr: await stderr,
  }));
  return { input: child.stdin, output: child.stdout, ended };
}

export function allow(optionId: string): Permission {
  return async () => ({ outcome: { outcome: "selected", optionId } });
}
