import { Fragment, type ReactNode } from "react";
import { LookAggregate, LookColumn } from "../drawing/column-select.tsx";
import { flagOf, textOf } from "../look.ts";
import { LookColumns, SmallButton } from "../parts/column-picker.tsx";
import type { ViewerProps } from "../viewer.ts";
import type { RowBranch } from "./model.ts";

interface TreeMapBarProps extends ViewerProps {
  readonly top: RowBranch | undefined;
  readonly onOpen: (key: string) => void;
}

/** The way back out of a group, or what is chosen. */
export function TreeMapBar({ top, onOpen, ...viewer }: TreeMapBarProps): ReactNode {
  const { look } = viewer;
  if (top !== undefined && top.depth > 0) return <WayBack top={top} onOpen={onOpen} />;
  if (!flagOf(look, "showColumnSelectionPanel")) return undefined;
  return (
    <>
      <LookColumns label="Split" viewer={viewer} name="splitByColumnNames" />
      <LookColumn label="Size" viewer={viewer} name="sizeColumnName" columns="numeric" optional />
      {textOf(look, "sizeColumnName") !== undefined && (
        <LookAggregate label="How sizes become one" viewer={viewer} name="sizeAggrType" />
      )}
      <LookColumn label="Color" viewer={viewer} name="colorColumnName" columns="numeric" optional />
      {textOf(look, "colorColumnName") !== undefined && (
        <LookAggregate label="How colours become one" viewer={viewer} name="colorAggrType" />
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
