import { LIMITS, type Approval, type Decision, type ReviewPreview } from "../../protocol/index.ts";
import { showPreview } from "../show/preview.ts";
import type { AskContext } from "./asking.ts";
import { showPages } from "./pages.ts";

const HELP = [
  "y            write all of it into the folder",
  "c            commit all of it on a branch of the folder's repository",
  "d            discard it: the session's files go back to what they were",
  "l            later: the changes stay where they are, and the question leaves the inbox",
  "v            show all of it, page by page",
];

/** Asks a person what becomes of everything that a session changed. Undefined: withdrawn, or nobody can answer. */
export async function askReview(
  approval: Approval,
  preview: ReviewPreview,
  { asking, signal }: { readonly asking: AskContext; readonly signal: AbortSignal },
): Promise<Decision | undefined> {
  const { screen, keyboard } = asking;
  const { paint } = screen;
  const { input_hash } = approval;
  const line = (prompt: string): Promise<string | undefined> => keyboard.ask(prompt, signal);
  const lines = (mostLines: number): readonly string[] => showPreview(approval, { paint, mostLines });
  for (const text of lines(LIMITS.terminalDiffLines)) screen.aside(`  ${text}`);
  for (;;) {
    const keys = "y apply · c commit · d discard · l later · v all · ? help";
    const typed = await line(`${paint.bold("Apply the changes?")} ${paint.dim(keys)} › `);
    switch (typed?.trim().toLowerCase()) {
      case undefined:
        return undefined;
      case "y":
      case "yes":
        return { decision: "approve", input_hash };
      case "c": {
        const commit = preview.commit === undefined ? undefined : await askCommit(approval, line);
        if (commit !== undefined) return { decision: "approve", input_hash, updated_input: commit };
        screen.aside(preview.commit === undefined ? "the folder has no commit to go on" : "nothing was committed");
        break;
      }
      case "d":
        if ((await line("The changes are gone then. Type discard to do it › "))?.trim() === "discard")
          return { decision: "approve", input_hash, updated_input: { action: "discard" } };
        break;
      case "l":
      case "n":
        return { decision: "reject", input_hash };
      case "v":
        await showPages(lines(Infinity), { screen, line });
        break;
      default:
        for (const text of HELP) screen.aside(`  ${text}`);
    }
  }
}

async function askCommit(
  { session_id }: Approval,
  line: (prompt: string) => Promise<string | undefined>,
): Promise<{ action: "commit"; branch: string; message: string } | undefined> {
  const usual = `sallyport/${session_id.slice(-8)}-changes`;
  const branch = await line(`Branch (empty for ${usual}) › `);
  const message = branch === undefined ? undefined : (await line("Message › "))?.trim();
  if (branch === undefined || message === undefined || message === "") return undefined;
  return { action: "commit", branch: branch.trim() === "" ? usual : branch.trim(), message };
}
