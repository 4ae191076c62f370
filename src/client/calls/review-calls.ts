import type {
  ChangeDiff,
  ChangesDone,
  CommentOnChanges,
  FileComparison,
  OpenPullRequest,
  PromptAccepted,
  Published,
  Publishing,
  PushBranch,
  RecordedMoments,
  RewindFiles,
  WorkspaceFile,
} from "../../protocol/index.ts";
import type { SendCall } from "./api-call.ts";
import { changesOf, search } from "../paths.ts";

const at = (id: string, rest: string): string => `/api/sessions/${encodeURIComponent(id)}/${rest}`;

/** What people do with a session's changes beyond deciding on them. */
export class ReviewCalls {
  readonly #call: SendCall;

  constructor(call: SendCall) {
    this.#call = call;
  }

  /** Sends comments on lines to the agent, together, as its next prompt. */
  comment(id: string, comments: CommentOnChanges, { key }: { readonly key?: string } = {}): Promise<PromptAccepted> {
    return this.#call({ method: "POST", path: `${changesOf(id)}/comments`, body: comments, key });
  }

  /** A file of the session's workspace. */
  file(id: string, path: string): Promise<WorkspaceFile> {
    return this.#call({ method: "GET", path: at(id, `file${search({ path })}`) });
  }

  /** The moments whose files are known. */
  moments(id: string): Promise<RecordedMoments> {
    return this.#call({ method: "GET", path: at(id, "moments") });
  }

  /** `other`: a moment's id, or another session's. */
  compare(id: string, other: string): Promise<FileComparison> {
    return this.#call({ method: "GET", path: at(id, `compare${search({ with: other })}`) });
  }

  compareFile(id: string, other: string, path: string): Promise<ChangeDiff> {
    return this.#call({ method: "GET", path: at(id, `compare/diff${search({ with: other, path })}`) });
  }

  /** Puts files back to what they were at a moment. */
  rewind(id: string, wanted: RewindFiles): Promise<ChangesDone> {
    return this.#call({ method: "POST", path: at(id, "rewind"), body: wanted });
  }

  /** The branches with commits of a session, and where they can be pushed. */
  publishing(id: string): Promise<Publishing> {
    return this.#call({ method: "GET", path: `${changesOf(id)}/publishing` });
  }

  push(id: string, wanted: PushBranch): Promise<Published> {
    return this.#call({ method: "POST", path: `${changesOf(id)}/push`, body: wanted });
  }

  openPullRequest(id: string, wanted: OpenPullRequest): Promise<Published> {
    return this.#call({ method: "POST", path: `${changesOf(id)}/pull-request`, body: wanted });
  }
}
