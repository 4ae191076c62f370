import type { LiveConnection, PageTool, SallyportClient } from "../../client/index.ts";
import type { CreateSession } from "../../protocol/index.ts";

/** Tools that the page offers to each chat of the panel. */
export interface PanelPage {
  /** Letters, digits, - and single _: models see `mcp__<page>__<tool>`. */
  readonly page: string;
  readonly tools: readonly PageTool<never>[];
}

export interface PanelOptions {
  readonly client: SallyportClient;
  readonly live: LiveConnection;
  /** The settings of a new chat, without a prompt. Called at the first prompt of each. */
  readonly session: () => CreateSession | Promise<CreateSession>;
  readonly page?: PanelPage | undefined;
  /** Facts for the model, put before the first prompt of a chat. The person does not see them. */
  readonly firstPrefix?: (() => string | undefined) | undefined;
  /** A step in words, such as `Adding Scatter plot viewer`. `tool` is without `mcp__<page>__`, and complete if it is not the page's own. Absent, or undefined: the panel's own words. */
  readonly describe?: ((tool: string, input: Record<string, unknown>) => string | undefined) | undefined;
  /** The history lists the chats of one context: a table, a connection, a document. Absent: one for all of this origin. */
  readonly contextId?: string | undefined;
  /** Absent: `Chat`. */
  readonly title?: string | undefined;
  readonly placeholder?: string | undefined;
  /** First prompts that a person can choose from. */
  readonly suggestions?: readonly string[] | undefined;
  /** Opens and closes the panel. Absent: `Ctrl+I`, and `Cmd+I` on a Mac. Empty: none. */
  readonly shortcut?: string | undefined;
  /** Whether an answer's cost is shown below it. Absent: no, visitors need not know. */
  readonly showCost?: boolean | undefined;
  /** How a prompt that was sent is shown. Absent: as it was written. */
  readonly shownPrompt?: ((text: string) => string) | undefined;
}

export interface PanelEvents {
  readonly "sallyport-session": { readonly sessionId: string | undefined };
  readonly "sallyport-answer": { readonly sessionId: string; readonly turnId: string; readonly text: string };
  readonly "sallyport-feedback": {
    readonly rating: "up" | "down";
    readonly sessionId: string;
    readonly turnId: string;
  };
  readonly "sallyport-toggle": { readonly open: boolean };
}

/** Invalid names are reported to the page's author. */
export function checkPageName(page: string | undefined): void {
  if (page !== undefined && !/^[A-Za-z0-9-]+(?:_[A-Za-z0-9-]+)*$/.test(page))
    throw new TypeError(`"${page}" cannot be the name of a page: use letters, digits, - and single _`);
}
