import { countOf, fieldsOf, NOTHING_TOLD, type Fields, type Tally } from "./tally.ts";

/** The names that Chat Completions and Responses have for the same things. */
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

/** Undefined: there is no usage to read. Cached tokens are part of the input there, and reasoning of the output. */
function readUsage(usage: unknown, names: typeof CHAT | typeof RESPONSES): Tally | undefined {
  const fields = fieldsOf(usage);
  const input = countOf(fields[names.input]);
  const output = countOf(fields[names.output]);
  if (input === undefined || output === undefined) return undefined;
  const details = fieldsOf(fields[names.inputDetails]);
  const read = Math.min(input, countOf(details["cached_tokens"]) ?? 0);
  const written = Math.min(input - read, countOf(details["cache_write_tokens"]) ?? 0);
  return {
    ...NOTHING_TOLD,
    input: input - read - written,
    // Some count reasoning beside the output; then only the total has it.
    output: Math.max(output, (countOf(fields["total_tokens"]) ?? 0) - input),
    cache_read: read,
    cache_write: written,
    reasoning: countOf(fieldsOf(fields[names.outputDetails])["reasoning_tokens"]) ?? 0,
    web_searches: countOf(fields["num_sources_used"]) ?? 0,
    final: true,
  };
}

/** `searching`: the provider may have searched the web; it does not tell how often, and does it once. */
export function chatUsage(usage: unknown, searching: boolean): Tally | undefined {
  const tally = readUsage(usage, CHAT);
  return tally !== undefined && searching && tally.web_searches === 0 ? { ...tally, web_searches: 1 } : tally;
}

/** A whole response: its usage, and the searches among what it put out. */
export function responseUsage(response: Fields): Tally | undefined {
  const tally = readUsage(response["usage"], RESPONSES);
  if (tally === undefined) return undefined;
  const output = Array.isArray(response["output"]) ? (response["output"] as readonly unknown[]) : [];
  const searches = output.filter((item) => fieldsOf(item)["type"] === "web_search_call").length;
  return searches > tally.web_searches ? { ...tally, web_searches: searches } : tally;
}
