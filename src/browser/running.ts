import type { Browser, CDPSession, Page, Target } from "puppeteer-core";
import { LIMITS } from "../protocol/index.ts";
import type { Piped } from "../sandbox/sandbox.ts";
import { browserCommand } from "./command.ts";
import { BrowserDownloads } from "./downloads.ts";
import type { BrowserMeans, BrowserPlace } from "./means.ts";
import { quoted, type BrowserNotes } from "./notes.ts";
import type { BrowserProgram } from "./program.ts";
import { PipeTransport } from "./transport.ts";
import { EndSignal } from "./use-end.ts";

/** What a screenshot has unless it names another size. */
export const VIEWPORT = { width: 800, height: 600 } as const;

interface RunningParts {
  readonly browser: Browser;
  readonly page: Page;
  readonly end: () => Promise<void>;
  readonly notes: BrowserNotes;
  /** Absent: the browser is a person's own, and its downloads are theirs. */
  readonly downloads?: BrowserDownloads | undefined;
}

/** A browser with the one page that tools use. */
export class RunningBrowser {
  readonly page: Page;
  readonly notes: BrowserNotes;
  readonly downloads: BrowserDownloads | undefined;
  /** When it has ended, by itself or not. */
  readonly gone = new EndSignal();
  readonly #end: () => Promise<void>;
  #session: CDPSession | undefined;
  #isClosed = false;
  #popups = 0;

  private constructor({ browser, page, end, notes, downloads }: RunningParts) {
    this.page = page;
    this.notes = notes;
    this.downloads = downloads;
    this.#end = end;
    browser.once("disconnected", () => this.gone.end());
  }

  get isGone(): boolean {
    return this.#isClosed || this.gone.isOver || this.page.isClosed();
  }

  /** Starts Chromium in the session's sandbox. Rejects with words for the model. */
  static async start(program: BrowserProgram, means: BrowserMeans, notes: BrowserNotes): Promise<RunningBrowser> {
    const { connect } = await import("puppeteer-core");
    const place = await means.place();
    let process: Piped | undefined;
    let transport: PipeTransport | undefined;
    const end = async (): Promise<void> => {
      transport?.close();
      await process?.kill({ graceMs: 0 });
      await place.close();
    };
    try {
      process = await openProcess(program, means, place);
      transport = new PipeTransport(process);
      const toolMs = means.toolMs ?? LIMITS.browserToolMs;
      const connecting = connect({ transport, defaultViewport: VIEWPORT, protocolTimeout: toolMs });
      const browser = await withinTime(connecting, LIMITS.browserStartMs, "it was not ready in time");
      const downloads = await BrowserDownloads.watch(browser, {
        workspace: means.workspace,
        isAllowed: means.abilities().includes("downloads"),
        isLocal: means.sandbox.kind === "local",
        notes,
      });
      const page = (await browser.pages())[0] ?? (await browser.newPage());
      const running = new RunningBrowser({ browser, page, end, notes, downloads });
      browser.on("targetcreated", (target) => running.#closePopup(target));
      await running.#watch(toolMs);
      return running;
    } catch (error) {
      await end();
      const said = transport?.failure === undefined ? "" : `: ${transport.failure}. ${transport.said}`;
      throw new Error(`${error instanceof Error ? error.message : String(error)}${said}`.trim(), { cause: error });
    }
  }

  /** A browser that a person has started. Its pages stay when the session ends. */
  static async join(browser: Browser, page: Page, { means, notes }: JoinOptions): Promise<RunningBrowser> {
    const end = (): Promise<void> => browser.disconnect();
    const running = new RunningBrowser({ browser, page, end, notes });
    await running.#watch(means.toolMs ?? LIMITS.browserToolMs);
    return running;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#end();
  }

  /** Called before each use. */
  begin(): void {
    this.#popups = 0;
  }

  /** Whether the page still answers; a script that never ends is ended. */
  async answers(): Promise<boolean> {
    if (this.isGone) return false;
    if (await this.#isAnswering()) return true;
    this.#session?.send("Runtime.terminateExecution").catch(() => undefined);
    return this.#isAnswering();
  }

  async #isAnswering(): Promise<boolean> {
    try {
      await withinTime(this.page.evaluate("1"), LIMITS.browserGraceMs, "");
      return true;
    } catch {
      return false;
    }
  }

  async #watch(toolMs: number): Promise<void> {
    const { page, notes } = this;
    page.setDefaultTimeout(toolMs);
    page.on("dialog", (dialog) => {
      const kind = dialog.type();
      // Nobody has agreed to what a page asks; an alert and leaving the page leave no choice.
      const isAccepted = kind === "alert" || kind === "beforeunload";
      notes.add(
        `The page showed a dialog (${kind}): ${quoted(dialog.message())}. It was ${isAccepted ? "accepted" : "dismissed"}.`,
      );
      (isAccepted ? dialog.accept() : dialog.dismiss()).catch(() => undefined);
    });
    this.#session = await page.createCDPSession();
    await this.#session.send("Page.enable");
    this.#session.on("Page.windowOpen", ({ url }) =>
      notes.add(`The page opened another one, which was closed: ${quoted(url)}. Navigate there if you want it.`),
    );
  }

  /** One page is enough for every tool, and a page that opens others without end must not fill the memory. */
  #closePopup(target: Target): void {
    const kind: string = target.type();
    if (kind !== "page") return;
    this.#popups += 1;
    if (this.#popups > LIMITS.browserPopups) {
      this.notes.add(`The page opened more than ${LIMITS.browserPopups} others, so the browser was ended.`);
      void this.close();
      return;
    }
    target
      .page()
      .then((page) => page?.close())
      .catch(() => undefined);
  }
}

interface JoinOptions {
  readonly means: BrowserMeans;
  readonly notes: BrowserNotes;
}

function openProcess(program: BrowserProgram, means: BrowserMeans, place: BrowserPlace): Promise<Piped> {
  return means.sandbox.open({
    argv: browserCommand({
      program: program.path,
      profile: place.profile,
      network: place.network,
      isWalled: means.sandbox.kind !== "local",
    }),
    cwd: means.workspace,
    env: { HOME: place.profile, XDG_CONFIG_HOME: place.profile, XDG_CACHE_HOME: place.profile },
    // Where the session's commands run: a server that one of them started is a page's `localhost`.
    beside: true,
  });
}

/** Rejects with `why` after `ms`; what comes later is nobody's business. */
export async function withinTime<Value>(work: Promise<Value>, ms: number, why: string): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(why)), ms);
  });
  work.catch(() => undefined);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
