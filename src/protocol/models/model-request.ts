/** A request to the model proxy from within the server's own process. */
export interface ModelRequest {
  /** `/v1/messages`, … */
  readonly path: string;
  /** Names in lower case; the session's key is among them. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface ModelResponse {
  readonly status: number;
  /** `name`: in lower case. */
  header(name: string): string | undefined;
  /** The body as it arrives; throws if it breaks off. Leaving early does not end the request. */
  chunks(): AsyncIterable<string>;
  /** The body, or its start if it is longer than an error should be. */
  text(): Promise<string>;
}

/** Rejects when there is no answer, or the signal is aborted. */
export type PostToModel = (request: ModelRequest, signal: AbortSignal) => Promise<ModelResponse>;
