import { useEffect, useState, type ReactNode } from "react";
import { isText } from "../../data/column.ts";
import { rowsWords } from "../drawing/words.ts";
import type { FiltersCardProps } from "./card.tsx";

/** After the last key until the rows are searched, ms. */
const WAIT_MS = 250;

/** For texts with too many different values to list: what they contain. */
export function ContainsCard({ card, show, filter, content, set }: FiltersCardProps): ReactNode {
  const { column } = card;
  const held = filter?.kind === "contains" ? filter.text : "";
  const [written, setWritten] = useState(held);
  useEffect(() => setWritten(held), [held]);
  useEffect(() => {
    if (written === held) return undefined;
    const timer = setTimeout(
      () => set(column.name, written === "" ? undefined : { kind: "contains", column: column.name, text: written }),
      WAIT_MS,
    );
    return () => clearTimeout(timer);
  }, [written, held, column.name, set]);
  const values = isText(column) ? column.categories.length : 0;
  return (
    <div className="px-1">
      <input
        type="search"
        aria-label={`Text in ${column.name}`}
        placeholder="Contains…"
        value={written}
        onChange={(event) => setWritten(event.target.value)}
        className="h-7 w-full rounded border border-line-strong/60 bg-paper px-1.5 text-xs"
      />
      <p className="pt-0.5 text-xs text-soft">
        {values.toLocaleString("en-US")} different values
        {show.counts && held !== "" && content?.kind === "contains" && `; ${rowsWords(content.shown)} shown`}
      </p>
    </div>
  );
}
