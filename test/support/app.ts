import { join } from "node:path";
import { SallyportClient } from "../../src/client/index.ts";
import { readSettings } from "../../src/cli/settings/settings.ts";
import { serve, type ServeOptions, type Serving } from "../../src/cli/serve.ts";
import type {
  Approval,
  CreateSession,
  JournalEvent,
  Role,
  SessionView,
  StreamFrame,
} from "../../src/protocol/index.ts";
import { storeThread } from "./store-thread.ts";
import { makePlace, TEST_SANDBOX, TEST_TOKEN, type Place } from "./server.ts";

/** The whole product in this process, on a free port, with the scripted model. */
export interface TestApp {
  readonly place: Place;
  readonly serving: Serving;
  readonly client: SallyportClient;
  /** A client with a token of its own. */
  as(role: Role, name?: string): Promise<SallyportClient & { readonly token: string }>;
  stop(hurry?: AbortSignal): Promise<void>;
  /** Stops the server and opens it again on the same home. */
  restart(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

interface Prepared {
  /** What is done to the place before the server is opened; the answer undoes it at the end. */
  readonly prepare?: (place: Place) => Promise<() => Promise<unknown>>;
}

export async function openTestApp(
  environment: Readonly<Record<string, string>> = {},
  options:
    | "home inside workspace"
    | (Pick<ServeOptions, "store" | "clock" | "openFiles" | "addressOf"> & Prepared) = {},
): Promise<TestApp> {
  const made = await makePlace();
  const inside = options === "home inside workspace";
  const place = inside ? { ...made, home: join(made.workspace, ".sallyport") } : made;
  const undo = inside ? undefined : await options.prepare?.(place);
  const open = (): Promise<Serving> => {
    const all = {
      PATH: process.env["PATH"],
      HOME: place.home,
      SALLYPORT_TOKEN: TEST_TOKEN,
      SALLYPORT_REQUESTS_PER_MINUTE: "1000000",
      // A program that is started for nobody is what few tests are about.
      SALLYPORT_START_AHEAD: "off",
      SALLYPORT_BROWSER: "off",
      SALLYPORT_SEARCH_CODE: "off",
      SALLYPORT_RECORD_FILES: "off",
      // Walls are what tests of their own are about, or all of them.
      SALLYPORT_SANDBOX: TEST_SANDBOX,
      ...environment,
    };
    return serve({
      settings: readSettings({ home: place.home, workspace: place.workspace, port: 0 }, all, place.workspace),
      environment: all,
      version: "0.0.0-test",
      logLevel: "silent",
      ...(inside ? {} : options),
      // What a test does to the store may hold up its thread.
      store: {
        thread: inside || options.store === undefined ? storeThread() : undefined,
        ...(inside ? {} : options.store),
      },
      onFatal: (error) => {
        throw error;
      },
    });
  };
  let serving = await open();
  let isOpen = true;
  const stop = async (hurry?: AbortSignal): Promise<void> => {
    if (isOpen) await serving.close(hurry);
    isOpen = false;
  };
  let client = new SallyportClient({ url: serving.url, token: TEST_TOKEN });
  return {
    place,
    get serving() {
      return serving;
    },
    get client() {
      return client;
    },
    as: async (role, name = role) => {
      const { token } = await client.createToken({ role, name });
      return Object.assign(new SallyportClient({ url: serving.url, token }), { token });
    },
    stop,
    restart: async () => {
      await stop();
      serving = await open();
      isOpen = true;
      client = new SallyportClient({ url: serving.url, token: TEST_TOKEN });
    },
    [Symbol.asyncDispose]: async () => {
      await stop();
      await undo?.();
      await place.remove();
    },
  };
}

export const script = (...steps: readonly object[]): string => `Do as told.\nsim: ${JSON.stringify(steps)}`;

/** Starts a session with a script and follows it until its first turn has ended; questions go to `answer`. */
export async function runScript(
  client: SallyportClient,
  session: CreateSession,
  answer?: (approval: Approval) => Promise<unknown>,
): Promise<{ readonly session: SessionView; readonly events: readonly JournalEvent[] }> {
  const created = await client.createSession(session);
  return { session: created, events: await untilTurnEnds(client, created.id, { answer }) };
}

/** The journal from `after` to the end of the next turn. */
export async function untilTurnEnds(
  client: SallyportClient,
  id: string,
  options: {
    readonly after?: number;
    readonly answer?: ((approval: Approval) => Promise<unknown>) | undefined;
    readonly onFrame?: (frame: StreamFrame) => void;
  } = {},
): Promise<readonly JournalEvent[]> {
  const events: JournalEvent[] = [];
  const answers: Promise<unknown>[] = [];
  for await (const frame of client.watch(id, { after: options.after ?? 0 })) {
    options.onFrame?.(frame);
    if (!("seq" in frame)) continue;
    events.push(frame);
    if (frame.type === "approval.requested" && options.answer !== undefined)
      answers.push(options.answer(frame.approval));
    if (frame.type === "turn.completed" || frame.type === "turn.failed") break;
  }
  await Promise.all(answers);
  return events;
}

export function approveWith(client: SallyportClient): (approval: Approval) => Promise<unknown> {
  return ({ id, input_hash }) => client.decide(id, { decision: "approve", input_hash });
}
