import type { NotificationAnswer, PushMessage } from "../../protocol/index.ts";

/*
 * Runs beside the pages: keeps the shell of the console, so that it opens without a network, and shows push messages. It imports nothing, and
 * holds no token: what it needs to answer a question came with the question, encrypted for this browser alone.
 */

interface WorkerEvent extends Event {
  waitUntil(work: Promise<unknown>): void;
}

interface FetchEvent extends WorkerEvent {
  readonly request: Request;
  respondWith(answer: Promise<Response>): void;
}

interface PushEvent extends WorkerEvent {
  readonly data: { json(): unknown } | null;
}

interface ClickEvent extends WorkerEvent {
  readonly action: string;
  readonly notification: { readonly data: unknown; close(): void };
}

interface WindowClient {
  readonly url: string;
  readonly focused: boolean;
  focus(): Promise<unknown>;
  navigate(url: string): Promise<unknown>;
}

interface WorkerScope {
  readonly location: Location;
  readonly registration: {
    showNotification(title: string, options: object): Promise<void>;
  };
  readonly clients: {
    matchAll(query: {
      readonly type: "window";
      readonly includeUncontrolled: boolean;
    }): Promise<readonly WindowClient[]>;
    openWindow(url: string): Promise<unknown>;
    claim(): Promise<void>;
  };
  skipWaiting(): Promise<void>;
  addEventListener(type: "install" | "activate", listener: (event: WorkerEvent) => void): void;
  addEventListener(type: "fetch", listener: (event: FetchEvent) => void): void;
  addEventListener(type: "push", listener: (event: PushEvent) => void): void;
  addEventListener(type: "notificationclick", listener: (event: ClickEvent) => void): void;
}

const worker = globalThis as unknown as WorkerScope;

/** Another number here empties what older versions kept. */
const CACHE = "sallyport-shell-1";
/** Under which the page is kept, whatever address it was read from: addresses may hold a token. */
const SHELL = "/";
/** Parts that are kept; the oldest go first. */
const MOST_PARTS = 300;
const PARTS = /^\/assets\/[\w.-]+\.(?:js|css|svg|woff2)$/;
/** The console's addresses, as the build knows them: this file imports nothing. */
declare const CONSOLE_PATHS: string;
const CONSOLE = new RegExp(CONSOLE_PATHS);

worker.addEventListener("install", (event) => event.waitUntil(install()));
worker.addEventListener("activate", (event) => event.waitUntil(activate()));

async function install(): Promise<void> {
  await worker.skipWaiting();
  // Without the shell it still shows notifications: the next page brings the shell.
  await fetch(SHELL, { cache: "no-store", credentials: "omit" })
    .then(async (page) => keepParts(await keepShell(page)))
    .catch(() => undefined);
}

async function activate(): Promise<void> {
  for (const name of await caches.keys()) if (name !== CACHE) await caches.delete(name);
  await worker.clients.claim();
}

worker.addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname, search } = new URL(request.url);
  if (request.method !== "GET" || origin !== worker.location.origin) return;
  if (request.mode === "navigate" && CONSOLE.test(pathname)) event.respondWith(pageOf(request));
  else if (search === "" && PARTS.test(pathname)) event.respondWith(partOf(request));
});

/** The server's page whenever it answers, so that nobody sees an old one; else the kept one. */
async function pageOf(request: Request): Promise<Response> {
  try {
    const page = await fetch(request);
    if (page.ok) await keepShell(page.clone());
    return page;
  } catch (error) {
    const kept = await (await caches.open(CACHE)).match(SHELL);
    if (kept === undefined) throw error;
    return kept;
  }
}

/** Names of parts change with their content, so a kept one is never old. */
async function partOf(request: Request): Promise<Response> {
  const cache = await caches.open(CACHE);
  const kept = await cache.match(request);
  if (kept !== undefined) return kept;
  const part = await fetch(request);
  if (part.ok) await keep(cache, request.url, part.clone());
  return part;
}

/** Keeps the page alone: neither the address that it came from, nor anything else that came with it. Returns its text. */
async function keepShell(page: Response): Promise<string> {
  const text = await page.text();
  const headers = new Headers();
  for (const name of ["content-type", "content-security-policy", "x-content-type-options", "referrer-policy"]) {
    const value = page.headers.get(name);
    if (value !== null) headers.set(name, value);
  }
  if (page.ok) await (await caches.open(CACHE)).put(SHELL, new Response(text, { headers }));
  return text;
}

async function keepParts(page: string): Promise<void> {
  const cache = await caches.open(CACHE);
  const paths = [...page.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].flatMap(([, path]) => path ?? []);
  for (const path of paths.filter((one) => PARTS.test(one))) {
    const part = await fetch(path);
    if (part.ok) await keep(cache, path, part);
  }
}

