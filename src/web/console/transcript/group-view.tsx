import { ChevronRight, Layers } from "lucide-react";
import { useEffect, useRef, type ReactNode } from "react";
import { isToolItem } from "../../../protocol/index.ts";
import { classes } from "../../ui/classes.ts";
import { useFold, useRevealed } from "./folds.tsx";
import { groupWords, type GroupRow } from "./group-rows.ts";
import { ItemRow, lookupOf, type ItemLookup } from "./item.tsx";
import { plural } from "../../ui/language/t.ts";

/** Calls of one stretch by what they did. Opened, each is there as it was. */
export function GroupView({ row, lookup }: { readonly row: GroupRow; readonly lookup: ItemLookup }): ReactNode {
  const revealed = useRevealed().ids;
  const found = row.items.find((id) => revealed.includes(id));
  const [open, setOpen] = useFold(row.key, found !== undefined);
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (open && found !== undefined) place.current?.scrollIntoView({ block: "center" });
  }, [open, found]);
  const views = row.items.flatMap((id) => lookup(id) ?? []);
  const calls = views.flatMap(({ item }) => (isToolItem(item) ? [item] : []));
  const words = groupWords(calls);
  return (
    <div role="group" aria-label={words} className="rounded-xl border bg-panel">
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        className="flex min-h-10 w-full items-center gap-2 rounded-xl px-3 py-1.5 text-start text-sm text-soft"
      >
        <ChevronRight
          aria-hidden
          className={classes("size-4 shrink-0 text-faint transition-transform", open && "rotate-90 rtl:-rotate-90")}
        />
        <Layers aria-hidden className="size-4 shrink-0" />
        <span className="min-w-0 flex-1 truncate">{words}</span>
        <span className="text-xs text-faint tabular-nums max-sm:hidden">
          {plural({ one: "{count} call", other: "{count} calls" }, { count: row.items.length })}
        </span>
      </button>
      {open && (
        <div className="space-y-2 border-t p-2">
          {views.map((view) => {
            const isFound = view.item.id === found;
            return (
              <div
                key={view.item.id}
                ref={isFound ? place : undefined}
                className={isFound ? "rounded-xl outline-2 outline-info" : undefined}
              >
                <ItemRow view={view} lookup={lookupOf(view, lookup)} />
              </div>
            );
          })}
        </div>
      )}
    </div>
  );
}
