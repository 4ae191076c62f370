import { RotateCcw } from "lucide-react";
import { useId, type ReactNode } from "react";
import { classes } from "../../../ui/classes.ts";
import type { Table } from "../../data/table.ts";
import type { PropertyDefinition } from "../../viewers/viewer.ts";
import { labelOf } from "./label.ts";
import { PropertyControl } from "./property-control.tsx";

/** One property: its name, its value, and a way back to what it has by itself. */
export function PropertyField({
  property,
  table,
  value,
  isSet,
  onChange,
}: {
  readonly property: PropertyDefinition;
  readonly table: Table;
  readonly value: unknown;
  /** Somebody has set it; else it has its default. */
  readonly isSet: boolean;
  /** Undefined: the default. */
  readonly onChange: (value: unknown) => void;
}): ReactNode {
  const id = useId();
  const label = labelOf(property.name);
  const isGroup =
    property.type === "column_list" || (property.type === "string_list" && property.choices !== undefined);
  return (
    <div
      className={classes("gap-x-2", isGroup ? "space-y-1" : "grid grid-cols-[7rem_minmax(0,1fr)] items-center")}
      title={property.description}
    >
      <div className="flex min-h-8 items-center justify-between gap-1">
        {isGroup ? (
          <span id={id} className="text-sm text-soft">
            {label}
          </span>
        ) : (
          <label htmlFor={id} className="min-w-0 text-sm leading-tight break-words text-soft">
            {label}
          </label>
        )}
        {isSet && (
          <button
            type="button"
            aria-label={`Reset ${label}`}
            title="Back to the default"
            onClick={() => onChange(undefined)}
            className="grid size-6 shrink-0 place-items-center rounded text-accent hover:bg-sunken"
          >
            <RotateCcw aria-hidden className="size-3.5" />
          </button>
        )}
      </div>
      <PropertyControl id={id} property={property} table={table} value={value} onChange={onChange} />
    </div>
  );
}
