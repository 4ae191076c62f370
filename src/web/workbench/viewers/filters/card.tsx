import { ListFilter, RotateCcw, X } from "lucide-react";
import type { ReactNode } from "react";
import { isText } from "../../data/column.ts";
import type { FilterSpec } from "../../data/filter.ts";
import type { Table } from "../../data/table.ts";
import { CategoryCard } from "./category-card.tsx";
import { ContainsCard } from "./contains-card.tsx";
import { foreign, type Card, type CardContent, type FiltersModel } from "./model.ts";
import { RangeCard } from "./range-card.tsx";

export interface FiltersCardProps {
  readonly table: Table;
  readonly card: Card;
  readonly show: FiltersModel["show"];
  readonly filter: FilterSpec | undefined;
  /** Absent: not counted yet. */
  readonly content: CardContent | undefined;
  readonly set: (column: string, filter: FilterSpec | undefined) => void;
}

export function FilterCard({ remove, ...props }: FiltersCardProps & { readonly remove: () => void }): ReactNode {
  const { card, show, filter, set } = props;
  const { name } = card.column;
  const other = foreign(card.kind, filter);
  return (
    <section aria-label={`Filter by ${name}`} className="border-b py-1.5 last:border-b-0">
      <div className="flex h-6 items-center gap-1 px-1">
        {show.filtering && filter !== undefined && (
          <ListFilter aria-label="Filters" className="size-3.5 shrink-0 text-accent" />
        )}
        <span
          className={`min-w-0 truncate text-xs font-medium ${show.filtering && filter !== undefined ? "text-accent" : ""}`}
          title={name}
        >
          {name}
        </span>
        <span className="ml-auto flex shrink-0">
          {filter !== undefined && (
            <IconButton label={`Reset the filter by ${name}`} onClick={() => set(name, undefined)}>
              <RotateCcw aria-hidden className="size-3.5" />
            </IconButton>
          )}
          <IconButton label={`Remove the card of ${name}`} onClick={remove}>
            <X aria-hidden className="size-3.5" />
          </IconButton>
        </span>
      </div>
      {other === undefined ? (
        <Content {...props} />
      ) : (
        <p className="px-1 text-xs text-soft">{other}. Reset it to filter here.</p>
      )}
    </section>
  );
}

function Content(props: FiltersCardProps): ReactNode {
  const { column, kind } = props.card;
  switch (kind) {
    case "range":
      return isText(column) ? undefined : <RangeCard {...props} column={column} />;
    case "categories":
      return <CategoryCard {...props} />;
    case "contains":
      return <ContainsCard {...props} />;
  }
}

function IconButton({
  label,
  onClick,
  children,
}: {
  readonly label: string;
  readonly onClick: () => void;
  readonly children: ReactNode;
}): ReactNode {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      onClick={onClick}
      className="flex size-6 items-center justify-center rounded text-faint hover:bg-sunken hover:text-ink"
    >
      {children}
    </button>
  );
}
