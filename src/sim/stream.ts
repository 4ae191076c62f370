import type { ServerResponse } from "node:http";
import { messageId, signatureOf, tokenText, toolUseId, usageOf } from "./content.ts";
import { SIM_LIMITS } from "./limits.ts";
import { isFault, type Act, type Fault, type Fields, type ModelRequest, type Reply } from "./wire.ts";

/** Sizes of the pieces in which a tool's input is sent: odd, so that borders fall anywhere. */
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

/** Puts one reply on the wire as server-sent events. */
export class ReplyStream {
  readonly #request: ModelRequest;
  readonly #reply: Reply;
  readonly #response: ServerResponse;
  readonly #now: () => number;
  #text = "";
  #blocks = 0;
  /** A text block stays open until the next block begins, so that a fault can fall into it. */
  #open = false;

  constructor(reply: Reply, request: ModelRequest, response: ServerResponse, now: () => number) {
    this.#request = request;
    this.#reply = reply;
    this.#response = response;
    this.#now = now;
  }

  async play(): Promise<void> {
    this.#begin();
    for (const act of this.#reply.acts) {
      if (this.#response.destroyed) return;
      if (isFault(act)) return this.#fault(act);
      await this.#act(act);
    }
    this.#closeBlock();
    this.#event("message_delta", {
      delta: {
        stop_reason: this.#reply.stopReason,
        stop_sequence: this.#reply.stopReason === "stop_sequence" ? "STOP" : null,
      },
      usage: usageOf(this.#reply, this.#request),
    });
    this.#event("message_stop", {});
    this.#response.end(this.#take());
  }

  #begin(): void {
    const { output_tokens: _, output_tokens_details: __, ...input } = usageOf(this.#reply, this.#request);
    this.#event("message_start", {
      message: {
        id: messageId(this.#request),
        type: "message",
        role: "assistant",
        model: this.#request.model,
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { ...input, output_tokens: 1, service_tier: "standard" },
      },
    });
  }

  async #act(act: Exclude<Act, Fault>): Promise<void> {
    switch (act.do) {
      case "say":
        return this.#say(act.text);
      case "tokens":
        this.#openBlock({ type: "text", text: "" });
        return act.perSecond > 0 ? this.#paced(act.count, act.perSecond) : this.#unpaced(act.count);
      case "think":
        return this.#think(act.text);
      case "tool":
        return this.#tool(act);
      case "wait":
        await this.#flush();
        return pause(act.ms, this.#response);
    }
  }

  async #say(text: string): Promise<void> {
    this.#openBlock({ type: "text", text: "" });
    for (const word of text.match(WORD) ?? []) {
      this.#delta({ type: "text_delta", text: word });
      if (this.#reply.wordMs === 0) continue;
      await this.#flush();
      await pause(this.#reply.wordMs, this.#response);
      if (this.#response.destroyed) return;
    }
  }

  #think(text: string): void {
    this.#openBlock({ type: "thinking", thinking: "", signature: "" });
    for (const word of text.match(WORD) ?? []) this.#delta({ type: "thinking_delta", thinking: word });
    this.#delta({ type: "signature_delta", signature: signatureOf(text) });
  }

  #tool(act: Extract<Act, { do: "tool" }>): void {
    this.#closeBlock();
    this.#openBlock({ type: "tool_use", id: toolUseId(this.#request, this.#blocks), name: act.name, input: {} });
    this.#delta({ type: "input_json_delta", partial_json: "" });
    const whole = JSON.stringify(act.input);
    // Half of an object is never a whole one.
    const json = act.cut ? whole.slice(0, Math.ceil(whole.length / 2)) : whole;
    let at = 0;
    for (let piece = 0; at < json.length; piece += 1) {
      const end = at + (INPUT_PIECES[piece % INPUT_PIECES.length] ?? 1);
      this.#delta({ type: "input_json_delta", partial_json: json.slice(at, end) });
      at = end;
    }
  }

  async #unpaced(count: number): Promise<void> {
    for (let number = 0; number < count; number += 1) {
      this.#delta({ type: "text_delta", text: tokenText(number) });
      if ((number + 1) % SIM_LIMITS.tokensPerWrite !== 0) continue;
      await this.#flush();
      if (this.#response.destroyed) return;
    }
  }

  /** Keeps the rate however late a timer comes. */
  async #paced(count: number, perSecond: number): Promise<void> {
    const start = this.#now();
    let sent = 0;
    while (sent < count && !this.#response.destroyed) {
      const due = Math.min(count, Math.floor(((this.#now() - start) * perSecond) / 1_000) + 1);
      for (; sent < due; sent += 1) this.#delta({ type: "text_delta", text: tokenText(sent) });
      await this.#flush();
      if (sent < count) await pause(Math.max(1, start + (sent * 1_000) / perSecond - this.#now()), this.#response);
    }
  }

  async #fault(fault: Fault): Promise<void> {
    switch (fault.do) {
      case "fail":
        this.#event("error", { error: { type: fault.type, message: fault.message } });
        this.#response.end(this.#take());
        return;
      case "garble":
        this.#text +=
          'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_del\n\n';
        this.#response.end(this.#take());
        return;
      case "hang_up":
        await new Promise<void>((resolve) => {
          this.#response.write(this.#take(), () => resolve());
        });
        this.#response.destroy();
    }
  }

  #openBlock(block: Fields): void {
    this.#closeBlock();
    this.#event("content_block_start", { index: this.#blocks, content_block: block });
    if (this.#blocks === 0) this.#event("ping", {});
    this.#open = true;
  }

  #closeBlock(): void {
    if (!this.#open) return;
    this.#event("content_block_stop", { index: this.#blocks });
    this.#blocks += 1;
    this.#open = false;
  }

  #delta(delta: Fields): void {
    this.#event("content_block_delta", { index: this.#blocks, delta });
  }

  #event(type: string, fields: Fields): void {
    this.#text += `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
  }

  #take(): string {
    const text = this.#text;
    this.#text = "";
    return text;
  }

  /** Writes what there is; waits when the caller reads more slowly than we write. */
  async #flush(): Promise<void> {
    if (this.#text === "" || this.#response.destroyed || this.#response.write(this.#take())) return;
    await new Promise<void>((resolve) => {
      const finish = (): void => {
        this.#response.off("drain", finish);
        this.#response.off("close", finish);
        resolve();
      };
      this.#response.once("drain", finish);
      this.#response.once("close", finish);
    });
  }
}
