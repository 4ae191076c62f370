import { ChangeListeners } from "../data/listeners.ts";
import { Failure, type ConnectionView } from "../../../client/index.ts";
import type { SimilarQuery } from "../../../contexts/hosts.ts";
import {
  PAGE_DATABASE,
  pageDatabase,
  serverDatabase,
  type ToolDatabase,
  type ToolPageSql,
  type ToolSqlClient,
} from "./database.ts";

/** A database that the agent's SQL tools can work on. */
export interface DatabaseChoice {
  readonly id: string;
  readonly name: string;
  readonly kind: "page" | ConnectionView["kind"];
}

interface DatabasesOptions {
  readonly client: ToolSqlClient;
  /** The SQL engine of the page, loaded when it is first needed. */
  readonly pageSql: () => Promise<ToolPageSql>;
  readonly hasTables: () => boolean;
  readonly similar: (connectionId: string, prompt: string) => readonly SimilarQuery[];
}

const PAGE: DatabaseChoice = { id: PAGE_DATABASE.id, name: "Open tables", kind: "page" };

/** The databases of the workbench and the one that the person has chosen for the agent. */
export class Databases {
  readonly #options: DatabasesOptions;
  readonly #listeners = new ChangeListeners();
  readonly #opened = new Map<string, Promise<ToolDatabase>>();
  #connections: readonly ConnectionView[] = [];
  #choices: readonly DatabaseChoice[] = [PAGE];
  /** Absent: the first connection of the server, or the page's tables where there is none. */
  #chosen: string | undefined;

  constructor(options: DatabasesOptions) {
    this.#options = options;
  }

  get choices(): readonly DatabaseChoice[] {
    return this.#choices;
  }

  get chosen(): DatabaseChoice {
    const wanted = this.#choices.find(({ id }) => id === this.#chosen);
    return wanted ?? this.#choices.find(({ kind }) => kind !== "page") ?? PAGE;
  }

  /** Whether there is anything for SQL tools to work on. */
  get isUsable(): boolean {
    return this.chosen.kind !== "page" || this.#options.hasTables();
  }

  choose(id: string): void {
    this.#chosen = id;
    this.#listeners.tell();
  }

  /** Asks the server which there are. Who may not know has none. */
  async refresh(): Promise<void> {
    try {
      this.#connections = (await this.#options.client.connections()).connections;
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== "forbidden") throw error;
      this.#connections = [];
    }
    this.#choices = [PAGE, ...this.#connections.map(({ id, name, kind }) => ({ id, name, kind }))];
    this.#opened.clear();
    this.#listeners.tell();
  }

  /** The chosen one. Throws where there is none to work on. */
  async open(): Promise<{ readonly id: string; readonly database: ToolDatabase }> {
    const { id, kind } = this.chosen;
    if (!this.isUsable) throw new Error("No database connection available for SQL tools");
    const open =
      this.#opened.get(id) ??
      (kind === "page" ? this.#openPage() : this.#openConnection(id)).catch((error: unknown) => {
        this.#opened.delete(id);
        throw error;
      });
    this.#opened.set(id, open);
    return { id, database: await open };
  }

  readonly subscribe = this.#listeners.add;

  async #openPage(): Promise<ToolDatabase> {
    return pageDatabase(await this.#options.pageSql(), this.#options.similar);
  }

  async #openConnection(id: string): Promise<ToolDatabase> {
    const view = this.#connections.find((connection) => connection.id === id);
    if (view === undefined) throw new Error(`Connection with ID ${id} not found`);
    return serverDatabase(this.#options.client, view, this.#options.similar);
  }
}
