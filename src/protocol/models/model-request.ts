/** A request to the model proxy from within the server's own process. */
export interface ModelRequest {
  /** `/v1/messages`, … */
  readonly path: string;
  /** Names in lower case; the session's key is among them. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: ModelBody;
}

/** The fields of a request's body. The objects in `tools` are never changed. */
export type ModelBody = Readonly<Record<string, unknown>>;

/** Tools stay the same objects from request to request, and are most of a short conversation's text. */
const toolTexts = new WeakMap<object, string>();

export function modelToolText(tool: object): string {
  const known = toolTexts.get(tool);
  if (known !== undefined) return known;
  const text = JSON.stringify(tool);
  toolTexts.set(tool, text);
  return text;
}

/** The body as it is sent. */
export function modelBodyText({ tools, ...others }: ModelBody): string {
  const head = JSON.stringify(others);
  if (!Array.isArray(tools) || tools.length === 0) return head;
  return `${head.slice(0, -1)},"tools":[${(tools as readonly object[]).map(modelToolText).join(",")}]}`;
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
