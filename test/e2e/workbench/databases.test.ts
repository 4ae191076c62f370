import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeInBrowser } from "../../support/browser.ts";
import { hasPostgres, startPostgres, type Cluster } from "../../support/postgres.ts";
import { consoleWorld } from "../console/world.ts";
import { answers, ask, openChat } from "./world.ts";

const TABLES = `
  CREATE TABLE customers (id integer PRIMARY KEY, name text NOT NULL);
  CREATE TABLE orders (id integer PRIMARY KEY, customer_id integer REFERENCES customers (id), amount numeric);
  INSERT INTO customers VALUES (1, 'Ada'), (2, 'Grace');
  INSERT INTO orders VALUES (1, 1, 10), (2, 1, 20), (3, 2, 12);
`;
const READER =
  "CREATE ROLE reader LOGIN; GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader; REVOKE CREATE ON SCHEMA public FROM PUBLIC; REVOKE TEMPORARY ON DATABASE shop FROM PUBLIC;";

describeInBrowser("the databases of the house in the workbench", () => {
  const world = consoleWorld();

  /** What an agent finds out, and that it cannot write. */
  async function explore(page: Page, database: string): Promise<void> {
    await openChat(page);
    await page.getByRole("combobox", { name: /^Database/ }).selectOption(database);
    await ask(page, "show me tables in the public schema");
    await answers(page).getByText("Tables in public:").waitFor();
    for (const table of ["customers", "orders"]) await answers(page).getByText(table).first().waitFor();
    await ask(
      page,
      "try sql: select name, sum(amount) as total from orders o join customers c on c.id = o.customer_id group by name order by name",
    );
    await answers(page).getByText("Row count: 2").waitFor();
    await answers(page).getByText("name='Ada'").waitFor();
    await ask(page, "try sql: with gone as (delete from orders returning *) select * from gone");
    await answers(page)
      .getByText("SQL was not executed: this connection only reads, and the statement would change data.")
      .or(answers(page).getByText("SQL Error:"))
      .first()
      .waitFor();
  }

  test("SQLite: an agent lists tables, asks, and cannot write", async () => {
    const path = join(world.app.place.workspace, "shop.sqlite");
    const database = new DatabaseSync(path);
    database.exec(TABLES);
    await world.client.putConnection("shop", { kind: "sqlite", path });
    const visitor = await world.visit("/workbench");
    await explore(visitor.page, "shop");
    expect(database.prepare("SELECT count(*) AS rows FROM orders").get()).toEqual({ rows: 3 });
    database.close();
    expect(visitor.troubles).toEqual([]);
  });

  const made: { cluster?: Cluster } = {};
  beforeAll(async () => {
    if (hasPostgres) made.cluster = await startPostgres();
  });
  afterAll(() => made.cluster?.[Symbol.asyncDispose]());

  test.skipIf(!hasPostgres)("PostgreSQL: the same", async () => {
    const { cluster } = made;
    if (cluster === undefined) throw new Error("no cluster");
    await cluster.admin("CREATE DATABASE shop");
    await cluster.admin(TABLES + READER, "shop");
    await world.client.putConnection("store", { kind: "postgres", url: cluster.url("reader", "shop") });
    const visitor = await world.visit("/workbench");
    await explore(visitor.page, "store");
    expect(await cluster.admin("SELECT count(*)::int AS rows FROM orders", "shop")).toEqual([{ rows: 3 }]);
    expect(visitor.troubles).toEqual([]);
  });
});
