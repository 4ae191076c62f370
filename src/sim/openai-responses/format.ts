import { callId, partsOf, tally } from "../content.ts";
import { usageOf } from "../openai/usage.ts";
import { CREATED, errorFields } from "../openai/vendor.ts";
import { signatureOf } from "../signature.ts";
import type { ApiError, ReadRequest, Fields, Format, Moment, ReplyPart, ModelReply, StopReason } from "../wire.ts";
import { readRequest, type ResponsesRequest } from "./request.ts";

/** Why a response is not complete. Absent: it is. */
const INCOMPLETE: Readonly<Partial<Record<StopReason, string>>> = {
  max_tokens: "max_output_tokens",
  model_context_window_exceeded: "max_output_tokens",
  refusal: "content_filter",
};

/** Stands for the fields that repeat the request while an event is written. No text holds it: quotes within texts are escaped. */
const REPEATED = "repeated fields";

type ResponseStatus = "in_progress" | "completed" | "incomplete";

export function readResponses(body: unknown): ReadRequest {
  const request = readRequest(body);
  return { request, format: (reply) => new ResponsesFormat(reply, request) };
}

/** `POST /v1/responses`. Each part of a reply is an item of the output. */
class ResponsesFormat implements Format {
  readonly #request: ResponsesRequest;
  readonly #reply: ModelReply;
  readonly #reason: string | undefined;
  /** The part where the reply was cut. Absent: none. */
  readonly #cutAt: number | undefined;
  readonly #output: Fields[] = [];
  #sequence = 0;
  #repeated: string | undefined = undefined;

  constructor(reply: ModelReply, request: ResponsesRequest) {
    this.#request = request;
    this.#reply = reply;
    this.#reason = INCOMPLETE[reply.stopReason];
    this.#cutAt = this.#reason === undefined ? undefined : partsOf(reply, request).length - 1;
  }

  encode(moment: Moment): string {
    switch (moment.at) {
      case "begin": {
        const response = this.#response("in_progress", {}, { [REPEATED]: 0 });
        return (
          this.#responseEvent("response.created", response) + this.#responseEvent("response.in_progress", response)
        );
      }
      case "open":
        return this.#open(moment.part, moment.index);
      case "piece":
        return this.#piece(moment.part, moment.index, moment.text);
      case "close":
        return this.#close(moment.part, moment.index);
      case "end":
        return this.#responseEvent(`response.${this.#finalStatus()}`, this.#final(this.#output, { [REPEATED]: 0 }));
      case "fail":
        return this.#fail(moment.error);
      case "garble":
        return 'event: response.output_text.delta\ndata: {"type":"response.output_text.delta","sequence_num\n\n';
    }
  }

  whole(): Fields {
    const parts = partsOf(this.#reply, this.#request);
    return this.#final(parts.map((part, index) => this.#item(part, index, this.#status(index))));
  }

  #open(part: ReplyPart, index: number): string {
    const item = this.#item({ ...part, text: "" }, index, "in_progress");
    const place = { item_id: item["id"], output_index: index };
    const added = this.#event("response.output_item.added", { output_index: index, item });
    switch (part.type) {
      case "text":
        return added + this.#event("response.content_part.added", { ...place, content_index: 0, part: outputText("") });
      case "thought":
        return (
          added +
          this.#event("response.reasoning_summary_part.added", { ...place, summary_index: 0, part: summaryText("") })
        );
      case "call":
        return added;
    }
  }

  #piece(part: ReplyPart, index: number, delta: string): string {
    const place = { item_id: this.#itemId(part, index), output_index: index };
    switch (part.type) {
      case "text":
        return this.#event("response.output_text.delta", { ...place, content_index: 0, delta, logprobs: [] });
      case "thought":
        return this.#event("response.reasoning_summary_text.delta", { ...place, summary_index: 0, delta });
      case "call":
        return this.#event(`response.${callEvent(part)}.delta`, { ...place, delta });
    }
  }

