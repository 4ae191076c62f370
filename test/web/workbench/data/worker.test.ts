import { createServer } from "node:http";
import type { Server } from "node:http";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { extname, join, resolve } from "node:path";
import type { Browser, Page } from "playwright-core";
import { build } from "vite";
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeInBrowser, launchBrowser, Visitor } from "../../../support/browser.ts";
import { writeParquet } from "./parquet-writer.ts";

const source = resolve(import.meta.dirname, "../../../../src/web/workbench/data/read/index.ts");
const types: Readonly<Record<string, string>> = { ".html": "text/html", ".js": "text/javascript", ".csv": "text/csv" };
/** As strict as that of the workbench: no eval, nothing of other hosts. */
const policy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'";

interface World {
  readonly folder: string;
  readonly server: Server;
  readonly url: string;
  readonly browser: Browser;
  readonly visitor: Visitor;
  readonly page: Page;
}

async function openWorld(): Promise<World> {
  const folder = await mkdtemp(join(tmpdir(), "read-"));
  await writeFile(
    join(folder, "index.html"),
    '<!doctype html><title>t</title><script type="module" src="./main.js"></script>',
  );
  await writeFile(join(folder, "main.js"), `import * as read from ${JSON.stringify(source)}; globalThis.read = read;`);
  await build({
    root: folder,
    configFile: false,
    logLevel: "silent",
    worker: { format: "es" },
    build: { outDir: "out", assetsInlineLimit: 0 },
  });
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? "/", "http://x").pathname;
    if (path === "/data/a.csv") {
      response.writeHead(200, { "content-type": "text/csv" }).end("a,b\n1,x\n2,y\n");
      return;
    }
    readFile(join(folder, "out", path === "/" ? "index.html" : path)).then(
      (body) =>
        response
          .writeHead(200, { "content-type": types[extname(path) || ".html"], "content-security-policy": policy })
          .end(body),
      () => response.writeHead(404).end(),
    );
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const browser = await launchBrowser();
  const visitor = await Visitor.arrive(browser);
  const page = await visitor.newPage();
  await page.goto(url);
  await page.waitForFunction(() => "read" in globalThis);
  return { folder, server, url, browser, visitor, page };
}

/** What the page has of the module. */
interface Reading {
  readonly read: {
    readonly readTable: (
      source: unknown,
      options?: object,
    ) => Promise<{
      readonly name: string;
      readonly rowCount: number;
      readonly columns: readonly { readonly name: string; readonly type: string }[];
    }>;
    readonly readUrl: (url: string) => ReturnType<Reading["read"]["readTable"]>;
  };
}

describeInBrowser("reading in a worker", () => {
  let world: World;
  beforeAll(async () => {
    world = await openWorld();
  });
  afterAll(async () => {
    await world.browser.close();
    world.server.close();
    await rm(world.folder, { recursive: true });
  });

  test("a file, with progress", async () => {
    const got = await world.page.evaluate(async () => {
      const { read } = globalThis as unknown as Reading;
      const shares: number[] = [];
      const file = new File(["a,b\n1,é\n2,y\n"], "my data.csv");
      const table = await read.readTable(file, { progress: (share: number) => shares.push(share) });
      return { name: table.name, rows: table.rowCount, columns: table.columns, shares };
    });
    expect(got).toEqual({
      name: "my data",
      rows: 2,
      columns: [
        { name: "a", type: "int", numbers: expect.anything() },
        { name: "b", type: "string", codes: expect.anything(), categories: ["é", "y"] },
      ],
      shares: [0.475, 0.95, 1],
    });
  });

  test("packed Parquet", async () => {
    const bytes = [
      ...new Uint8Array(writeParquet([{ name: "n", type: "INT64", values: [1n, 2n] }], { groupRows: 2, gzip: true })),
    ];
    const got = await world.page.evaluate(async (given) => {
      const { read } = globalThis as unknown as Reading;
      const table = await read.readTable({ name: "x.parquet", bytes: new Uint8Array(given).buffer });
      return table.columns.map(({ name, type }) => `${name} ${type} ${table.rowCount}`);
    }, bytes);
    expect(got).toEqual(["n int 2"]);
    expect(world.visitor.troubles).toEqual([]);
  });

  test("by address, of this origin only", async () => {
    const got = await world.page.evaluate(async () => {
      const { read } = globalThis as unknown as Reading;
      const table = await read.readUrl("/data/a.csv");
      const refused = await read.readUrl("https://other.example/a.csv").catch((error: { code: string }) => error.code);
      const absent = await read.readUrl("/data/b.csv").catch((error: { code: string }) => error.code);
      return [table.name, table.rowCount, refused, absent];
    });
    expect(got).toEqual(["a", 2, "not_allowed", "not_found"]);
  });

  test("aborted at once, in its turn or before it; the next is read", async () => {
    const got = await world.page.evaluate(async () => {
      const { read } = globalThis as unknown as Reading;
      const large = new File([`a,b\n${"1,2\n".repeat(2_000_000)}`], "large.csv");
      const stop = new AbortController();
      const words = (error: Error): string => error.message;
      const first = read.readTable(large, { signal: stop.signal, progress: () => stop.abort(new Error("enough")) });
      const second = read.readTable(large, { signal: stop.signal });
      const third = read.readTable(new File(["a\n1"], "small.csv"));
      const wrong = read.readTable(new File([""], "empty.csv"));
      return Promise.all([
        first.then(() => "read", words),
        second.then(() => "read", words),
        third.then(({ name }) => name),
        wrong.then(() => "read", words),
      ]);
    });
    expect(got).toEqual(["enough", "enough", "small", "The file is empty: choose another."]);
  });
});
