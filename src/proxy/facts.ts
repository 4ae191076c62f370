import type { RequestFacts } from "../ledger/index.ts";
import { lookIntoBody, type BodyContents } from "./request/contents.ts";
import { fieldsOfRoute } from "./request/fields.ts";
import { partKind } from "./request/parts.ts";
import { isSet, objectsOf, wholeNumber, type RequestFields } from "./request/values.ts";
import type { RouteName } from "./http/routes.ts";

type ServerTool = RequestFacts["serverTools"][number];

/** What affects a request's cost, and its length without images. */
export interface BodyFacts extends RequestFacts {
  /** Bytes of images inside the body itself. */
  readonly pictureBytes: number;
  /** Fields of all its objects together. */
  readonly names: number;
  /** The first name that a lenient reader could take for the known one that follows it. */
  readonly lookalike?: readonly [name: string, known: string] | undefined;
}

/** Reads what a body may make its provider do. `bytes`: the size of the body as forwarded. */
export function readFacts(route: RouteName, body: RequestFields, bytes: number): BodyFacts {
  const contents = lookIntoBody(route, body);
  return {
    bytes,
    maxOutput: maxOutputOf(route, body),
    answers: Math.max(wholeNumber(body["n"]) ?? 1, wholeNumber(body["best_of"]) ?? 1),
    cacheWrite: contents.cacheWrite,
    images: contents.images,
    opaque: contents.opaque,
    remote: remoteContext(route, body) ?? contents.unknown,
    compactions: contents.compactions + listedCompactions(body),
    serverTools: serverTools(body, contents),
    tier: tierOf(body, contents),
    placePercent: placePercentOf(body),
    pictureBytes: contents.pictureBytes,
    names: contents.names,
    lookalike: contents.lookalike,
  };
}

/** The first field that refers to text which only the provider has. */
function remoteContext(route: RouteName, body: RequestFields): string | undefined {
  const fields = fieldsOfRoute(route);
  for (const name in body) {
    const judgement = fields.get(name);
    if (isSet(body[name]) && (judgement === "context" || judgement === undefined)) return name;
  }
  return undefined;
}

/** In Responses, compaction is requested by a list beside the input. */
function listedCompactions(body: RequestFields): number {
  return objectsOf(body["context_management"]).length;
}

/** Each use of such a tool is another round of the model. */
function serverTools(body: RequestFields, { hiddenTools }: BodyContents): readonly ServerTool[] {
  const tools: ServerTool[] = [];
  for (const { type, max_uses } of objectsOf(body["tools"])) {
    if (typeof type !== "string" || partKind(type) === "callers_tool") continue;
    tools.push({ type, maxUses: wholeNumber(max_uses) ?? wholeNumber(body["max_tool_calls"]) });
  }
  // Tools inside messages or other tools also stay for later requests, so no count of uses bounds them.
  for (const type of hiddenTools) tools.push({ type: `${type} outside of \`tools\`` });
  if (objectsOf(body["mcp_servers"]).length > 0) tools.push({ type: "mcp_servers" });
  for (const { id } of objectsOf(body["plugins"])) tools.push({ type: `plugin ${String(id)}` });
  if (isSet(body["web_search_options"])) tools.push({ type: "web_search", maxUses: 1 });
  if (isSet(body["search_parameters"])) tools.push({ type: "live_search" });
  const model = String(body["model"]);
  if (SEARCHING.test(model)) tools.push({ type: "online" });
  // A preset is kept by the provider and may bring tools.
  if (/@preset\//i.test(model)) tools.push({ type: "preset" });
  return tools;
}

function maxOutputOf(route: RouteName, body: RequestFields): number | undefined {
  switch (route) {
    case "embeddings":
      return 0;
    case "responses":
      return wholeNumber(body["max_output_tokens"]);
    case "chat": {
      const named = [wholeNumber(body["max_tokens"]), wholeNumber(body["max_completion_tokens"])].filter(
        (one) => one !== undefined,
      );
      // Rejected prediction tokens are charged like output.
      const predicted = isSet(body["prediction"]) ? Buffer.byteLength(JSON.stringify(body["prediction"])) : 0;
      return named.length === 0 ? undefined : Math.max(...named) + predicted;
    }
    default:
      return wholeNumber(body["max_tokens"]);
  }
}

const USUAL_TIERS = new Set(["auto", "default", "standard", "standard_only", "normal"]);
/** OpenRouter's model suffixes, which can be combined: one searches the web, others choose more expensive hosts. */
const SEARCHING = /:online(?=:|$)/i;
const DEARER_HOSTS = /:(?:nitro|exacto)(?=:|$)/i;

function tierOf(body: RequestFields, { reasoningMode }: BodyContents): string | undefined {
  const tier = isUsual(body["service_tier"]) ? body["speed"] : body["service_tier"];
  if (!isUsual(tier)) return String(tier).slice(0, TIER_CHARS);
  if (reasoningMode !== undefined) return `reasoning ${reasoningMode}`.slice(0, TIER_CHARS);
  if (isSet(body["provider"]) || DEARER_HOSTS.test(String(body["model"]))) return "a choice of its own among hosts";
  const sounds = Array.isArray(body["modalities"]) && body["modalities"].some((kind) => kind !== "text");
  return sounds || isSet(body["audio"]) ? "audio or pictures as output" : undefined;
}

function isUsual(tier: unknown): boolean {
  return !isSet(tier) || (typeof tier === "string" && USUAL_TIERS.has(tier));
}

const TIER_CHARS = 40;
/** Anthropic's price for inference that stays in one country. */
const ONE_COUNTRY_PERCENT = 110;

function placePercentOf(body: RequestFields): number {
  const place = body["inference_geo"];
  return isSet(place) && place !== "global" ? ONE_COUNTRY_PERCENT : 100;
}