  #close(part: ReplyPart, index: number): string {
    const item = this.#item(part, index, this.#status(index));
    this.#output.push(item);
    const place = { item_id: item["id"], output_index: index };
    return this.#told(part, place) + this.#event("response.output_item.done", { output_index: index, item });
  }

  /** The complete text of what was sent in pieces. */
  #told(part: ReplyPart, place: Fields): string {
    const { text } = part;
    switch (part.type) {
      case "text": {
        const at = { ...place, content_index: 0 };
        return (
          this.#event("response.output_text.done", { ...at, text, logprobs: [] }) +
          this.#event("response.content_part.done", { ...at, part: outputText(text) })
        );
      }
      case "thought": {
        const at = { ...place, summary_index: 0 };
        return (
          this.#event("response.reasoning_summary_text.done", { ...at, text }) +
          this.#event("response.reasoning_summary_part.done", { ...at, part: summaryText(text) })
        );
      }
      case "call":
        return this.#event(`response.${callEvent(part)}.done`, {
          ...place,
          [part.freeform ? "input" : "arguments"]: text,
        });
    }
  }

  #fail(error: ApiError): string {
    const { message, type, param, code } = errorFields(error);
    // The usage of a failed response is unknown to its caller, unless a script sets it.
    const usage = Object.keys(this.#reply.usage).length === 0 ? null : this.#usage();
    const response = this.#response("failed", {
      error: { code: code ?? type, message },
      output: this.#output,
      usage,
    });
    return (
      this.#event("error", { error: { type, code, message, param } }) + this.#event("response.failed", { response })
    );
  }

  #item(part: ReplyPart, index: number, status: ResponseStatus): Fields {
    const id = this.#itemId(part, index);
    switch (part.type) {
      case "text": {
        const content = status === "in_progress" ? [] : [outputText(part.text)];
        return { id, type: "message", status, content, role: "assistant" };
      }
      case "thought": {
        const proof = this.#request.includeEncrypted ? { encrypted_content: signatureOf(part.text) } : {};
        return { id, type: "reasoning", ...proof, summary: status === "in_progress" ? [] : [summaryText(part.text)] };
      }
      case "call": {
        const call_id = callId("call_", this.#request, index);
        return part.freeform
          ? { id, type: "custom_tool_call", status, call_id, input: part.text, name: part.name }
          : { id, type: "function_call", status, arguments: part.text, call_id, name: part.name };
      }
    }
  }

  #itemId(part: ReplyPart, index: number): string {
    const prefix = part.type === "text" ? "msg_" : part.type === "thought" ? "rs_" : part.freeform ? "ctc_" : "fc_";
    return callId(prefix, this.#request, index);
  }

  #status(index: number): ResponseStatus {
    return index === this.#cutAt ? "incomplete" : "completed";
  }

  #finalStatus(): ResponseStatus {
    return this.#reason === undefined ? "completed" : "incomplete";
  }

  #final(output: readonly Fields[], repeated: Fields = this.#request.echo): Fields {
    const more = {
      incomplete_details: this.#reason === undefined ? null : { reason: this.#reason },
      output,
      usage: this.#usage(),
    };
    return this.#response(this.#finalStatus(), more, repeated);
  }

  #response(status: ResponseStatus | "failed", more: Fields, repeated: Fields = this.#request.echo): Fields {
    return {
      id: `resp_${this.#request.digest.slice(0, 48)}`,
      object: "response",
      created_at: CREATED,
      status,
      background: false,
      error: null,
      incomplete_details: null,
      model: this.#request.model,
      output: [],
      previous_response_id: null,
      service_tier: "default",
      ...repeated,
      usage: null,
      user: null,
      ...more,
    };
  }

  #usage(): Fields {
    const { input, inputDetails, output, outputDetails, total } = usageOf(tally(this.#reply, this.#request));
    return {
      input_tokens: input,
      input_tokens_details: inputDetails,
      output_tokens: output,
      output_tokens_details: outputDetails,
      total_tokens: total,
    };
  }

  /** The request's tools are most of a response, and three events of an answer hold them: they become text once. */
  #responseEvent(type: string, response: Fields): string {
    this.#repeated ??= JSON.stringify(this.#request.echo).slice(1, -1);
    const text = this.#repeated;
    return this.#event(type, { response }).replace(`"${REPEATED}":0`, () => text);
  }

  #event(type: string, fields: Fields): string {
    const data = JSON.stringify({ type, sequence_number: this.#sequence, ...fields });
    this.#sequence += 1;
    return `event: ${type}\ndata: ${data}\n\n`;
  }
}

function outputText(text: string): Fields {
  return { type: "output_text", annotations: [], logprobs: [], text };
}

function summaryText(text: string): Fields {
  return { type: "summary_text", text };
}

function callEvent(part: Extract<ReplyPart, { type: "call" }>): string {
  return part.freeform ? "custom_tool_call_input" : "function_call_arguments";
}
