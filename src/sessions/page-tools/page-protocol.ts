import type { NewId } from "../../protocol/index.ts";
import { errorResult, type ToolResult } from "../../tools/index.ts";
import type { Clock } from "../dependencies.ts";
import { pageError } from "./page-results.ts";

/** What differs between the protocols that pages speak. */
export interface PageProtocol {
  readonly clock: Clock;
  readonly newCallId: () => string;
  /** Whether a page that is gone may come back for its calls. If not, they end with its connection. */
  readonly returns: boolean;
  /** Told to a model that calls a tool which its page has withdrawn. Undefined: the tool is unknown then. */
  withdrawn(page: string): string | undefined;
  /** What the model reads where a call has no answer. */
  readonly words: PageWords;
}

interface PageWords {
  busy(page: string, calls: number): ToolResult;
  gone(page: string, call: { readonly isSent: boolean }): ToolResult;
  late(call: { readonly tool: string; readonly name: string; readonly ms: number }): ToolResult;
}

/** Pages on `/api/ws`. */
export function ownPageProtocol({ clock, newId }: { readonly clock: Clock; readonly newId: NewId }): PageProtocol {
  return {
    clock,
    newCallId: () => newId("call"),
    returns: true,
    withdrawn: (page) => `the page ${page} has taken it back`,
    words: {
      busy: (page, calls) => pageError("busy", `the page ${page} has ${calls} calls to answer; wait for them`),
      gone: (page, { isSent }) => {
        const outcome = isSent ? "Whether it was run is not known" : "It was not run";
        const why = `the page ${page} is gone and did not come back in time`;
        return pageError("page_gone", `${why}. ${outcome}. Ask the user to open the page`);
      },
      late: ({ name, ms }) => errorResult(`Error: ${name} did not answer within ${ms / 1_000}s`),
    },
  };
}
