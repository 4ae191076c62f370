import { lstatSync } from "node:fs";
import { basename, join } from "node:path";
import type { Browser, CDPSession } from "puppeteer-core";
import { LIMITS } from "../protocol/index.ts";
import { quoted, type BrowserNotes } from "./notes.ts";
import type { UseEnd } from "./use-end.ts";

/** The folder of the workspace that downloads go to: nothing that a page names can take the place of a file elsewhere. */
const FOLDER = "downloads";

interface DownloadOptions {
  readonly workspace: string;
  /** False: every download is refused, and told. */
  readonly isAllowed: boolean;
  /** Whether Chromium writes with the server's own rights: a link could then lead out of the workspace. */
  readonly isLocal: boolean;
  readonly notes: BrowserNotes;
}

interface OpenDownload {
  readonly name: string;
  isTooLong: boolean;
}

/** The downloads of one browser. Chromium writes them itself, inside of the session's sandbox. */
export class BrowserDownloads {
  readonly #options: DownloadOptions;
  readonly #session: CDPSession;
  readonly #open = new Map<string, OpenDownload>();
  readonly #waiting = new Set<() => void>();
  #begun = 0;

  private constructor(session: CDPSession, options: DownloadOptions) {
    this.#session = session;
    this.#options = options;
  }

  static async watch(browser: Browser, options: DownloadOptions): Promise<BrowserDownloads> {
    const session = await browser.target().createCDPSession();
    const downloads = new BrowserDownloads(session, options);
    session.on("Browser.downloadWillBegin", ({ guid, suggestedFilename }) => downloads.#begin(guid, suggestedFilename));
    session.on("Browser.downloadProgress", (progress) => downloads.#progress(progress));
    const folder = options.isAllowed ? folderIn(options) : undefined;
    await session.send("Browser.setDownloadBehavior", {
      ...(folder === undefined ? { behavior: "deny" } : { behavior: "allow", downloadPath: folder }),
      eventsEnabled: true,
    });
    return downloads;
  }

  get areOpen(): boolean {
    return this.#open.size > 0;
  }

  /** Resolves when no download runs, or the use ends before. */
  async settled(end: UseEnd): Promise<void> {
    let settle = (): void => undefined;
    const settled = new Promise<void>((resolve) => {
      settle = resolve;
      this.#waiting.add(settle);
    });
    await end.first(settled);
    this.#waiting.delete(settle);
  }

  #begin(guid: string, suggested: string): void {
    const { notes, isAllowed } = this.#options;
    const name = basename(suggested);
    this.#begun += 1;
    if (!isAllowed) {
      notes.add(`The download ${quoted(name)} was refused: the profile's browser does not have downloads.`);
      return;
    }
    this.#open.set(guid, { name, isTooLong: false });
    if (this.#begun <= LIMITS.browserDownloads) return;
    notes.add(`The download ${quoted(name)} was refused: ${LIMITS.browserDownloads} were made already.`);
    this.#cancel(guid);
  }

  #progress(progress: {
    readonly guid: string;
    readonly receivedBytes: number;
    readonly totalBytes: number;
    readonly state: string;
    readonly filePath?: string;
  }): void {
    const { guid, receivedBytes, totalBytes, state, filePath } = progress;
    const download = this.#open.get(guid);
    if (download === undefined) return;
    const { notes } = this.#options;
    if (Math.max(receivedBytes, totalBytes) > LIMITS.browserDownloadBytes && !download.isTooLong) {
      download.isTooLong = true;
      notes.add(
        `The download ${quoted(download.name)} was stopped: it has more than ${LIMITS.browserDownloadBytes} bytes.`,
      );
      this.#cancel(guid);
      return;
    }
    if (state === "inProgress") return;
    if (state === "completed") {
      const name = filePath === undefined ? download.name : basename(filePath);
      notes.add(`Downloaded ${quoted(`${FOLDER}/${name}`)} (${receivedBytes} bytes).`);
    } else if (!download.isTooLong) notes.add(`The download ${quoted(download.name)} did not finish.`);
    this.#end(guid);
  }

  #cancel(guid: string): void {
    this.#session.send("Browser.cancelDownload", { guid }).catch(() => undefined);
    this.#end(guid);
  }

  #end(guid: string): void {
    this.#open.delete(guid);
    if (this.#open.size > 0) return;
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }
}

/** Undefined: it is a link, which could lead anywhere. */
function folderIn({ workspace, isLocal }: DownloadOptions): string | undefined {
  const folder = join(workspace, FOLDER);
  // In a sandbox a link leads nowhere but to what the sandbox may write.
  const found = isLocal ? lstatSync(folder, { throwIfNoEntry: false }) : undefined;
  return found === undefined || found.isDirectory() ? folder : undefined;
}
