import type { RequestFacts } from "../ledger/index.ts";
import { Failure } from "../protocol/index.ts";
import type { RouteName } from "./routes.ts";

type Fields = Readonly<Record<string, unknown>>;
type ServerTool = RequestFacts["serverTools"][number];

/** What a request may cost, and how long it is without its pictures. */
export interface BodyFacts extends RequestFacts {
  /** Bytes of pictures that stand in the body itself. */
  readonly pictureBytes: number;
  /** Fields of all its objects together. */
  readonly names: number;
}

/** Names of other models that a provider may turn to by itself: neither policy nor price would be those that were judged. */
const OTHER_MODELS = ["models", "fallbacks", "fallback_models"] as const;
/** Counts that multiply what a request costs. */
const COUNTS = ["n", "best_of", "max_tool_calls"] as const;

/** Why nobody could say what a request may cost. */
export function unmeterable(route: RouteName, body: Fields): Failure | undefined {
  if (route === "responses" && isSet(body["background"]) && body["background"] !== false) {
    return unsupported(
      "background responses are not offered, as nobody here would see what they cost: leave `background` out",
    );
  }
  const other = OTHER_MODELS.find((name) => isSet(body[name]));
  if (other !== undefined) return unsupported(`a request may name one model only: leave \`${other}\` out`);
  const count = COUNTS.find((name) => isSet(body[name]) && whole(body[name]) === undefined);
  if (count !== undefined) return new Failure("invalid_request", `\`${count}\` must be a whole number above 0`);
  if (list(body["tools"]).every(({ max_uses }) => !isSet(max_uses) || whole(max_uses) !== undefined)) return undefined;
  return new Failure("invalid_request", "`max_uses` of a tool must be a whole number above 0");
}

function unsupported(words: string): Failure {
  return new Failure("unsupported", words);
}

/** Reads what a body may make its provider do. `bytes`: of the body as it is sent on. */
export function readFacts(route: RouteName, body: Fields, bytes: number): BodyFacts {
  const found = look(body);
  return {
    bytes,
    maxOutput: maxOutputOf(route, body),
    answers: Math.max(whole(body["n"]) ?? 1, whole(body["best_of"]) ?? 1),
    cacheWrite: found.cacheWrite,
    images: found.images,
    opaque: found.opaque + remoteContexts(body),
    serverTools: serverTools(route, body),
    tier: tierOf(body),
    placePercent: placePercentOf(body),
    pictureBytes: found.pictureBytes,
    names: found.names,
  };
}

interface Found {
  cacheWrite: RequestFacts["cacheWrite"];
  images: number;
  opaque: number;
  pictureBytes: number;
  names: number;
}

const PICTURES = new Set(["image", "image_url", "input_image", "computer_screenshot"]);
/** What a provider turns into tokens in a way that only it knows. */
const OPAQUE = new Set([
  "container_upload",
  "file",
  "input_file",
  "input_audio",
  "audio",
  "video",
  "video_url",
  "input_video",
  "item_reference",
  "document_url",
]);
/** A caller's own data: text for the model, whatever it looks like. */
const OWN_DATA = new Set(["input_schema", "parameters", "json_schema", "schema", "arguments", "metadata"]);

/** Goes through all of a body, without recursion: its depth is the caller's choice. */
function look(body: Fields): Found {
  const found: Found = { cacheWrite: "none", images: 0, opaque: 0, pictureBytes: 0, names: 0 };
  const open: object[] = [body];
  /** Counted, but not understood. */
  const own: object[] = [];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (Array.isArray(value)) pushObjects(value, open);
    else {
      const fields = value as Fields;
      note(found, fields);
      const isToolCall = typeof fields["type"] === "string" && fields["type"].endsWith("tool_use");
      for (const name in fields) {
        found.names += 1;
        const field = fields[name];
        if (typeof field !== "object" || field === null) continue;
        if (OWN_DATA.has(name) || (isToolCall && name === "input")) own.push(field);
        else open.push(field);
      }
    }
  }
  for (let value = own.pop(); value !== undefined; value = own.pop()) {
    if (Array.isArray(value)) pushObjects(value, own);
    else {
      const fields = Object.values(value);
      found.names += fields.length;
      pushObjects(fields, own);
    }
  }
  return found;
}

function pushObjects(values: readonly unknown[], to: object[]): void {
  for (const value of values) if (typeof value === "object" && value !== null) to.push(value);
}

function note(found: Found, fields: Fields): void {
  const cache = fields["cache_control"];
  if (typeof cache === "object" && cache !== null) {
    if ((cache as Fields)["ttl"] === "1h") found.cacheWrite = "1h";
    else if (found.cacheWrite === "none") found.cacheWrite = "5m";
  }
  const type = fields["type"];
  if (typeof type !== "string") return;
  if (PICTURES.has(type)) {
    found.images += 1;
    found.pictureBytes += inlineBytes(fields);
  } else if (OPAQUE.has(type) || (type === "document" && !isTextDocument(fields["source"]))) {
    found.opaque += 1;
  }
}

