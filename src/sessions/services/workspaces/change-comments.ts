import { Failure, headOf, LIMITS, type LineComment, type PromptAccepted } from "../../../protocol/index.ts";
import { authorize, authorizeFor, type Caller } from "../../access/access.ts";
import type { Dependencies } from "../../dependencies.ts";
import type { Registry } from "../../lifecycle/registry.ts";
import { sidesOf } from "../../workspace/change-diff.ts";
import { commentPrompt, quotedLine, type QuotedComment } from "../../workspace/comment-prompt.ts";
import { withChanges, type OpenChanges } from "../../workspace/open-changes.ts";
import type { SessionService } from "../session-service.ts";

interface ChangeCommentParts {
  readonly dependencies: Pick<Dependencies, "redact">;
  readonly registry: Registry;
  readonly sessions: Pick<SessionService, "prompt">;
}

/** Comments of people on lines of a session's changes, which its agent gets as the next prompt. */
export class ChangeComments {
  readonly #parts: ChangeCommentParts;

  constructor(parts: ChangeCommentParts) {
    this.#parts = parts;
  }

  /** All of them together, or none: each must be on a line that is as the person saw it. */
  async send(
    caller: Caller,
    id: string,
    { comments }: { readonly comments: readonly LineComment[] },
    key: string | undefined,
  ): Promise<PromptAccepted> {
    authorize(caller, "session.control");
    const session = await this.#parts.registry.get(id);
    authorizeFor(caller, "session.control", { state: session.state, what: `session ${id}` });
    const quoted = await withChanges(session, async (open) => {
      const found: QuotedComment[] = [];
      for (const comment of comments) found.push(await this.#quoted(open, comment));
      return found;
    });
    return this.#parts.sessions.prompt(caller, id, { text: commentPrompt(quoted) }, key);
  }

  async #quoted(open: OpenChanges, comment: LineComment): Promise<QuotedComment> {
    const { path, line, side, text } = comment;
    const change = open.compared.find((known) => known.path === path);
    if (change === undefined) throw new Failure("not_found", `the session has not changed ${path}`);
    const isLarge = Math.max(change.before?.size ?? 0, change.after?.size ?? 0) > LIMITS.diffedFileBytes;
    const sides = isLarge ? undefined : await sidesOf(open.tree, open.base, change);
    const known = sides === undefined ? undefined : quotedLine(side === "old" ? sides.before : sides.after, line);
    if (known === undefined) throw new Failure("invalid_request", `${path} has no line ${line} to comment on`);
    const quote = headOf(this.#parts.dependencies.redact.exact(known), LIMITS.quotedLineChars);
    if (comment.quote !== undefined && comment.quote !== quote)
      throw new Failure("input_changed", `line ${line} of ${path} is no longer as you were shown it; look at it again`);
    return { path, line, side, text, quote };
  }
}
