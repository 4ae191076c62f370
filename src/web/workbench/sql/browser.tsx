import { ChevronRight, LoaderCircle, Table2 } from "lucide-react";
import { useState, type ReactNode } from "react";
import { Input } from "../../ui/field.tsx";
import { Note } from "../../ui/states.tsx";
import { SQL_LIMITS } from "./limits.ts";
import type { ListedTable, SourceTables } from "./sources.ts";

interface BrowserProps {
  /** Absent: they are on their way. */
  readonly listed: SourceTables | undefined;
  readonly trouble: string | undefined;
  /** What is said where there are none. */
  readonly empty: ReactNode;
  readonly insert: (text: string) => void;
}

/** Tables and columns that a query can name; a click writes the name. */
export function SchemaBrowser({ listed, trouble, empty, insert }: BrowserProps): ReactNode {
  const [search, setSearch] = useState("");
  if (trouble !== undefined)
    return (
      <Note tone="bad" role="alert">
        {trouble}
      </Note>
    );
  if (listed === undefined)
    return (
      <p role="status" className="flex items-center gap-2 p-2 text-sm text-soft">
        <LoaderCircle aria-hidden className="size-4 animate-spin" /> Reading what is there …
      </p>
    );
  if (listed.tables.length === 0) return <div className="p-2 text-sm text-soft">{empty}</div>;
  const wanted = search.trim().toLowerCase();
  const found = listed.tables.filter((table) => isFound(table, wanted));
  return (
    <div className="flex min-h-0 flex-1 flex-col gap-2">
      {listed.tables.length > 8 && (
        <Input
          type="search"
          aria-label="Find tables and columns"
          placeholder="Find"
          className="h-8!"
          value={search}
          onChange={(event) => setSearch(event.target.value)}
        />
      )}
      <ul aria-label="Tables" className="min-h-0 flex-1 overflow-y-auto">
        {found.slice(0, SQL_LIMITS.listedTables).map((table) => (
          <TableItem key={table.written} table={table} insert={insert} />
        ))}
      </ul>
      {(found.length > SQL_LIMITS.listedTables || listed.isCut) && (
        <p className="text-xs text-faint">There are more tables than are listed here.</p>
      )}
    </div>
  );
}

function isFound(table: ListedTable, wanted: string): boolean {
  return (
    wanted === "" ||
    table.name.toLowerCase().includes(wanted) ||
    table.columns.some(({ name }) => name.toLowerCase().includes(wanted))
  );
}

function TableItem({
  table,
  insert,
}: {
  readonly table: ListedTable;
  readonly insert: (text: string) => void;
}): ReactNode {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <li>
      <div className="flex items-center rounded hover:bg-sunken">
        <button
          type="button"
          aria-expanded={isOpen}
          aria-label={`Columns of ${table.name}`}
          className="grid size-7 shrink-0 place-items-center rounded text-faint hover:text-ink"
          onClick={() => setIsOpen(!isOpen)}
        >
          <ChevronRight aria-hidden className={`size-4 transition-transform ${isOpen ? "rotate-90" : ""}`} />
        </button>
        <button
          type="button"
          title={table.comment ?? `Write ${table.written}`}
          className="flex min-h-7 min-w-0 flex-1 items-center gap-1.5 text-left text-sm"
          onClick={() => insert(table.written)}
        >
          <Table2 aria-hidden className="size-3.5 shrink-0 text-faint" />
          <span className="truncate">{table.name}</span>
          {table.rows !== undefined && (
            <span className="ml-auto pr-1.5 text-xs text-faint tabular-nums">{table.rows.toLocaleString("en")}</span>
          )}
        </button>
      </div>
      {isOpen && (
        <ul aria-label={`Columns of ${table.name}`} className="mb-1 ml-7 border-l pl-1">
          {table.columns.slice(0, SQL_LIMITS.listedColumns).map((column) => (
            <li key={column.name}>
              <button
                type="button"
                title={`Write ${column.written}`}
                className="flex min-h-6 w-full items-center gap-2 rounded px-1.5 text-left text-[13px] hover:bg-sunken"
                onClick={() => insert(column.written)}
              >
                <span className="min-w-0 flex-1 truncate">{column.name}</span>
                <span className="shrink-0 text-xs text-faint">{column.type}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}
