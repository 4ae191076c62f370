import { ChangeList, ChangesWritten, Failure } from "../../protocol/index.ts";
import type { MountContext } from "./context.ts";
import { json, parseWritten } from "./json.ts";
import type { FileNode, FilePlace } from "./tree.ts";

/** What the session changed in its worktree or snapshot, and the decision on it. */
export function changesFile(context: MountContext): FileNode {
  return {
    path: "sessions/:id/changes",
    summary: "What the session changed in its worktree or snapshot; write apply or discard, or commit with JSON",
    content: "json",
    read: {
      needs: "session.read",
      answer: ChangeList,
      run: ({ caller, name }) => context.gateway.changes.list(caller, name),
    },
    write: {
      needs: "changes.decide",
      json: ChangesWritten,
      text: "`apply` or `discard`",
      run: (place, text) => decide(context, place, text),
    },
  };
}

async function decide({ gateway }: MountContext, { caller, name }: FilePlace, text: string): Promise<void> {
  const word = text.trim();
  const written = word === "apply" || word === "discard" ? { action: word } : json(text);
  const { action, branch, message, ...chosen } = parseWritten(ChangesWritten, written);
  switch (action) {
    case "apply":
      await gateway.changes.apply(caller, name, chosen);
      return;
    case "discard":
      await gateway.changes.discard(caller, name, chosen);
      return;
    case "commit":
      if (branch === undefined || message === undefined)
        throw new Failure("invalid_request", "a commit needs a branch and a message");
      await gateway.changes.commit(caller, name, { ...chosen, branch, message });
  }
}
