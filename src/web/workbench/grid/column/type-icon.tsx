import { Binary, CalendarDays, Hash, Percent, ToggleLeft, Type, type LucideIcon } from "lucide-react";
import type { ReactNode } from "react";
import type { ColumnType } from "../../data/column.ts";

const ICONS: Readonly<Record<ColumnType, readonly [LucideIcon, string]>> = {
  string: [Type, "text"],
  int: [Hash, "whole number"],
  double: [Percent, "number"],
  bool: [ToggleLeft, "true or false"],
  datetime: [CalendarDays, "date and time"],
  bigint: [Binary, "large whole number"],
};

/** What a column holds, in a word. */
export function typeWord(type: ColumnType): string {
  return ICONS[type][1];
}

export function TypeIcon({ type }: { readonly type: ColumnType }): ReactNode {
  const [Icon] = ICONS[type];
  return <Icon aria-hidden className="size-3.5 shrink-0 text-faint" />;
}
