import type * as DG from "datagrok-api/dg";
import type * as grokApi from "datagrok-api/grok";
import { Column, DataFrame } from "./data.ts";

type Container = Pick<DG.DockerContainer, "id" | "name" | "status">;
type Containers = DG.DockerContainersDataSource;

/** The platform's containers, over the stand-in's own server: the words and codes are those of the real API. */
export class DockerContainers implements Pick<Containers, "run" | "webSocketProxy"> {
  /** What the platform has; a test changes it. */
  list: { -readonly [Key in keyof Container]: Container[Key] }[] = [
    { id: "c-1", name: "claude-runtime", status: "started" },
  ];
  /** What was asked of it. */
  readonly asked: string[] = [];
  /** Set: a container cannot be started, for this reason. */
  trouble: string | undefined;
  readonly sockets: WebSocket[] = [];

  filter(condition: string): { list(options?: Parameters<Containers["list"]>[0]): Promise<Container[]> } {
    const name = /^name = "(.+)"$/.exec(condition)?.[1];
    return {
      list: async () =>
        this.list
          .filter((container) => container.name === name)
          .map(({ id, name: named, status }) => ({ id, name: named, status })),
    };
  }

  async run(id: string, awaitStart?: boolean): Promise<void> {
    this.asked.push(`run ${id} ${awaitStart}`);
    if (this.trouble !== undefined) throw new Error(this.trouble);
    for (const container of this.list) if (container.id === id) container.status = "started";
  }

  webSocketProxy(id: string, path: string, timeout = 60_000): Promise<WebSocket> {
    this.asked.push(`socket ${id} ${path} ${timeout}`);
    const socket = new WebSocket(`ws://${location.host}/docker/containers/proxy-ws/${id}${path}`);
    this.sockets.push(socket);
    return new Promise((resolve, reject) => {
      const gone = new AbortController();
      const { signal } = gone;
      const end = (act: () => void): void => {
        clearTimeout(timer);
        gone.abort();
        act();
      };
      const timer = setTimeout(
        () =>
          end(() => {
            socket.close(4001, "Timeout waiting for Docker container");
            reject(new Error("Timeout waiting for Docker container"));
          }),
        timeout,
      );
      const joined = (event: MessageEvent): void => {
        if (event.data === "CONNECTED") end(() => resolve(socket));
      };
      const closed = (event: CloseEvent): void =>
        end(() => reject(new Error(`Could not open WebSocket connection: ${event.reason}`)));
      socket.addEventListener("message", joined, { signal });
      socket.addEventListener("close", closed, { signal });
      socket.addEventListener("error", () => end(() => reject(new Error("WebSocket encountered an error"))), {
        signal,
      });
    });
  }
}

const tables: readonly Pick<DG.TableInfo, "name" | "friendlyName" | "tags">[] = [
  { name: "orders", friendlyName: "orders", tags: { comment: "All orders", rowCount: "1200" } },
];
const columns: readonly Pick<DG.ColumnInfo, "name" | "type" | "tags">[] = [
  { name: "id", type: "int", tags: { isUnique: true, min: 1, max: 1200 } },
  { name: "state", type: "string", tags: { llmComment: "where it stands", values: '["open","paid"]', uniqueCount: 2 } },
];
const relations: readonly Partial<Omit<DG.DbRelationInfo, "connection" | "dart">>[] = [
  {
    fromSchema: "public",
    fromTable: "orders",
    fromColumns: ["customer"],
    toSchema: "public",
    toTable: "customers",
    toColumns: ["id"],
    cardinality: "many-to-one",
    isPrimaryPath: false,
    comment: "who ordered",
  },
];

/** `grok.data.db.getInfo`. */
export function databaseInfos(): object[] {
  const schema = {
    name: "public",
    getTables: async () => tables.map((table) => Object.assign({}, table, { columns })),
  } satisfies Pick<DG.DbSchemaInfo, "name"> & { getTables(): Promise<object[]> };
  const info = {
    name: "northwind",
    getSchemas: async () => [schema],
    getRelations: async () => relations,
  } satisfies Pick<DG.DbInfo, "name"> & Record<"getSchemas" | "getRelations", () => Promise<object>>;
  return [info];
}

/** A call of a query that runs until it is told how it ends. */
export class FuncCall implements Pick<DG.FuncCall, "getOutputParamValue" | "cancel"> {
  readonly sql: string;
  cancelled = false;
  #table: DataFrame | undefined;

  constructor(sql: string) {
    this.sql = sql;
  }

  async call(...[, , options]: Parameters<DG.FuncCall["call"]>): Promise<this> {
    if (this.sql.includes("nothing")) throw new Error('relation "nothing" does not exist');
    if (options?.processed !== true) throw new Error("the result would be shown as a view");
    this.#table = new DataFrame([new Column("id", "int", [7, 8]), new Column("name", "string", ["", "b"])], 2);
    return this;
  }

  getOutputParamValue(): unknown {
    return this.#table;
  }

  async cancel(): Promise<void> {
    this.cancelled = true;
  }
}

export class DataConnection implements Pick<DG.DataConnection, "id" | "parameters"> {
  readonly id = "db-1";
  readonly parameters = { db: "northwind" };
  readonly ran: FuncCall[] = [];

  query(_name: string, sql: string): { prepare(parameters?: object): FuncCall } {
    return {
      prepare: () => {
        const call = new FuncCall(sql);
        this.ran.push(call);
        return call;
      },
    };
  }
}

export class Connections implements Pick<DG.DataConnectionsDataSource, never> {
  readonly all = [new DataConnection()];

  async find(id: string): Promise<DataConnection | null> {
    return this.all.find((connection) => connection.id === id) ?? null;
  }
}

export class DataQuery implements Pick<DG.DataQuery, "name" | "description" | "query"> {
  readonly name: string;
  readonly description = "Orders of a day";
  readonly query = "select * from orders";
  readonly connection: { readonly id: string };

  constructor(name: string, connectionId: string) {
    this.name = name;
    this.connection = { id: connectionId };
  }
}

export class Script implements Pick<DG.Script, "name" | "description" | "script" | "language"> {
  readonly name = "Fit";
  readonly description = "Fits a curve";
  readonly script = "fit()";
  readonly language = "python";
}

/** `grok.ai.searchEntities`. */
export async function searchEntities(
  ...[text, threshold, limit, types]: Parameters<typeof grokApi.ai.searchEntities>
): Promise<object[]> {
  if (threshold !== 0.3 || limit !== 10) throw new Error("another search was meant");
  if (text === "nothing") return [];
  if (types?.[0] === "Script") return [new Script()];
  return [new DataQuery("Orders", "db-1"), new DataQuery("Others", "db-2")];
}
