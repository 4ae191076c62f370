import { useState, type ReactNode } from "react";
import { Button } from "../../../ui/button.tsx";
import { WORKBENCH_LIMITS } from "../../limits.ts";

interface ColumnChecksProps {
  readonly label: string;
  readonly names: readonly string[];
  readonly chosen: readonly string[];
  readonly choose: (names: readonly string[]) => void;
}

/** Columns to tick; they keep the order in which they were ticked. */
export function ColumnChecks({ label, names, chosen, choose }: ColumnChecksProps): ReactNode {
  const [query, setQuery] = useState("");
  const found = names.filter((name) => name.toLowerCase().includes(query.trim().toLowerCase()));
  const shown = found.slice(0, WORKBENCH_LIMITS.pickerColumns);
  const toggle = (name: string): void =>
    choose(chosen.includes(name) ? chosen.filter((one) => one !== name) : [...chosen, name]);
  return (
    <fieldset className="min-w-0 space-y-1.5">
      <legend className="text-sm font-medium">{label}</legend>
      <div className="flex flex-wrap gap-1">
        {names.length > FEW && (
          <input
            type="search"
            aria-label={`Find among: ${label}`}
            placeholder="Find a column"
            value={query}
            onChange={(event) => setQuery(event.target.value)}
            className="h-8 min-w-0 flex-1 rounded-lg border border-line-strong/60 bg-raised px-2 text-sm"
          />
        )}
        <Button size="small" variant="quiet" onClick={() => choose([...new Set([...chosen, ...found])])}>
          All
        </Button>
        <Button size="small" variant="quiet" onClick={() => choose(chosen.filter((name) => !found.includes(name)))}>
          None
        </Button>
      </div>
      <ul className="max-h-44 overflow-auto rounded-lg border p-1">
        {shown.map((name) => (
          <li key={name}>
            <label className="flex h-8 cursor-pointer items-center gap-2 rounded px-1.5 text-sm hover:bg-sunken">
              <input type="checkbox" checked={chosen.includes(name)} onChange={() => toggle(name)} />
              <span className="truncate">{name}</span>
            </label>
          </li>
        ))}
        {shown.length === 0 && <li className="p-1.5 text-sm text-faint">No such column.</li>}
      </ul>
    </fieldset>
  );
}

const FEW = 8;
