import type {
  ExportFormat,
  ImportSession,
  SessionView,
  ShareCreated,
  ShareList,
  ShareSession,
} from "../../protocol/index.ts";
import type { ApiSender, Idempotent } from "./api-call.ts";
import { search } from "../paths.ts";

/** Sessions as files, as links for others, and from records of other programs. */
export class ExportCalls {
  readonly #api: ApiSender;

  constructor(api: ApiSender) {
    this.#api = api;
  }

  /** The whole session. The answer's body is the file, as it is made. */
  file(id: string, format: ExportFormat): Promise<Response> {
    return this.#api.send({
      method: "GET",
      path: `/api/sessions/${encodeURIComponent(id)}/export${search({ format })}`,
    });
  }

  /** A new session that begins with the conversation of another program. */
  import(request: ImportSession, { key }: Idempotent = {}): Promise<SessionView> {
    return this.#api.call({ method: "POST", path: "/api/imports", body: request, key });
  }

  /** A link for people without a token. Its `path` is shown this once. */
  share(id: string, request: ShareSession = {}): Promise<ShareCreated> {
    return this.#api.call({ method: "POST", path: sharesOf(id), body: request });
  }

  shares(id: string): Promise<ShareList> {
    return this.#api.call({ method: "GET", path: sharesOf(id) });
  }

  revoke(id: string, shareId: string): Promise<void> {
    return this.#api.call({ method: "DELETE", path: `${sharesOf(id)}/${encodeURIComponent(shareId)}` });
  }
}

function sharesOf(id: string): string {
  return `/api/sessions/${encodeURIComponent(id)}/shares`;
}