async function keep(cache: Cache, path: string, part: Response): Promise<void> {
  await cache.put(path, part);
  const kept = (await cache.keys()).filter(({ url }) => new URL(url).pathname !== SHELL);
  for (const old of kept.slice(0, Math.max(0, kept.length - MOST_PARTS))) await cache.delete(old);
}

worker.addEventListener("push", (event) => event.waitUntil(show(messageIn(event.data))));

const NOTHING: PushMessage = {
  event: "question",
  title: "Sallyport",
  text: "Something waits for you. Open the console to see it.",
  tag: "sallyport",
  path: "/approvals",
};

function messageIn(data: PushEvent["data"]): PushMessage {
  try {
    const message = data?.json() as PushMessage | undefined;
    return typeof message?.title === "string" && isConsolePath(message.path) ? message : NOTHING;
  } catch {
    return NOTHING;
  }
}

/** A message leads nowhere but into the console. */
function isConsolePath(path: string): boolean {
  const { origin, pathname } = new URL(path, worker.location.origin);
  return origin === worker.location.origin && CONSOLE.test(pathname);
}

async function show(message: PushMessage): Promise<void> {
  const windows = await worker.clients.matchAll({ type: "window", includeUncontrolled: true });
  // Whoever looks at the console sees it there, and hears it from there.
  if (message.event !== "test" && windows.some(({ focused }) => focused)) return;
  const { title, text, tag, event, answer } = message;
  await worker.registration.showNotification(title, {
    ...LOOKS,
    body: text,
    tag,
    data: message,
    requireInteraction: event === "question" || event === "budget",
    actions:
      answer === undefined
        ? []
        : [
            { action: "approve", title: "Approve" },
            { action: "reject", title: "Reject" },
          ],
  });
}

const LOOKS = { icon: "/icons/icon-192.png", badge: "/icons/badge-96.png", lang: "en" } as const;

const DECISIONS = ["approve", "reject"] as const;

worker.addEventListener("notificationclick", (event) => {
  const message = event.notification.data as PushMessage;
  event.notification.close();
  const { answer, path } = message;
  const decision = DECISIONS.find((one) => one === event.action);
  if (decision === undefined || answer === undefined) {
    event.waitUntil(openConsole(path));
    return;
  }
  const { how, ...question } = answer;
  const given: NotificationAnswer = { ...question, decision };
  // Behind the `#`: no server and no log sees it.
  if (how === "unlocked") event.waitUntil(openConsole(`${path}#answer=${encodeURIComponent(JSON.stringify(given))}`));
  else event.waitUntil(send(given, message));
});

async function openConsole(path: string): Promise<void> {
  const windows = await worker.clients.matchAll({ type: "window", includeUncontrolled: false });
  const open = windows.find(({ url }) => CONSOLE.test(new URL(url).pathname));
  if (open === undefined) {
    await worker.clients.openWindow(path);
    return;
  }
  await open.focus();
  await open.navigate(path);
}

const TRIES = 6;
const FIRST_WAIT_MS = 500;

/** Sends the answer, a few times if the server is away: the first answer that it takes counts. */
async function send(given: NotificationAnswer, { text, tag, path }: PushMessage): Promise<void> {
  const told = await tryToSend(given);
  const title = told.isTaken ? (given.decision === "approve" ? "Approved" : "Rejected") : "Your answer was not taken";
  await worker.registration.showNotification(title, {
    ...LOOKS,
    body: told.isTaken ? text : told.why,
    tag,
    data: { ...NOTHING, path },
    silent: told.isTaken,
  });
}

type SentAnswer = { readonly isTaken: true } | { readonly isTaken: false; readonly why: string };

async function tryToSend(given: NotificationAnswer): Promise<SentAnswer> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    if (tries > 0) await new Promise((resolve) => setTimeout(resolve, FIRST_WAIT_MS * 2 ** tries));
    try {
      const response = await fetch("/api/notifications/answers", {
        method: "POST",
        headers: { "content-type": "application/json" },
        credentials: "omit",
        body: JSON.stringify(given),
      });
      if (response.ok) return { isTaken: true };
      if (response.status < 500) return { isTaken: false, why: await whyOf(response) };
    } catch {
      // The server is away; it may come back.
    }
  }
  return { isTaken: false, why: "The server can’t be reached. Open the console and try again." };
}

async function whyOf(response: Response): Promise<string> {
  const body = (await response.json().catch(() => undefined)) as { readonly error?: { readonly message?: unknown } };
  const message = body?.error?.message;
  return typeof message === "string" ? message : `The server answered ${response.status}.`;
}
