import type {
  Approval,
  DecisionBatch,
  DecisionResults,
  ExtendApproval,
  LabelSession,
  PromptAccepted,
  RevokeGrant,
  SessionView,
} from "../protocol/index.ts";
import type { SendCall } from "./calls/api-call.ts";

/** What people do with questions beside answering one, and how they keep order among sessions. */
export class InboxClient {
  readonly #call: SendCall;

  constructor(call: SendCall) {
    this.#call = call;
  }

  /** Answers several questions. One that changed or was answered is left out, and the result says so. */
  decideAll(batch: DecisionBatch): Promise<DecisionResults> {
    return this.#call({ method: "POST", path: "/api/approvals", body: batch });
  }

  /** More time for a question. */
  extend(id: string, wanted: ExtendApproval = {}): Promise<Approval> {
    return this.#call({ method: "POST", path: `${approvalPath(id)}/extend`, body: wanted });
  }

  /** If the file is not what was shown, another question replaces this one. */
  refresh(id: string): Promise<Approval> {
    return this.#call({ method: "POST", path: `${approvalPath(id)}/refresh` });
  }

  /** Lets the agent make a call again whose question expired. */
  askAgain(id: string): Promise<PromptAccepted> {
    return this.#call({ method: "POST", path: `${approvalPath(id)}/again` });
  }

  /** A session's title, tags, and whether it is in the archive. */
  label(sessionId: string, label: LabelSession): Promise<SessionView> {
    return this.#call({ method: "PATCH", path: `/api/sessions/${encodeURIComponent(sessionId)}`, body: label });
  }

  /** Takes back a rule that somebody granted for the session. */
  revoke(sessionId: string, grant: RevokeGrant): Promise<SessionView> {
    return this.#call({ method: "POST", path: `/api/sessions/${encodeURIComponent(sessionId)}/revoke`, body: grant });
  }
}

function approvalPath(id: string): string {
  return `/api/approvals/${encodeURIComponent(id)}`;
}
