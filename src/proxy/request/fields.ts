import type { RouteName } from "../http/routes.ts";

/**
 * What a field of a request can do to its price. `harmless`: nothing. Its bytes still count as input, but its contents
 * are not examined. `counted`: the proxy reads it, or its bytes bound its cost. `context`: it refers to text that only
 * the provider has; the model's whole context window bounds it. `refused`: its cost is unknown here.
 */
export type FieldJudgement = "harmless" | "counted" | "context" | "refused";

type Judgements = Readonly<Record<string, FieldJudgement>>;

/** The fields of Anthropic's Messages, including betas. */
const MESSAGES: Judgements = {
  cache_control: "counted",
  compaction: "counted",
  container: "context",
  context_management: "counted",
  diagnostics: "harmless",
  fallback_credit_token: "harmless",
  fallbacks: "refused",
  inference_geo: "counted",
  max_tokens: "counted",
  mcp_servers: "counted",
  messages: "counted",
  metadata: "harmless",
  model: "counted",
  output_config: "counted",
  output_format: "counted",
  service_tier: "counted",
  speed: "counted",
  stop_sequences: "harmless",
  stream: "counted",
  system: "counted",
  temperature: "harmless",
  thinking: "counted",
  thread: "context",
  tool_choice: "harmless",
  tools: "counted",
  top_k: "harmless",
  top_p: "harmless",
  // The official library sends these three as headers.
  betas: "refused",
  user_profile_id: "refused",
  workspace_id: "refused",
};

/** The fields that OpenAI's Responses and Chat Completions share. */
const OPENAI: Judgements = {
  metadata: "harmless",
  model: "counted",
  moderation: "refused",
  parallel_tool_calls: "harmless",
  prompt_cache_key: "harmless",
  prompt_cache_options: "counted",
  prompt_cache_retention: "counted",
  safety_identifier: "harmless",
  service_tier: "counted",
  store: "counted",
  stream: "counted",
  temperature: "harmless",
  tool_choice: "harmless",
  tools: "counted",
  top_logprobs: "harmless",
  top_p: "harmless",
  user: "harmless",
};

/** The fields of OpenAI's Responses. */
const RESPONSES: Judgements = {
  ...OPENAI,
  access_programs: "harmless",
  background: "refused",
  client_metadata: "harmless",
  context_management: "counted",
  conversation: "context",
  image: "harmless",
  include: "harmless",
  input: "counted",
  instructions: "counted",
  max_output_tokens: "counted",
  max_tool_calls: "counted",
  previous_response_id: "context",
  prompt: "refused",
  reasoning: "counted",
  stream_options: "harmless",
  text: "counted",
  truncation: "harmless",
};

/** The fields of OpenAI's Chat Completions. */
const CHAT: Judgements = {
  ...OPENAI,
  audio: "counted",
  frequency_penalty: "harmless",
  function_call: "harmless",
  functions: "counted",
  logit_bias: "harmless",
  logprobs: "harmless",
  max_completion_tokens: "counted",
  max_tokens: "counted",
  messages: "counted",
  modalities: "counted",
  n: "counted",
  prediction: "counted",
  presence_penalty: "harmless",
  reasoning_effort: "harmless",
  response_format: "counted",
  seed: "harmless",
  stop: "harmless",
  stream_options: "counted",
  verbosity: "harmless",
  web_search_options: "counted",
};

/** Fields that OpenRouter, vLLM, Mistral, xAI, DeepSeek and others accept beside OpenAI's own. */
const OTHER_HOSTS: Judgements = {
  best_of: "counted",
  cache_prompt: "harmless",
  chat_template_kwargs: "harmless",
  enable_thinking: "harmless",
  extra_body: "refused",
  fallback_models: "refused",
  fallbacks: "refused",
  include_reasoning: "harmless",
  include_stop_str_in_output: "harmless",
  length_penalty: "harmless",
  min_p: "harmless",
  models: "refused",
  plugins: "counted",
  preset: "refused",
  prompt_mode: "harmless",
  provider: "counted",
  random_seed: "harmless",
  reasoning: "counted",
  repetition_penalty: "harmless",
  route: "refused",
  safe_prompt: "harmless",
  search_parameters: "counted",
  separate_reasoning: "harmless",
  skip_special_tokens: "harmless",
  speed: "counted",
  stop_token_ids: "harmless",
  thinking: "harmless",
  tool_stream: "harmless",
  top_a: "harmless",
  top_k: "harmless",
  transforms: "harmless",
  typical_p: "harmless",
  usage: "harmless",
};

/** The fields of OpenAI's Embeddings. */
const EMBEDDINGS: Judgements = {
  dimensions: "harmless",
  encoding_format: "harmless",
  input: "counted",
  model: "counted",
  user: "harmless",
};

type MeteredRoute = Extract<RouteName, "messages" | "responses" | "chat" | "embeddings">;

const FIELDS: Readonly<Record<MeteredRoute, ReadonlyMap<string, FieldJudgement>>> = {
  messages: new Map(Object.entries({ ...MESSAGES, models: "refused", fallback_models: "refused" })),
  responses: new Map(Object.entries({ ...OTHER_HOSTS, ...RESPONSES })),
  chat: new Map(Object.entries({ ...OTHER_HOSTS, ...CHAT })),
  embeddings: new Map(Object.entries(EMBEDDINGS)),
};

/** The judged top-level fields of a route. Token counting takes the same fields as Messages. */
export function fieldsOfRoute(route: RouteName): ReadonlyMap<string, FieldJudgement> {
  return route === "responses" || route === "chat" || route === "embeddings" ? FIELDS[route] : FIELDS.messages;
}

/** What to do instead, for refused fields. */
const REMEDIES: ReadonlyMap<string, string> = new Map([
  ["background", "nobody here would see what a background response costs: leave it out"],
  ["betas", "send it as the header `anthropic-beta`"],
  ["extra_body", "send its fields themselves"],
  ["fallback_models", "a request may name one model only: leave it out"],
  ["fallbacks", "a request may name one model only: leave it out"],
  ["models", "a request may name one model only: leave it out"],
  ["moderation", "it may run another model, whose price is not known: leave it out"],
  ["preset", "it can bring other models and tools than those shown here: name model, tools and prompt yourself"],
  ["prompt", "a stored prompt can bring tools that are not shown here: send its text as `instructions`"],
  ["route", "a request may name one model only: leave it out"],
]);

export function remedyFor(field: string): string {
  return REMEDIES.get(field) ?? "leave it out";
}
