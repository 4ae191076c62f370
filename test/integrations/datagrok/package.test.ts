import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { WebSocket } from "ws";
import { describeInBrowser, launchBrowser } from "../../support/browser.ts";
import { openPlatform, type Platform } from "./platform.ts";

/** What a test reaches in the page. */
interface World {
  readonly standIn: {
    readonly shell: { readonly told: string[]; addTableView(table: object): { getRibbonPanels(): readonly unknown[] } };
    readonly containers: {
      list: { id: string; name: string; status: string }[];
      readonly asked: string[];
      trouble: string | undefined;
      readonly sockets: WebSocket[];
    };
    readonly connections: { readonly all: readonly { readonly ran: readonly { readonly sql: string }[] }[] };
    readonly hints: string[];
    readonly dialogs: string[];
    readonly usage: unknown[];
    readonly person: { agrees: boolean };
  };
  readonly grok: {
    readonly ai: { readonly config: { configured: boolean } };
    readonly data: { testData(name: string, rows: number): object };
    readonly shell: { readonly tv: { readonly viewers: readonly { getOptions(): { readonly look: object } }[] } };
  };
  readonly sallyport: {
    setupClaudeRuntime(): Promise<void>;
    claudeResponseStream(): { subscribe(next: (answer: { readonly content: string }) => void): unknown };
  };
  readonly sallyport_test: {
    readonly tests: Readonly<Record<string, { readonly tests: readonly { readonly name: string }[] }>>;
    test(category?: string, name?: string): Promise<readonly { readonly name: string; readonly result: string }[]>;
    readonly BrowserToolExecutor: new (
      view: object | null,
      connectionId: string | null,
    ) => { execute(call: object): Promise<string> };
  };
}

