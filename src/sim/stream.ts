import type { ServerResponse } from "node:http";
import { partOf, tokenText, wholeChars } from "./content.ts";
import { SIM_LIMITS } from "./limits.ts";
import {
  ApiError,
  isFault,
  type Act,
  type ScriptedFault,
  type Format,
  type SimRequest,
  type Moment,
  type ReplyPart,
  type ModelReply,
} from "./wire.ts";

/** Sizes of the pieces of a tool's input: odd, so that boundaries fall anywhere. */
const INPUT_PIECES = [1, 7, 3, 13, 5, 31, 2, 64] as const;
const WORD = /\S+\s*|\s+/g;

/** A pause that ends early when the caller hangs up. */
export function pause(ms: number, response: ServerResponse): Promise<void> {
  if (response.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    const finish = (): void => {
      clearTimeout(timer);
      response.off("close", finish);
      resolve();
    };
    const timer = setTimeout(finish, ms);
    response.once("close", finish);
  });
}

interface Played {
  readonly reply: ModelReply;
  readonly request: SimRequest;
  readonly format: Format;
  readonly response: ServerResponse;
  /** Milliseconds; only differences count. */
  readonly now: () => number;
}

/** Puts one reply on the wire as server-sent events. */
export class ReplyStream {
  readonly #played: Played;
  #text = "";
  #index = 0;
  /** A part stays open until the next one begins, so that a fault can occur within it. */
  #open: ReplyPart | undefined;

  constructor(played: Played) {
    this.#played = played;
  }

  async play(): Promise<void> {
    this.#tell({ at: "begin" });
    for (const act of this.#played.reply.acts) {
      if (this.#played.response.destroyed) return;
      if (isFault(act)) return this.#fault(act);
      await this.#act(act);
    }
    this.#close();
    this.#tell({ at: "end" });
    this.#played.response.end(this.#take());
  }

  async #act(act: Exclude<Act, ScriptedFault>): Promise<void> {
    const part = partOf(act, this.#played.request);
    if (part !== undefined) this.#begin(part);
    switch (act.do) {
      case "say":
        return this.#say(act.text);
      case "tokens":
        return act.perSecond > 0 ? this.#paced(act.count, act.perSecond) : this.#unpaced(act.count);
      case "think":
        for (const word of act.text.match(WORD) ?? []) this.#piece(word);
        return undefined;
      case "tool":
        return this.#input(part?.text ?? "");
      case "wait":
        await this.#flush();
        return pause(act.ms, this.#played.response);
    }
  }

  async #say(text: string): Promise<void> {
    for (const word of text.match(WORD) ?? []) {
      this.#piece(word);
      if (this.#played.reply.wordMs === 0) continue;
      await this.#flush();
      await pause(this.#played.reply.wordMs, this.#played.response);
      if (this.#played.response.destroyed) return;
    }
  }

  #input(text: string): void {
    let at = 0;
    for (let piece = 0; at < text.length; piece += 1) {
      const end = Math.min(text.length, at + (INPUT_PIECES[piece % INPUT_PIECES.length] ?? 1));
      // A surrogate pair stays whole in the piece where it begins.
      const next = wholeChars(text, end) === end ? end : end + 1;
      this.#piece(text.slice(at, next));
      at = next;
    }
  }

  async #unpaced(count: number): Promise<void> {
    for (let number = 0; number < count; number += 1) {
      this.#piece(tokenText(number));
      if ((number + 1) % SIM_LIMITS.tokensPerWrite !== 0) continue;
      await this.#flush();
      if (this.#played.response.destroyed) return;
    }
  }

  /** Keeps the rate however late a timer fires. */
  async #paced(count: number, perSecond: number): Promise<void> {
    const start = this.#played.now();
    let sent = 0;
    while (sent < count && !this.#played.response.destroyed) {
      const due = Math.min(count, Math.floor(((this.#played.now() - start) * perSecond) / 1_000) + 1);
      for (; sent < due; sent += 1) this.#piece(tokenText(sent));
      await this.#flush();
      if (sent < count)
        await pause(Math.max(1, start + (sent * 1_000) / perSecond - this.#played.now()), this.#played.response);
    }
  }

  async #fault(fault: ScriptedFault): Promise<void> {
    switch (fault.do) {
      case "fail":
        this.#tell({ at: "fail", error: new ApiError(fault.status, fault.message, { type: fault.type }) });
        this.#played.response.end(this.#take());
        return;
      case "garble":
        this.#tell({ at: "garble" });
        this.#played.response.end(this.#take());
        return;
      case "hang_up":
        await new Promise<void>((resolve) => {
          this.#played.response.write(this.#take(), () => resolve());
        });
        this.#played.response.destroy();
    }
  }

  #begin(part: ReplyPart): void {
    this.#close();
    this.#open = part;
    this.#tell({ at: "open", part, index: this.#index });
  }

  #piece(text: string): void {
    if (this.#open !== undefined) this.#tell({ at: "piece", part: this.#open, index: this.#index, text });
  }

  #close(): void {
    if (this.#open === undefined) return;
    this.#tell({ at: "close", part: this.#open, index: this.#index });
    this.#index += 1;
    this.#open = undefined;
  }

  #tell(moment: Moment): void {
    this.#text += this.#played.format.encode(moment);
  }

  #take(): string {
    const text = this.#text;
    this.#text = "";
    return text;
  }

  /** Writes what there is; waits when the caller reads more slowly than we write. */
  async #flush(): Promise<void> {
    if (this.#text === "" || this.#played.response.destroyed || this.#played.response.write(this.#take())) return;
    await new Promise<void>((resolve) => {
      const finish = (): void => {
        this.#played.response.off("drain", finish);
        this.#played.response.off("close", finish);
        resolve();
      };
      this.#played.response.once("drain", finish);
      this.#played.response.once("close", finish);
    });
  }
}
