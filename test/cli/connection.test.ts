import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { describe, expect, test } from "vitest";
import { parseConnections } from "../../src/cli/wiring/connections.ts";
import { Place } from "./place.ts";

function makeDatabase(place: Place): string {
  const path = join(place.folder, "sales.db");
  const database = new DatabaseSync(path);
  database.exec(
    "CREATE TABLE orders (id INTEGER PRIMARY KEY, who TEXT); INSERT INTO orders VALUES (1, 'anna'), (2, NULL)",
  );
  database.close();
  return path;
}

const WORDS = [
  ["connection"],
  ["connection", "list"],
  ["connection", "add"],
  ["connection", "remove"],
  ["connection", "test"],
  ["connection", "query"],
];
test.each(WORDS.map((words) => [words.join(" "), words] as const))(
  "%s --help explains itself with an example",
  async (_name, words) => {
    await using place = new Place();
    const { code, stdout, stderr } = await place.run([...words, "--help"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/Examples?:\n {2}\$ sallyport connection /);
  },
);

test("a connection is added, listed, tested, asked and removed", async () => {
  await using place = new Place();
  const path = makeDatabase(place);
  await place.serve();
  const run = async (...words: string[]) => {
    const { code, stdout } = await place.run(["connection", ...words]);
    return { code, stdout };
  };
  expect(
    await run("add", "sales", "--sqlite", "sales.db", "--name", "Sales", "--role", "operator", "--role", "admin"),
  ).toEqual({
    code: 0,
    stdout: "sales is set\n",
  });
  expect((await run("list")).stdout).toBe("CONNECTION  KIND    CATALOG  NAME\nsales       sqlite  main     Sales\n");
  expect(JSON.parse((await run("list", "--json")).stdout)).toEqual({
    connections: [{ id: "sales", name: "Sales", kind: "sqlite", default_catalog: "main" }],
  });
  expect((await run("test", "--json")).code).toBe(0);
  expect(await run("query", "sales", "SELECT * FROM orders ORDER BY id")).toEqual({
    code: 0,
    stdout: "id  who\n1   anna\n2\n",
  });
  expect(JSON.parse((await run("query", "sales", "SELECT 1 AS a", "--json")).stdout)).toMatchObject({ rows: [[1]] });
  expect(await place.run(["connection", "query", "sales", "DELETE FROM orders"])).toMatchObject({
    code: 2,
    stderr: "error: only reading is allowed here: it would do more than read: DELETE on orders\n",
  });
  await run("add", "sales", "--sqlite", `${path}.gone`);
  expect(await run("test", "sales")).toMatchObject({
    code: 1,
    stdout: expect.stringContaining("the file does not exist") as unknown,
  });
  expect(await run("remove", "sales")).toEqual({ code: 0, stdout: "sales is gone\n" });
  expect((await run("query", "sales", "SELECT 1")).code).not.toBe(0);
});

test.each([
  [[], "say one of --sqlite <file> and --postgres <url>"],
  [["--sqlite", "a", "--postgres", "b"], "say one of --sqlite <file> and --postgres <url>"],
  [["--postgres", "postgres://u:hunter22@h/d"], "must hold no password"],
  [
    ["--postgres", "postgres://u@h/d", "--credential-env", "HOME"],
    "must be PGPASSWORD or begin with SALLYPORT_CONNECTION_",
  ],
  [["--postgres", "postgres://u@h/d", "--db-role-of", "x"], "--db-role-of must be <token id>=<database role>"],
  [["--sqlite", "a", "--db-role", "x"], "db_role"],
  [["--sqlite", "a", "--role", "root"], "It must be one of"],
])("add %j is refused before a server is asked", async (words, message) => {
  await using place = new Place();
  const { code, stderr } = await place.run(["connection", "add", "x", ...words]);
  expect(code).not.toBe(0);
  expect(stderr).toContain(message);
  expect(stderr).not.toContain("hunter22");
});

describe("--connection", () => {
  const around = {
    cwd: "/srv",
    environment: { CRM: "postgres://reader:p%40ss-word@db.example.org/crm", FILE: "sqlite:/data/x.db", EMPTY: "" },
  };
  test("names files, addresses and variables", () => {
    expect(parseConnections(["a=sqlite:x.db", "b=postgres://u@h/d", "c=env:CRM", "d=env:FILE"], around)).toEqual([
      { id: "a", config: { kind: "sqlite", path: "/srv/x.db" } },
      { id: "b", config: { kind: "postgres", url: "postgres://u@h/d" } },
      { id: "c", config: { kind: "postgres", url: "postgres://reader@db.example.org/crm" }, password: "p@ss-word" },
      { id: "d", config: { kind: "sqlite", path: "/data/x.db" } },
    ]);
  });
  test.each([
    ["nothing", "--connection must be name=sqlite:/path/to.db"],
    ["=sqlite:x", "--connection must be"],
    ["a b=sqlite:x", "--connection must be"],
    ["a=mysql://u:hunter22@h/d", "--connection a must be one of"],
    ["a=postgres://u:hunter22@h/d", "holds a password: put the address into a variable, and say a=env:VARIABLE"],
    ["a=env:NONE", "the environment has no variable of that name"],
    ["a=env:EMPTY", "the environment has no variable of that name"],
    ["a=postgres://h/d", "url must name a user"],
  ])("%s is refused", (text, message) => {
    const refused = (): unknown => parseConnections([text], around);
    expect(refused).toThrow(message);
    expect(refused).not.toThrow("hunter22");
  });
  test("names none twice", () => {
    expect(() => parseConnections(["a=sqlite:x", "a=sqlite:y"], around)).toThrow("names a twice");
  });
});
