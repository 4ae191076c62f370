import { Fragment, type ReactNode } from "react";
import { AGGREGATES } from "../../data/aggregate.ts";
import { ColumnSelect, WordSelect } from "../drawing/column-select.tsx";
import { flagOf, listOf, textOf } from "../look.ts";
import { ColumnPicker, SmallButton } from "../parts/column-picker.tsx";
import type { ViewerProps } from "../viewer.ts";
import type { RowBranch } from "./model.ts";

interface TreeMapBarProps extends ViewerProps {
  readonly top: RowBranch | undefined;
  readonly onOpen: (key: string) => void;
}

/** The way back out of a group, or what is chosen. */
export function TreeMapBar({ table, look, change, top, onOpen }: TreeMapBarProps): ReactNode {
  if (top !== undefined && top.depth > 0) return <WayBack top={top} onOpen={onOpen} />;
  if (!flagOf(look, "showColumnSelectionPanel")) return undefined;
  const [size, colour] = [textOf(look, "sizeColumnName"), textOf(look, "colorColumnName")];
  return (
    <>
      <ColumnPicker
        label="Split"
        table={table}
        value={listOf(look, "splitByColumnNames")}
        onChange={(splitByColumnNames) => change({ splitByColumnNames })}
      />
      <ColumnSelect
        label="Size"
        table={table}
        value={size}
        columns="numeric"
        optional
        onChange={(sizeColumnName) => change({ sizeColumnName })}
      />
      {size !== undefined && (
        <WordSelect
          label="How sizes become one"
          value={textOf(look, "sizeAggrType") ?? "sum"}
          choices={AGGREGATES}
          onChange={(sizeAggrType) => change({ sizeAggrType })}
        />
      )}
      <ColumnSelect
        label="Color"
        table={table}
        value={colour}
        columns="numeric"
        optional
        onChange={(colorColumnName) => change({ colorColumnName })}
      />
      {colour !== undefined && (
        <WordSelect
          label="How colours become one"
          value={textOf(look, "colorAggrType") ?? "avg"}
          choices={AGGREGATES}
          onChange={(colorAggrType) => change({ colorAggrType })}
        />
      )}
    </>
  );
}

function WayBack({ top, onOpen }: { readonly top: RowBranch; readonly onOpen: (key: string) => void }): ReactNode {
  const codes = top.key.split("/").slice(1);
  return (
    <nav aria-label="Way back" className="flex min-w-0 items-center text-xs">
      <SmallButton words="All" onClick={() => onOpen("")} />
      {top.path.map((label, at) => (
        <Fragment key={codes.slice(0, at + 1).join("/")}>
          <span aria-hidden className="text-faint">
            ›
          </span>
          {at === top.path.length - 1 ? (
            <span aria-current="true" className="truncate px-1.5 font-medium">
              {label}
            </span>
          ) : (
            <SmallButton words={label} onClick={() => onOpen(["", ...codes.slice(0, at + 1)].join("/"))} />
          )}
        </Fragment>
      ))}
    </nav>
  );
}