function inlineBytes(picture: Fields): number {
  const { source, image_url } = picture;
  const data = typeof source === "object" && source !== null ? (source as Fields)["data"] : image_url;
  const text = typeof data === "object" && data !== null ? (data as Fields)["url"] : data;
  return typeof text === "string" ? text.length : 0;
}

/** Its tokens stand in the body. */
function isTextDocument(source: unknown): boolean {
  const type = typeof source === "object" && source !== null ? (source as Fields)["type"] : undefined;
  return type === "text" || type === "content";
}

/** Parts of the conversation that the provider has and the body has not. */
function remoteContexts(body: Fields): number {
  let contexts = 0;
  if (isSet(body["previous_response_id"])) contexts += 1;
  if (isSet(body["conversation"])) contexts += 1;
  if (isSet(body["prompt"])) contexts += 1;
  // With skills, of which each brings its own text.
  if (typeof body["container"] === "object" && body["container"] !== null) contexts += 1;
  return contexts;
}

/** Typed tools that the caller runs. All others with a type are the provider's. */
const CALLERS_TOOLS =
  /^(?:custom|function|bash_\d+|text_editor_\d+|computer_\d+|memory_\d+|local_shell|shell|apply_patch|computer_use_preview|computer)$/;

function serverTools(route: RouteName, body: Fields): readonly ServerTool[] {
  const tools: ServerTool[] = [];
  for (const { type, max_uses } of list(body["tools"])) {
    if (typeof type !== "string" || CALLERS_TOOLS.test(type)) continue;
    tools.push({ type, maxUses: whole(max_uses) ?? whole(body["max_tool_calls"]) });
  }
  if (list(body["mcp_servers"]).length > 0) tools.push({ type: "mcp_servers" });
  for (const { id } of list(body["plugins"])) tools.push({ type: `plugin ${String(id)}` });
  const { context_management } = body;
  if (isSet(context_management)) {
    for (const { type } of list((context_management as Fields)["edits"])) {
      // The conversation is read and written once more.
      if (typeof type === "string" && type.startsWith("compact")) tools.push({ type });
    }
  }
  if (isSet(body["web_search_options"])) tools.push({ type: "web_search", maxUses: 1 });
  if (isSet(body["search_parameters"])) tools.push({ type: "live_search" });
  if (route !== "messages" && String(body["model"]).endsWith(":online")) tools.push({ type: "online" });
  return tools;
}

function maxOutputOf(route: RouteName, body: Fields): number | undefined {
  switch (route) {
    case "responses":
      return whole(body["max_output_tokens"]);
    case "chat": {
      const named = [whole(body["max_tokens"]), whole(body["max_completion_tokens"])].filter(
        (one) => one !== undefined,
      );
      // What was predicted in vain is paid for as if it had been written.
      const predicted = isSet(body["prediction"]) ? Buffer.byteLength(JSON.stringify(body["prediction"])) : 0;
      return named.length === 0 ? undefined : Math.max(...named) + predicted;
    }
    default:
      return whole(body["max_tokens"]);
  }
}

const USUAL_TIERS = new Set(["auto", "default", "standard", "standard_only", "normal"]);

function tierOf(body: Fields): string | undefined {
  const tier = isUsual(body["service_tier"]) ? body["speed"] : body["service_tier"];
  if (!isUsual(tier)) return String(tier).slice(0, TIER_CHARS);
  if (isSet(body["provider"])) return "a choice of its own among hosts";
  const sounds = Array.isArray(body["modalities"]) && body["modalities"].some((kind) => kind !== "text");
  return sounds || isSet(body["audio"]) ? "audio or pictures as output" : undefined;
}

function isUsual(tier: unknown): boolean {
  return !isSet(tier) || (typeof tier === "string" && USUAL_TIERS.has(tier));
}

const TIER_CHARS = 40;
/** Anthropic's price for inference that stays in one country. */
const ONE_COUNTRY_PERCENT = 110;

function placePercentOf(body: Fields): number {
  const place = body["inference_geo"];
  return isSet(place) && place !== "global" ? ONE_COUNTRY_PERCENT : 100;
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function whole(value: unknown): number | undefined {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : undefined;
}

const NOTHING: readonly Fields[] = [];

function list(value: unknown): readonly Fields[] {
  if (!Array.isArray(value) || value.length === 0) return NOTHING;
  return value.filter((item): item is Fields => typeof item === "object" && item !== null && !Array.isArray(item));
}