describeInBrowser("the Datagrok package on the stand-in of the platform", () => {
  let platform: Platform;
  let browser: Browser;
  beforeAll(async () => {
    [platform, browser] = await Promise.all([openPlatform(), launchBrowser()]);
  });
  afterAll(async () => {
    await browser?.close();
    await platform?.[Symbol.asyncDispose]();
  });

  async function visit(): Promise<Page> {
    const page = await browser.newPage();
    const troubles: string[] = [];
    page.on("pageerror", (error) => troubles.push(error.message));
    await page.goto(platform.url);
    expect(troubles).toEqual([]);
    return page;
  }

  async function leave(page: Page): Promise<void> {
    platform.joining = "joins";
    await page.close();
  }

  it("its own tests pass", async () => {
    const page = await visit();
    const [registered, results] = await page.evaluate(async () => {
      const { sallyport_test } = globalThis as unknown as World;
      const names = Object.values(sallyport_test.tests).flatMap(({ tests }) => tests.map(({ name }) => name));
      const ran = await sallyport_test.test();
      return [names, ran.map(({ name, result }) => `${name}: ${result}`)] as const;
    });
    expect(results).toEqual(registered.map((name) => `${name}: OK`));
    expect(results.length).toBeGreaterThan(20);
    await leave(page);
  });

  const CONNECT = "connect";
  /** Runs the package's own test of the connection and says how it went. */
  function connect(page: Page): Promise<string> {
    return page.evaluate(async (name) => {
      const [result] = await (globalThis as unknown as World).sallyport_test.test("Claude runtime: client", name);
      return result?.result ?? "not run";
    }, CONNECT);
  }

  it("asks for the container's socket as documented", async () => {
    const page = await visit();
    expect(await connect(page)).toBe("OK");
    expect(await page.evaluate(() => (globalThis as unknown as World).standIn.containers.asked)).toEqual([
      "socket c-1 /ws 120000",
    ]);
    await leave(page);
  });

  const states = [
    [
      "missing",
      [],
      'Claude runtime container not available: the platform has no container "claude-runtime". Publish the package with its dockerfiles.',
    ],
    ["named after the package", [{ id: "c-2", name: "sallyport-claude-runtime", status: "started" }], "OK"],
    ["stopped", [{ id: "c-1", name: "claude-runtime", status: "stopped" }], "OK"],
    [
      "broken",
      [{ id: "c-1", name: "claude-runtime", status: "error" }],
      "Claude runtime container not available: it has failed. Look into its log under Browse | Platform | Dockers.",
    ],
  ] as const;
  it.each(states)("a container that is %s", async (_, list, result) => {
    const page = await visit();
    await page.evaluate((containers) => {
      (globalThis as unknown as World).standIn.containers.list = containers.map((container) => ({ ...container }));
    }, list);
    expect(await connect(page)).toBe(result);
    await leave(page);
  });

  it("a container that cannot be started", async () => {
    const page = await visit();
    await page.evaluate(() => {
      const { containers } = (globalThis as unknown as World).standIn;
      containers.list = [{ id: "c-1", name: "claude-runtime", status: "stopped" }];
      containers.trouble = "no memory is left";
    });
    expect(await connect(page)).toBe(
      "Claude runtime container not available: it is stopped and could not be started: no memory is left",
    );
    expect(await page.evaluate(() => (globalThis as unknown as World).standIn.containers.asked)).toEqual([
      "run c-1 true",
    ]);
    await leave(page);
  });

  it("a platform that closes the connection", async () => {
    platform.joining = "refuses";
    const page = await visit();
    expect(await connect(page)).toBe(
      "Claude runtime container not available: Could not open WebSocket connection: Container is not running. Its log is under Browse | Platform | Dockers.",
    );
    await leave(page);
  });

  it("no CONNECTED within 120 s: the socket is closed with 4001, and the panel says so", async () => {
    platform.joining = "waits";
    const page = await browser.newPage();
    await page.clock.install();
    await page.goto(platform.url);
    await openPanel(page);
    await page.getByLabel("Ask Claude about your data…").fill("hello");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => (globalThis as unknown as World).standIn.containers.sockets.length === 1);
    await page.clock.fastForward(120_000);
    await page.getByRole("alert").waitFor();
    expect(await page.getByRole("alert").textContent()).toBe(
      "Claude runtime container not available: Timeout waiting for Docker container. Its log is under Browse | Platform | Dockers.",
    );
    await expect.poll(() => platform.closedWith.at(-1)).toBe(4001);
    await leave(page);
  });

  /** A table view with its panel shown. */
  async function openPanel(page: Page): Promise<void> {
    await page.evaluate(async () => {
      const { sallyport, standIn, grok } = globalThis as unknown as World;
      await sallyport.setupClaudeRuntime();
      standIn.shell.addTableView(grok.data.testData("demog", 50));
    });
    await page.keyboard.press("Control+i");
    await page.getByText("Chat").waitFor();
  }

  it("nothing is set up where the platform's AI is not configured", async () => {
    const page = await visit();
    const ribbons = await page.evaluate(async () => {
      const { sallyport, standIn, grok } = globalThis as unknown as World;
      const open = (): number => standIn.shell.addTableView(grok.data.testData("demog", 5)).getRibbonPanels().length;
      grok.ai.config.configured = false;
      await sallyport.setupClaudeRuntime();
      const without = open();
      grok.ai.config.configured = true;
      await sallyport.setupClaudeRuntime();
      return [without, open()];
    });
    expect(ribbons).toEqual([0, 1]);
    await leave(page);
  });

  const script = (...steps: readonly object[]): string => `sim: ${JSON.stringify(steps)}`;

  it("a person asks for a histogram and gets it; then the connection is lost, and found again", async () => {
    const page = await visit();
    await openPanel(page);
    const answers = page.evaluate(
      () =>
        new Promise<string>((tell) => {
          (globalThis as unknown as World).sallyport.claudeResponseStream().subscribe(({ content }) => tell(content));
        }),
    );
    const input = page.getByLabel("Ask Claude about your data…");
    const add = {
      tool: "mcp__datagrok__add_viewer",
      input: { viewerType: "Histogram", viewerProperties: { valueColumnName: "AGE" } },
    };
    await input.fill(script(add, { say: "The histogram of **AGE** is there." }));
    await page.keyboard.press("Enter");
    await page.getByLabel("Good answer").click();
    await expect.poll(() => page.locator(".d4-ai-assistant-response-container").count()).toBe(1);
    await expect.poll(() => page.locator(".d4-ai-assistant-response-container strong").textContent()).toBe("AGE");
    await expect.poll(() => page.locator(".sallyport-steps summary").textContent()).toBe("Adding Histogram viewer…");
    expect(await answers).toBe("The histogram of **AGE** is there.");

    // A turn that waits is told of the loss; the next prompt connects anew and the conversation goes on.
    await input.fill(script({ delay_ms: 60_000 }, { say: "never" }));
    await page.keyboard.press("Enter");
    await page.getByLabel("Stop AI Generation").waitFor();
    await page.waitForFunction(() => (globalThis as unknown as World).standIn.containers.sockets.length === 1);
    platform.cut();
    await page.getByRole("alert").waitFor();
    await expect.poll(() => page.getByRole("alert").textContent()).toBe("Connection to Claude runtime lost");
    await page.getByLabel("New chat").click();
    await expect.poll(() => page.locator(".sallyport-output").textContent()).toBe("");
    await input.fill(script({ say: "Here again." }));
    await page.keyboard.press("Enter");
    await page.getByText("Here again.").last().waitFor();
    expect(await page.evaluate(() => (globalThis as unknown as World).standIn.shell.told)).toEqual([
      "info: Thanks for your feedback!",
      "error: Connection to Claude runtime lost",
    ]);
    await leave(page);
  });

  it("a call that somebody else must approve: the panel says that it waits, and how it ended", async () => {
    const page = await visit();
    await openPanel(page);
    const point = {
      tool: "mcp__datagrok__highlight_element",
      input: { elementId: "Edit top menu", description: "here" },
    };
    await page.getByLabel("Ask Claude about your data…").fill(script(point, { say: "It is up there." }));
    await page.keyboard.press("Enter");
    await page.getByText("Waiting for approval of highlight_element…").first().waitFor();
    const { admin } = platform;
    const [question] = (await admin.approvals({ status: "pending" })).approvals;
    if (question === undefined) throw new Error("nobody was asked");
    await admin.decide(question.id, { decision: "approve", input_hash: question.input_hash });
    await page.getByText("It is up there.").first().waitFor();
    await expect
      .poll(() => page.locator(".sallyport-steps li").allTextContents())
      .toEqual(["Highlighting: Edit top menu…", "Approval: approved"]);
    await leave(page);
  });

  it("plain words: a histogram, and the tables of a schema", async () => {
    const page = await visit();
    await page.evaluate(async () => {
      const { sallyport, standIn, grok } = globalThis as unknown as World;
      await sallyport.setupClaudeRuntime();
      const table = grok.data.testData("demog", 50) as { setTag(tag: string, value: string): unknown };
      // As a table has it that came from a query.
      table.setTag(".data-connection-id", "db-1");
      standIn.shell.addTableView(table);
    });
    await page.keyboard.press("Control+i");
    const input = page.getByLabel("Ask Claude about your data…");
    await input.fill("add a histogram for the AGE column");
    await page.keyboard.press("Enter");
    await page.getByLabel("Good answer").waitFor();
    expect(await page.locator(".sallyport-steps li").allTextContents()).toEqual([
      "Getting available properties for Histogram viewer…",
      "Adding Histogram viewer…",
    ]);
    expect(
      await page.evaluate(() => (globalThis as unknown as World).grok.shell.tv.viewers.at(-1)?.getOptions().look),
    ).toEqual({
      valueColumnName: "AGE",
    });
    await input.fill("show me tables in the public schema");
    await page.keyboard.press("Enter");
    await page.getByLabel("Good answer").nth(1).waitFor();
    expect(await page.locator(".d4-ai-assistant-response-container").last().textContent()).toContain("orders");
    await leave(page);
  });

  it("less motion: the answer comes when it is whole", async () => {
    const page = await visit();
    await page.emulateMedia({ reducedMotion: "reduce" });
    await openPanel(page);
    await page.evaluate(() => {
      const texts: string[] = [];
      Object.assign(globalThis, { texts });
      new MutationObserver(() => {
        const text = document.querySelector(".d4-ai-assistant-response-container")?.textContent;
        if (text !== undefined && text !== null) texts.push(text);
      }).observe(document.body, { childList: true, subtree: true });
    });
    await page
      .getByLabel("Ask Claude about your data…")
      .fill(script({ say: "First." }, { stream: { tokens: 100, per_second: 1_000 } }, { say: "Last." }));
    await page.keyboard.press("Enter");
    await page.getByText("Claude is at work…").waitFor();
    await page.getByLabel("Good answer").waitFor();
    const texts = await page.evaluate(() => (globalThis as unknown as { readonly texts: string[] }).texts);
    expect(texts.every((text) => text.startsWith("First.") && text.includes("Last."))).toBe(true);
    expect(await page.getByText("Claude is at work…").isVisible()).toBe(false);
    await leave(page);
  });

  it("the tools for SQL, over a connection of the platform", async () => {
    const page = await visit();
    const ask = (tool: string, args: object): Promise<string> =>
      page.evaluate(
        ([name, given]) => {
          const { sallyport_test } = globalThis as unknown as World;
          const executor = new sallyport_test.BrowserToolExecutor(null, "db-1");
          return executor.execute({ callId: "1", tool: name, args: given });
        },
        [tool, args] as const,
      );
    expect(await ask("list_catalogs", {})).toBe("northwind");
    expect(await ask("list_all_schemas", { catalogName: "northwind" })).toBe("public");
    expect(await ask("list_tables_in_schema", { schemaName: "public", catalogName: "northwind" })).toBe(
      "Tables in public:\n\norders\n  Columns: 2, Rows: 1200",
    );
    expect(await ask("describe_tables", { tables: ["public.orders"] })).toBe(
      "TABLE: orders (1200 rows)\nComment: All orders\nColumns:\n  id (int) [UNIQUE] Range: 1 to 1200\n  state (string) - where it stands Values: open, paid Unique Values Count: 2",
    );
    expect(await ask("list_joins", { tables: ["public.orders"] })).toBe(
      "Foreign key relationships involving public.orders:\n\npublic.orders(customer) -> public.customers(id) [many-to-one] [LEGACY - prefer other paths if available] - who ordered",
    );
    expect(await ask("find_similar_queries", { prompt: "orders" })).toBe(
      "Found 1 similar queries:\n\n**Orders**\nDescription: Orders of a day\n```sql\nselect * from orders\n```\n\n",
    );
    expect(await ask("find_similar_script_samples", { description: "fit" })).toBe(
      "Found 1 similar script samples:\n\n**Name**: Fit\n**Description**: Fits a curve\n**Code**:\nfit()\n\n---\n\n",
    );
    expect(await ask("try_sql", { sql: "select * from orders;", description: "" })).toBe(
      "Query executed successfully!\nRow count: 2\nColumns (2): id (int), name (string)\nSample rows (first 2):\n1. id='7', name=NULL\n2. id='8', name='b'",
    );
    expect(await ask("try_sql", { sql: "select * from nothing", description: "" })).toBe(
      'SQL Error: relation "nothing" does not exist\n\nThis query failed to execute. Please revise the SQL based on the schema information.',
    );
    const settings = "/* x */\n-- input: string a = 1\n-- connection: Other\n-- name: other\nselect 1 -- input: b";
    expect(await ask("try_sql", { sql: settings, description: "" })).toMatch(/^Query executed successfully!\n/);
    const write = { sql: "delete from orders", description: "" };
    expect(await ask("try_sql", write)).toBe(
      "SQL Execution Not allowed by User: Destructive commands are not allowed. Please revise the query.",
    );
    await page.evaluate(() => ((globalThis as unknown as World).standIn.person.agrees = true));
    expect(await ask("try_sql", write)).toMatch(/^Query executed successfully!\n/);
    const [dialogs, ran] = await page.evaluate(() => {
      const { dialogs, connections } = (globalThis as unknown as World).standIn;
      return [dialogs, connections.all.flatMap((connection) => connection.ran.map(({ sql }) => sql))] as const;
    });
    const question =
      "Confirm SQL Execution | Claude wants to run SQL that may change the database. Run it? | delete from orders";
    expect(dialogs).toEqual([question, question]);
    const name = "--name: sallyport-test-query\n";
    expect(ran).toEqual([
      `${name}select * from orders LIMIT 11`,
      `${name}select * from nothing LIMIT 11`,
      `${name}select 1 LIMIT 11`,
      `${name}delete from orders`,
    ]);
    await leave(page);
  });

  it("elements of the page are pointed at for 15 s", async () => {
    const page = await visit();
    const ask = (tool: string, args: object): Promise<string> =>
      page.evaluate(
        ([name, given]) => {
          const { sallyport_test, standIn, grok } = globalThis as unknown as World;
          const view = standIn.shell.addTableView(grok.data.testData("demog", 5));
          return new sallyport_test.BrowserToolExecutor(view, null).execute({ callId: "1", tool: name, args: given });
        },
        [tool, args] as const,
      );
    expect(await ask("list_ui_elements", {})).toBe(
      [
        "Available UI elements:\n\n",
        "- **Toggle filters button**: Shows or hides the filters of the table\n",
        "- **Add viewer button**: Opens the list of all viewers, to add one\n",
        '- **Edit top menu**: Top menu item: "Edit" containing relevant functions \n',
      ].join(""),
    );
    const point = (elementId: string): Promise<string> => ask("highlight_element", { elementId, description: "here" });
    expect(await point("toggle FILTERS button")).toBe("Element highlighted");
    expect(await point("Add viewer button")).toBe(
      "Element with ID Add viewer button not found or cannot be highlighted.",
    );
    expect(await point("Chem top menu")).toBe("Element with ID Chem top menu not found in the current UI.");
    expect(await page.evaluate(() => (globalThis as unknown as World).standIn.hints)).toEqual([
      "grok-icon grok-icon-filter true 15000",
    ]);
    await leave(page);
  });

  it("through the relay there is /health and /ws, and nothing else of the server", async () => {
    const status = async (path: string): Promise<number> => (await fetch(platform.containerUrl + path)).status;
    expect([await status("/health"), await status("/api/sessions"), await status("/")]).toEqual([200, 404, 404]);
    const refusal = (path: string, options: object): Promise<number | undefined> =>
      new Promise((tell) => {
        const socket = new WebSocket(platform.containerUrl.replace("http", "ws") + path, options);
        socket.on("unexpected-response", (_, { statusCode }) => tell(statusCode));
        socket.on("error", () => undefined);
      });
    // A page of somebody else, in a browser on the machine that the container runs on, has no platform before it.
    const stranger = { origin: "https://elsewhere.example.org" };
    expect([await refusal("/api/ws", {}), await refusal("/ws", stranger)]).toEqual([404, 403]);
  });

  it("the container is stopped: the panel says so", async () => {
    const page = await visit();
    await openPanel(page);
    await platform.stopContainer();
    await page.getByLabel("Ask Claude about your data…").fill("hello");
    await page.keyboard.press("Enter");
    await page.getByRole("alert").waitFor();
    expect(await page.getByRole("alert").textContent()).toBe(
      "Claude runtime container not available: Could not open WebSocket connection: Container is not reachable. Its log is under Browse | Platform | Dockers.",
    );
    await leave(page);
  });
});
