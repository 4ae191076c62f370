import type { Page } from "puppeteer-core";
import { LIMITS } from "../protocol/index.ts";
import { errorResult, type ToolResult } from "../tools/index.ts";
import type { BrowserMeans } from "./means.ts";
import { BrowserNotes } from "./notes.ts";
import { isMissing } from "./program.ts";
import { RunningBrowser } from "./running.ts";
import { ShownPages } from "./shown.ts";
import { UseEnd, UseEnded } from "./use-end.ts";

/** One use of the page by a tool. */
export interface PageUse {
  readonly signal: AbortSignal;
  /** What the tool does. A rejection is told with `failed`. */
  readonly work: (page: Page) => Promise<ToolResult>;
  /** The tool's own words for what went wrong. */
  readonly failed: (reason: string) => ToolResult;
}

const ENDED = "the page did not answer any more, so the browser was ended; the next call starts another one";

/** The browser of one session: started when a tool needs it, ended with the session or when nobody uses it. */
export class SessionBrowser {
  readonly means: BrowserMeans;
  readonly shown = new ShownPages();
  readonly #notes = new BrowserNotes();
  #running: RunningBrowser | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #isClosed = false;
  #cancelIdle = (): void => undefined;

  constructor(means: BrowserMeans) {
    this.means = means;
  }

  /** The open page, for previews; absent: no browser runs. */
  get page(): Page | undefined {
    return this.#running?.isGone === false ? this.#running.page : undefined;
  }

  /** Uses of the page follow one another. Never rejects. */
  use(use: PageUse): Promise<ToolResult> {
    const result = this.#last.then(() => this.#use(use));
    this.#last = result;
    return result;
  }

  /** In place of the session's own browser. */
  async join(open: (notes: BrowserNotes) => Promise<RunningBrowser>): Promise<void> {
    const running = await open(this.#notes);
    await this.#running?.close();
    this.#running = running;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelIdle();
    await this.#running?.close();
  }

  async #use({ signal, work, failed }: PageUse): Promise<ToolResult> {
    if (this.#isClosed || signal.aborted) return failed("the call was interrupted");
    const running = await this.#ready();
    if (typeof running === "string") return errorResult(running);
    this.#cancelIdle();
    running.begin();
    this.means.refusals();
    try {
      const result = await this.#guarded(running, { signal, work, failed });
      for (const words of this.means.refusals()) running.notes.add(words);
      return running.notes.addTo(result);
    } finally {
      this.#cancelIdle = this.means.after(LIMITS.browserIdleMs, () => void this.#rest(running));
    }
  }

  /** The work's result, unless the time is over, the turn is interrupted or the browser ends. */
  async #guarded(running: RunningBrowser, { signal, work, failed }: PageUse): Promise<ToolResult> {
    const toolMs = this.means.toolMs ?? LIMITS.browserToolMs;
    const end = new UseEnd({ signal, gone: running.gone, toolMs, graceMs: LIMITS.browserGraceMs });
    try {
      const first = await end.first(work(running.page)).catch((error: unknown) => new UseEnded(messageOf(error)));
      const { downloads } = running;
      if (downloads?.areOpen === true) {
        await downloads.settled(end);
        if (downloads.areOpen && !running.isGone) running.notes.add("A download still runs.");
      }
      if (!(first instanceof UseEnded)) return first;
      if (running.isGone || (await running.answers())) return failed(first.why);
      await this.#end(running);
      return failed(`${first.why}; ${ENDED}`);
    } finally {
      end.dispose();
    }
  }

  /** The browser that runs, or another one; a text: why there is none. */
  async #ready(): Promise<RunningBrowser | string> {
    if (this.#running?.isGone === false) return this.#running;
    const { program } = this.means;
    if (isMissing(program))
      return `The browser tools cannot be used: ${program.reason}. Somebody who runs this server can bring it with: ${program.remedy}`;
    try {
      await this.#running?.close();
      this.#running = await RunningBrowser.start(program, this.means, this.#notes);
    } catch (error) {
      return `The browser could not be started: ${messageOf(error)}`;
    }
    // The session may have ended meanwhile.
    if (!this.#isClosed) return this.#running;
    await this.#running.close();
    return "The session is closed: no browser runs in it any more.";
  }

  async #rest(running: RunningBrowser): Promise<void> {
    await this.#last;
    await this.#end(running);
  }

  async #end(running: RunningBrowser): Promise<void> {
    if (this.#running === running) this.#running = undefined;
    await running.close();
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
