import type * as DG from "datagrok-api/dg";
import {
  BrowserToolExecutor as ContextToolExecutor,
  ScriptGenerationContext,
  TableViewContext,
  type SQLGenerationContext,
} from "sallyport/contexts";
import { databaseContext } from "./database-host.ts";
import { scriptHost } from "./script-host.ts";
import { DatagrokTableView } from "./table-view-host.ts";

/** Document 000's 19 tools over one table view and one connection of the platform, with the rights of who is logged in. */
export class BrowserToolExecutor extends ContextToolExecutor {
  /** What is told of the table with a message. Null: there is no table. */
  readonly tableView: TableViewContext | null;

  constructor(tableView: DG.TableView | null, connectionId: string | null) {
    const context = tableView === null ? null : new TableViewContext(new DatagrokTableView(tableView));
    let database: Promise<SQLGenerationContext> | undefined;
    const connected = (id: string): Promise<SQLGenerationContext> => {
      const opening = (database ??= databaseContext(id));
      // One that could not be opened is tried anew.
      opening.catch(() => (database = undefined));
      return opening;
    };
    super({
      tableView: context,
      sql: connectionId === null ? null : () => connected(connectionId),
      script: () => new ScriptGenerationContext(scriptHost()),
    });
    this.tableView = context;
  }
}
