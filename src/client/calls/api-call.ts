import { failureIn } from "../../protocol/failure.ts";
import { OWN_VERSION } from "../version-check.ts";

export interface ApiCall {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  readonly body?: unknown;
  readonly key?: string | undefined;
  readonly accept?: string;
  readonly signal?: AbortSignal | undefined;
}

/** Sends one call and gives its answer. */
export type SendCall = <Answer>(call: ApiCall) => Promise<Answer>;

export interface Idempotent {
  /** A retry with the same key gets the first answer. */
  readonly key?: string;
}

/** Sends a call: `call` for its answer, `send` for the whole response. */
export interface ApiSender {
  call<Answer>(call: ApiCall): Promise<Answer>;
  send(call: ApiCall): Promise<Response>;
}

/** The request of a call. */
export function requestOf(
  { method, body, key, accept, signal }: ApiCall,
  authorization: Readonly<Record<string, string>>,
): RequestInit {
  return {
    method,
    headers: {
      ...OWN_VERSION,
      ...authorization,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...(key === undefined ? {} : { "idempotency-key": key }),
      ...(accept === undefined ? {} : { accept }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  };
}

/** Why the server refused. */
export async function refusalOf(response: Response): Promise<Error> {
  const failure = failureIn(await response.json().catch(() => undefined));
  return failure ?? new Error(`the server answered ${response.status}`);
}
