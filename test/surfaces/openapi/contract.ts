import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";

interface Media {
  readonly schema?: object;
}
interface Response_ {
  readonly $ref?: string;
  readonly content?: Readonly<Record<string, Media>>;
  readonly headers?: Readonly<Record<string, { readonly required?: boolean }>>;
}
export interface Operation {
  readonly operationId: string;
  readonly method: string;
  readonly path: string;
  readonly summary?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly security?: readonly object[];
  readonly parameters?: readonly { readonly in: string; readonly name: string; readonly required?: boolean }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<Record<string, Response_>>;
}
export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Omit<Operation, "method" | "path">>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, object>>;
    readonly responses: Readonly<Record<string, Response_>>;
  };
}

export interface Sent {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  /** An object goes as JSON, a string as plain text. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Absent: the admin's. Null: none. */
  readonly token?: string | null;
  /** Events to read of a stream that does not end; 0: only its headers. Absent: all of it. */
  readonly events?: number;
}

export interface Answer {
  readonly status: number;
  readonly type: string;
  readonly headers: Headers;
  /** Parsed JSON, a text, or the parsed `data:` lines of a stream. */
  readonly body: unknown;
}

/** Sends requests as the document says, and compares each answer with what the document says of it. */
export class Contract {
  readonly operations: ReadonlyMap<string, Operation>;
  /** The statuses that each operation has answered. */
  readonly seen = new Map<string, Set<number>>();
  /** Everything that was not as the document says. */
  readonly faults: string[] = [];
  readonly #document: OpenApi;
  readonly #server: { readonly url: string; readonly token: string };
  readonly #ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
  readonly #validators = new Map<string, ValidateFunction>();

  constructor(document: OpenApi, server: { readonly url: string; readonly token: string }) {
    this.#document = document;
    this.#server = server;
    this.#ajv.addSchema(document, "document");
    this.operations = new Map(
      Object.entries(document.paths).flatMap(([path, methods]) =>
        Object.entries(methods).map(([method, operation]) => [operation.operationId, { ...operation, method, path }]),
      ),
    );
  }

  async send(operationId: string, sent: Sent = {}): Promise<Answer> {
    const operation = this.operations.get(operationId);
    if (operation === undefined) throw new Error(`the document has no operation ${operationId}`);
    const response = await fetch(this.#url(operation, sent), this.#init(operation, sent));
    const answer = await read(response, sent.events);
    this.#record(operationId, answer.status);
    const where = `${operationId} → ${answer.status} ${answer.type}`;
    if (answer.status < 300) this.#checkSent(operation, sent, where);
    this.#checkAnswer(operation, answer, where);
    return answer;
  }

  /** A success, whose body is what the caller says. */
  async get<Body>(operationId: string, sent: Sent = {}): Promise<Body> {
    const { status, body } = await this.send(operationId, sent);
    if (status >= 300) throw new Error(`${operationId} → ${status}: ${JSON.stringify(body)}`);
    return body as Body;
  }

  /** What was answered outside of `fetch`, such as an upgrade. */
  #record(operationId: string, status: number): void {
    const statuses = this.seen.get(operationId) ?? new Set();
    this.seen.set(operationId, statuses.add(status));
  }

  upgraded(operationId: string, status: number): void {
    this.#record(operationId, status);
    if (this.operations.get(operationId)?.responses[String(status)] === undefined)
      this.faults.push(`${operationId} → ${status}: not in the document`);
  }

  #url({ path, parameters = [], operationId }: Operation, { params = {}, query = {} }: Sent): string {
    for (const name of Object.keys(query))
      if (!parameters.some((known) => known.in === "query" && known.name === name))
        this.faults.push(`${operationId}: the document has no query parameter ${name}`);
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? "nothing"));
    const search = new URLSearchParams(query).toString();
    return `${this.#server.url}${filled}${search === "" ? "" : `?${search}`}`;
  }

  #init({ method }: Operation, { body, headers = {}, token = this.#server.token }: Sent): RequestInit {
    const type = typeof body === "string" ? "text/plain" : "application/json";
    return {
      method: method.toUpperCase(),
      headers: {
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { "content-type": type }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    };
  }

  /** What the server takes, the document takes too. */
  #checkSent({ path, method, requestBody }: Operation, { body }: Sent, where: string): void {
    if (body === undefined) return;
    const type = typeof body === "string" ? "text/plain" : "application/json";
    if (requestBody?.content[type]?.schema === undefined) this.faults.push(`${where}: no body of type ${type}`);
    else
      this.#validate(pointer("paths", path, method, "requestBody", "content", type, "schema"), body, `${where} body`);
  }

  #checkAnswer({ path, method, responses }: Operation, answer: Answer, where: string): void {
    const declared = responses[String(answer.status)];
    if (declared === undefined) {
      this.faults.push(`${where}: not in the document: ${JSON.stringify(answer.body)}`);
      return;
    }
    const name = declared.$ref?.split("/").at(-1);
    const response = name === undefined ? declared : (this.#document.components.responses[name] ?? {});
    const base =
      name === undefined
        ? pointer("paths", path, method, "responses", String(answer.status))
        : pointer("components", "responses", name);
    for (const [header, { required }] of Object.entries(response.headers ?? {}))
      if (required === true && answer.headers.get(header) === null) this.faults.push(`${where}: no header ${header}`);
    if (response.content === undefined) {
      if (answer.body !== "") this.faults.push(`${where}: a body where the document has none`);
      return;
    }
    if (response.content[answer.type]?.schema === undefined) {
      this.faults.push(`${where}: the document has only ${Object.keys(response.content).join(", ")}`);
      return;
    }
    const schema = `${base}/${escape("content")}/${escape(answer.type)}/schema`;
    const values = answer.type === "text/event-stream" ? (answer.body as readonly unknown[]) : [answer.body];
    for (const value of values) this.#validate(schema, value, where);
  }

  #validate(schema: string, value: unknown, where: string): void {
    const validate = this.#validators.get(schema) ?? this.#ajv.compile({ $ref: `document#${schema}` });
    this.#validators.set(schema, validate);
    if (validate(value)) return;
    const [error] = validate.errors ?? [];
    this.faults.push(
      `${where}: ${error?.instancePath ?? ""} ${error?.message ?? ""} ${JSON.stringify(error?.params)} in ${JSON.stringify(value).slice(0, 500)}`,
    );
  }
}

const escape = (part: string): string => encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1"));
const pointer = (...parts: readonly string[]): string => parts.map((part) => `/${escape(part)}`).join("");

async function read(response: Response, events: number | undefined): Promise<Answer> {
  const type = (response.headers.get("content-type") ?? "").split(";", 1)[0] ?? "";
  const { status, headers } = response;
  if (type === "text/event-stream") return { status, type, headers, body: await readEvents(response, events) };
  const text = await response.text();
  return { status, type, headers, body: type === "application/json" ? (JSON.parse(text) as unknown) : text };
}

async function readEvents(response: Response, wanted = Infinity): Promise<readonly unknown[]> {
  const found: unknown[] = [];
  let rest = "";
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  if (reader === undefined) return found;
  while (found.length < wanted) {
    const { done, value } = await reader.read();
    if (done) return found;
    const lines = (rest + value).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines)
      if (line.startsWith("data: ") && line !== "data: ") found.push(JSON.parse(line.slice(6)) as unknown);
  }
  await reader.cancel();
  return found;
}
