import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, onTestFinished } from "vitest";
import type { SallyportClient } from "../../../src/client/index.ts";
import type { CreateSession } from "../../../src/protocol/index.ts";
import { launchBrowser, Visitor } from "../../support/browser.ts";
import { openTestApp, script, type TestApp } from "../../support/app.ts";
import { TEST_TOKEN } from "../../support/server.ts";

/** The product in this process and a real browser before it. */
export interface ConsoleWorld {
  readonly app: TestApp;
  readonly browser: Browser;
  readonly client: SallyportClient;
  /** A person at the console, until the test ends. */
  visit(
    path?: string,
    options?: Parameters<typeof Visitor.open>[1]["options"] & { readonly token?: string },
  ): Promise<Visitor>;
  read(file: string): Promise<string>;
  write(file: string, content: string): Promise<void>;
}

/** One for all tests of a file. */
export function consoleWorld(...wanted: Parameters<typeof openTestApp>): ConsoleWorld {
  const made: { app?: TestApp; browser?: Browser } = {};
  const there = <Value>(value: Value | undefined): Value => {
    if (value === undefined) throw new Error("only inside a test");
    return value;
  };
  beforeAll(async () => {
    made.app = await openTestApp(...wanted);
    made.browser = await launchBrowser();
  });
  afterAll(async () => {
    await made.browser?.close();
    await made.app?.[Symbol.asyncDispose]();
  });
  return {
    get app() {
      return there(made.app);
    },
    get browser() {
      return there(made.browser);
    },
    get client() {
      return there(made.app).client;
    },
    visit: async (path = "/", { token = TEST_TOKEN, ...options } = {}) => {
      const visitor = await Visitor.open(there(made.browser), {
        url: there(made.app).serving.url,
        token,
        path,
        options,
      });
      // A page that stays open goes on drawing what it shows.
      onTestFinished(() => visitor.close());
      return visitor;
    },
    read: (file) => readFile(join(there(made.app).place.workspace, file), "utf8"),
    write: (file, content) => writeFile(join(there(made.app).place.workspace, file), content),
  };
}

/** A session with a script, which asks for what the profile asks. */
export async function begin(
  world: ConsoleWorld,
  steps: readonly object[],
  settings: CreateSession = {},
): Promise<string> {
  return (await world.client.createSession({ ...settings, prompt: { text: script(...steps) } })).id;
}

/** The address of the first question of a session, once it is asked. */
export async function asked(world: ConsoleWorld, id: string): Promise<string> {
  for await (const frame of world.client.watch(id)) {
    if (frame.type === "approval.requested") return `/approvals?id=${frame.approval.id}`;
    if (frame.type === "turn.completed" || frame.type === "turn.failed") break;
  }
  throw new Error("nothing was asked");
}

/** An open question: about a tool, of the agent, about money, or about a host. */
export const question = (page: Page): Locator =>
  page.getByRole("article", {
    name: /^(Tool Approval Required|The agent has a question|Budget reached|A program wants to reach a host)$/,
  });
export const conversation = (page: Page): Locator => page.getByRole("log", { name: "Conversation" });
