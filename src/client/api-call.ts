import { failureIn } from "../protocol/failure.ts";

export interface ApiCall {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  readonly body?: unknown;
  readonly key?: string | undefined;
  readonly accept?: string;
  readonly signal?: AbortSignal | undefined;
}

/** What the server said instead of an answer. */
export async function refusalOf(response: Response): Promise<Error> {
  const failure = failureIn(await response.json().catch(() => undefined));
  return failure ?? new Error(`the server answered ${response.status}`);
}
