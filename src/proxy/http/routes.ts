import type { IncomingHttpHeaders } from "node:http";
import { LIMITS } from "../../protocol/index.ts";
import type { Wire } from "../proxy.ts";

export type RouteName = "messages" | "count_tokens" | "responses" | "chat" | "embeddings" | "models" | "model" | "root";

/** One route of the proxy. */
export interface Route {
  readonly name: RouteName;
  /** As logged; contains nothing from the caller. */
  readonly path: string;
  readonly methods: readonly string[];
  /** Absent: both, and the session's provider decides. */
  readonly wire?: Wire | undefined;
  /** It costs money. */
  readonly metered: boolean;
}

const ROUTES: ReadonlyMap<string, Route> = new Map(
  (
    [
      { name: "messages", path: "/v1/messages", methods: ["POST"], wire: "anthropic", metered: true },
      { name: "count_tokens", path: "/v1/messages/count_tokens", methods: ["POST"], wire: "anthropic", metered: false },
      { name: "responses", path: "/v1/responses", methods: ["POST"], wire: "openai", metered: true },
      { name: "chat", path: "/v1/chat/completions", methods: ["POST"], wire: "openai", metered: true },
      { name: "embeddings", path: "/v1/embeddings", methods: ["POST"], wire: "openai", metered: true },
      { name: "models", path: "/v1/models", methods: ["GET"], metered: false },
      { name: "root", path: "/", methods: ["GET", "HEAD"], metered: false },
    ] as const satisfies readonly Route[]
  ).map((route) => [route.path, route]),
);
const ONE_MODEL: Route = { name: "model", path: "/v1/models/:id", methods: ["GET"], metered: false };
const MODELS_PREFIX = "/v1/models/";
/** Model names, optionally with a maker's name before a slash. */
const MODEL_NAME = /^[A-Za-z0-9][\w.:@+-]*(?:\/[A-Za-z0-9][\w.:@+-]*)*$/;

/** Undefined: there is nothing at that address. */
export function routeOf(target: string): Route | undefined {
  const query = target.indexOf("?");
  const path = query === -1 ? target : target.slice(0, query);
  const route = ROUTES.get(path);
  if (route !== undefined) return route;
  return path.startsWith(MODELS_PREFIX) && isModelName(path.slice(MODELS_PREFIX.length)) ? ONE_MODEL : undefined;
}

function isModelName(text: string): boolean {
  if (text.length > LIMITS.modelNameChars) return false;
  try {
    return MODEL_NAME.test(decodeURIComponent(text));
  } catch {
    return false;
  }
}

/** The format of a caller whose address does not show it. */
export function wireOfCaller(headers: IncomingHttpHeaders): Wire {
  return headers["anthropic-version"] !== undefined || headers["x-api-key"] !== undefined ? "anthropic" : "openai";
}
