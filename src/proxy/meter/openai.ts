import { countOf, fieldsOf, wordOf, type UsageFields, type MeterTally } from "./tally.ts";

/** The names that Chat Completions and Responses use for the same figures. */
const CHAT = {
  input: "prompt_tokens",
  inputDetails: "prompt_tokens_details",
  output: "completion_tokens",
  outputDetails: "completion_tokens_details",
} as const;
const RESPONSES = {
  input: "input_tokens",
  inputDetails: "input_tokens_details",
  output: "output_tokens",
  outputDetails: "output_tokens_details",
} as const;

/** False: there is no usage to read. Cached tokens are part of the input, and reasoning part of the output. */
function readUsage(usage: unknown, tally: MeterTally, names: typeof CHAT | typeof RESPONSES): boolean {
  const fields = fieldsOf(usage);
  const input = countOf(fields[names.input]);
  const output = countOf(fields[names.output]);
  if (input === undefined || output === undefined) return false;
  const details = fieldsOf(fields[names.inputDetails]);
  const read = Math.min(input, countOf(details["cached_tokens"]) ?? 0);
  const written = Math.min(input - read, countOf(details["cache_write_tokens"]) ?? 0);
  tally.input = input - read - written;
  // Some providers count reasoning outside the output; then only the total includes it.
  tally.output = Math.max(output, (countOf(fields["total_tokens"]) ?? 0) - input);
  tally.cache_read = read;
  tally.cache_write = written;
  tally.reasoning = countOf(fieldsOf(fields[names.outputDetails])["reasoning_tokens"]) ?? 0;
  tally.web_searches = countOf(fields["num_sources_used"]) ?? 0;
  return true;
}

/** `searching`: the provider may have searched the web. It does so once and does not report it. */
export function readChatUsage(usage: unknown, tally: MeterTally, searching: boolean): boolean {
  const isTold = readUsage(usage, tally, CHAT);
  if (isTold && searching) tally.web_searches = Math.max(1, tally.web_searches);
  return isTold;
}

/** The whole answer of a request without streaming. */
export function readCompletion(answer: UsageFields, tally: MeterTally, searching: boolean): void {
  tally.isFinal = readChatUsage(answer["usage"], tally, searching);
  readChoices(answer, tally);
}

/** Vectors: there is no output that costs. */
export function readEmbeddings(answer: UsageFields, tally: MeterTally): void {
  tally.names(answer);
  const input = countOf(fieldsOf(answer["usage"])["prompt_tokens"]);
  if (input === undefined) return;
  tally.input = input;
  tally.output = 0;
  tally.isFinal = true;
}

/** The model that answered, and why the first choice ended; also for an event of a stream. */
export function readChoices(answer: UsageFields, tally: MeterTally): void {
  tally.names(answer);
  const [first] = Array.isArray(answer["choices"]) ? (answer["choices"] as readonly unknown[]) : [];
  tally.finishReason = wordOf(fieldsOf(first)["finish_reason"]) ?? tally.finishReason;
}

/** A whole response: its usage, and the searches in its output. */
export function readResponse(response: UsageFields, tally: MeterTally): void {
  tally.names(response);
  tally.finishReason = wordOf(fieldsOf(response["incomplete_details"])["reason"]) ?? wordOf(response["status"]);
  if (!readUsage(response["usage"], tally, RESPONSES)) return;
  const output = Array.isArray(response["output"]) ? (response["output"] as readonly unknown[]) : [];
  const searches = output.filter((item) => fieldsOf(item)["type"] === "web_search_call").length;
  tally.web_searches = Math.max(searches, tally.web_searches);
  tally.isFinal = true;
}
