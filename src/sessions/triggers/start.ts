import type { CreateSession, PrincipalRef, SessionView, Template } from "../../protocol/index.ts";
import { Failure } from "../../protocol/index.ts";
import type { NewDocument } from "../../store/index.ts";
import { storedCaller } from "../access/stored-caller.ts";
import type { Dependencies } from "../dependencies.ts";
import type { SessionService } from "../services/session-service.ts";
import { checkAccepted } from "./accepted-template.ts";

export interface TriggerParts {
  readonly dependencies: Dependencies;
  readonly sessions: SessionService;
  /** Templates of this server by id. */
  readonly template: (id: string) => Promise<Template | undefined>;
}

/** Who and what a session is started for. */
interface TriggeredSession {
  readonly token_id: string;
  readonly created_by: PrincipalRef;
  readonly template: string;
  readonly template_hash?: string | undefined;
  readonly max_cost_microusd?: number | undefined;
  /** A retry with the same key answers with the first session. */
  readonly key: string;
  /** The prompt, made from the template's. */
  readonly prompt: (text: string) => string;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Rows that become durable together with the session. */
  readonly documents?: ((view: SessionView) => readonly NewDocument[]) | undefined;
}

/** Refusals that pass by themselves. */
const PASSING: ReadonlySet<string> = new Set(["shutting_down", "store_failed", "store_full", "rate_limited"]);

export function passesByItself(error: unknown): boolean {
  return !(error instanceof Failure) || PASSING.has(error.code);
}

/** Starts a session from a template under the policy and budget of the principal whose token it is. */
export async function startTriggered(parts: TriggerParts, wanted: TriggeredSession): Promise<SessionView> {
  const { store, expiryClock } = parts.dependencies;
  const caller = await storedCaller(store.read, wanted.token_id, expiryClock.now());
  if (caller === undefined)
    throw new Failure("unauthenticated", "the token that it acts with was deleted or has expired");
  const template = await parts.template(wanted.template);
  if (template === undefined) throw new Failure("not_found", `there is no template ${wanted.template}`);
  checkAccepted(template, wanted);
  const { session } = template;
  const text = wanted.prompt(session.prompt?.text ?? "");
  const request: CreateSession = {
    ...session,
    ...(text === "" ? {} : { prompt: { ...session.prompt, text } }),
    ...(wanted.max_cost_microusd === undefined ? {} : { max_cost_microusd: wanted.max_cost_microusd }),
    metadata: { ...session.metadata, ...wanted.metadata },
  };
  return parts.sessions.create(caller, request, wanted.key, { documents: wanted.documents });
}
