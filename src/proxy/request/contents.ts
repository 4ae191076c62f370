import type { RequestFacts } from "../../ledger/index.ts";
import type { RouteName } from "../http/routes.ts";
import { fieldsOfRoute } from "./fields.ts";
import { isKnownName, lookalikeOf } from "./names.ts";
import { partKind } from "./parts.ts";
import { isSet, type RequestFields } from "./values.ts";

/** What was found inside a body. */
export interface BodyContents {
  cacheWrite: RequestFacts["cacheWrite"];
  images: number;
  /** Documents that the provider can count. */
  opaque: number;
  /** The first name or type that may refer to text which only the provider has. */
  unknown: string | undefined;
  /** The first name that a lenient reader could take for another, given after it. */
  lookalike: readonly [name: string, known: string] | undefined;
  compactions: number;
  /** Types of provider-run tools outside the list of tools. */
  readonly hiddenTools: Set<string>;
  /** A reasoning mode that costs more than the usual one. */
  reasoningMode: string | undefined;
  pictureBytes: number;
  /** Fields of all objects together. */
  names: number;
}

/** A caller's own data: plain text for the model, whatever it looks like. */
const OWN_DATA = new Set([
  "input_schema",
  "output_schema",
  "parameters",
  "json_schema",
  "schema",
  "arguments",
  "metadata",
  "input_examples",
  "headers",
  "env",
  "variables",
  "attributes",
  "logit_bias",
]);
/** Fields whose objects are tools, whatever their type. */
const TOOL_FIELDS = new Set(["tools", "definition"]);
/** Cache lifetimes that may cost more to write. */
const LONG_LIVED = new Set(["1h", "12h", "24h"]);

/** Walks all of a body without recursion: the caller chooses its depth. */
export function lookIntoBody(route: RouteName, body: RequestFields): BodyContents {
  return new ContentSearch(route).run(body);
}

class ContentSearch {
  readonly #route: RouteName;
  readonly #found: BodyContents = {
    cacheWrite: "none",
    images: 0,
    opaque: 0,
    unknown: undefined,
    lookalike: undefined,
    compactions: 0,
    hiddenTools: new Set(),
    reasoningMode: undefined,
    pictureBytes: 0,
    names: 0,
  };
  /** Objects still to visit, each with the name of its field. */
  readonly #open: object[] = [];
  readonly #places: string[] = [];
  /** Counted, but not interpreted. */
  readonly #own: object[] = [];

  constructor(route: RouteName) {
    this.#route = route;
  }

  run(body: RequestFields): BodyContents {
    this.#top(body);
    for (let value = this.#open.pop(); value !== undefined; value = this.#open.pop()) {
      this.#look(value, this.#places.pop() ?? "");
    }
    for (let value = this.#own.pop(); value !== undefined; value = this.#own.pop()) this.#count(value);
    return this.#found;
  }

  #top(body: RequestFields): void {
    const judged = fieldsOfRoute(this.#route);
    this.#noteCache(body);
    for (const name in body) {
      this.#found.names += 1;
      const field = body[name];
      const judgement = judged.get(name);
      if (judgement === undefined) this.#noteLookalike(name);
      if (name === "prompt_cache_retention") this.#noteLifetime(field);
      if (typeof field !== "object" || field === null) continue;
      if (judgement === "harmless" || OWN_DATA.has(name)) this.#own.push(field);
      else if (name === "tools" && Array.isArray(field)) this.#tools(field);
      else this.#push(field, name);
    }
  }

  /** The list of tools itself is read elsewhere; the contents of each tool are examined here. */
  #tools(tools: readonly unknown[]): void {
    for (const tool of tools) {
      if (typeof tool !== "object" || tool === null) continue;
      if (Array.isArray(tool)) this.#push(tool, "tools");
      else this.#enter(tool as RequestFields);
    }
  }

  #look(value: object, place: string): void {
    if (Array.isArray(value)) {
      for (const item of value) if (typeof item === "object" && item !== null) this.#push(item as object, place);
      return;
    }
    const fields = value as RequestFields;
    this.#notePart(fields, place);
    if (place === "reasoning" && isSet(fields["mode"]) && fields["mode"] !== "standard") {
      this.#found.reasoningMode = String(fields["mode"]);
    }
    this.#enter(fields);
  }

  #enter(fields: RequestFields): void {
    this.#noteCache(fields);
    const isToolCall = typeof fields["type"] === "string" && fields["type"].endsWith("tool_use");
    for (const name in fields) {
      this.#found.names += 1;
      const field = fields[name];
      if (!isKnownName(name)) {
        this.#noteLookalike(name);
        if (isSet(field)) this.#found.unknown ??= name;
      }
      if (typeof field !== "object" || field === null) continue;
      // An earlier recording by the provider, referenced by its id.
      if (name === "audio") this.#found.unknown ??= name;
      if (OWN_DATA.has(name) || (isToolCall && name === "input")) this.#own.push(field);
      else this.#push(field, name);
    }
  }

  #push(value: object, place: string): void {
    this.#open.push(value);
    this.#places.push(place);
  }

  #count(value: object): void {
    const fields: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
    if (!Array.isArray(value)) this.#found.names += fields.length;
    for (const field of fields) if (typeof field === "object" && field !== null) this.#own.push(field);
  }

  #notePart(fields: RequestFields, place: string): void {
    const { type } = fields;
    if (typeof type !== "string") return;
    const found = this.#found;
    switch (partKind(type)) {
      case "picture":
        found.images += 1;
        found.pictureBytes += inlineBytes(fields);
        break;
      case "document":
        if (!isTextDocument(fields["source"])) found.opaque += 1;
        break;
      case "context":
        found.unknown ??= type;
        break;
      case "providers_tool":
        found.hiddenTools.add(type);
        break;
      case "compaction":
        found.compactions += 1;
        break;
      case "text":
      case "callers_tool":
        break;
      case undefined:
        if (TOOL_FIELDS.has(place)) found.hiddenTools.add(type);
        else found.unknown ??= type;
    }
  }

  #noteCache(fields: RequestFields): void {
    const cache = fields["cache_control"];
    if (typeof cache === "object" && cache !== null) {
      if (this.#found.cacheWrite === "none") this.#found.cacheWrite = "5m";
      this.#noteLifetime((cache as RequestFields)["ttl"]);
    }
    for (const name of ["prompt_cache_options", "prompt_cache_breakpoint"] as const) {
      const options = fields[name];
      if (typeof options === "object" && options !== null) this.#noteLifetime((options as RequestFields)["ttl"]);
    }
  }

  #noteLifetime(ttl: unknown): void {
    if (typeof ttl === "string" && LONG_LIVED.has(ttl)) this.#found.cacheWrite = "1h";
  }

  #noteLookalike(name: string): void {
    if (this.#found.lookalike !== undefined) return;
    const known = lookalikeOf(name);
    if (known !== undefined && known !== name) this.#found.lookalike = [name, known];
  }
}

function inlineBytes(picture: RequestFields): number {
  const { source, image_url } = picture;
  const data = typeof source === "object" && source !== null ? (source as RequestFields)["data"] : image_url;
  const text = typeof data === "object" && data !== null ? (data as RequestFields)["url"] : data;
  return typeof text === "string" ? text.length : 0;
}

/** Its text is in the body. */
function isTextDocument(source: unknown): boolean {
  const type = typeof source === "object" && source !== null ? (source as RequestFields)["type"] : undefined;
  return type === "text" || type === "content";
}
