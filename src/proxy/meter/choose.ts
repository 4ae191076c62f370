import type { RequestFacts } from "../../ledger/index.ts";
import { headerOf } from "../http/headers.ts";
import type { RouteName } from "../http/routes.ts";
import { MessagesMeter, readMessage } from "./anthropic.ts";
import { AnswerMeter } from "./answer.ts";
import { ChatMeter } from "./chat.ts";
import type { Meter } from "./meter.ts";
import { readCompletion, readEmbeddings, readResponse } from "./openai.ts";
import { ResponsesMeter } from "./responses.ts";

/** The meter for an answer, chosen by the answer and not by the request. */
export function meterFor(
  route: RouteName | undefined,
  headers: readonly string[],
  asked: { readonly hideUsage: boolean; readonly facts: RequestFacts },
): Meter {
  const encoding = headerOf(headers, "content-encoding");
  // This encoding was not requested, and it cannot be read.
  if (encoding !== undefined && encoding !== "identity") return new AnswerMeter(() => undefined, undefined);
  const isStream = headerOf(headers, "content-type")?.startsWith("text/event-stream") === true;
  const length = headerOf(headers, "content-length");
  const expected = length !== undefined && /^\d+$/.test(length) ? Number(length) : undefined;
  const long = asked.facts.cacheWrite === "1h";
  const searching = asked.facts.serverTools.some(({ type }) => type.startsWith("web_search"));
  switch (route) {
    case "responses":
      return isStream ? new ResponsesMeter() : new AnswerMeter(readResponse, expected);
    case "chat":
      return isStream
        ? new ChatMeter({ hideUsage: asked.hideUsage, searching })
        : new AnswerMeter((answer, tally) => readCompletion(answer, tally, searching), expected);
    case "embeddings":
      return new AnswerMeter(readEmbeddings, expected);
    default:
      return isStream
        ? new MessagesMeter(long)
        : new AnswerMeter((answer, tally) => readMessage(answer, tally, long), expected);
  }
}
