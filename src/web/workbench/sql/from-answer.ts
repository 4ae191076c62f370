import type { QueryAnswer } from "../../../client/index.ts";
import { newTable } from "../data/make.ts";
import type { Table } from "../data/table.ts";
import { columnOfSent } from "./database-types.ts";
import { distinctNames } from "./names.ts";

/** What a server's database answered, as a table. Texts become times and numbers only where the database says that they are. */
export function tableOfAnswer(name: string, answer: Pick<QueryAnswer, "columns" | "rows">): Table {
  const names = distinctNames(answer.columns.map((column) => column.name));
  const columns = answer.columns.map(({ type }, index) =>
    columnOfSent(
      names[index] ?? "",
      type,
      answer.rows.map((row) => row[index]),
    ),
  );
  return newTable(name, columns);
}
