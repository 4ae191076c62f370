import type { ReactNode } from "react";
import { useShownTheme } from "../../../ui/app/theme.ts";
import { classes } from "../../../ui/classes.ts";
import { visible } from "../../../ui/visible.ts";
import { SHOWN_CHARS, type DiffCell, type LinePart, type DiffLineRow } from "./rows.ts";

type Lengthen = (line: number, shown: number) => void;

const TINTS = {
  context: "",
  added: "bg-ok-soft",
  removed: "bg-bad-soft",
} as const;
const SIGNS = { context: " ", added: "+", removed: "−" } as const;
const MARKS = {
  context: "",
  added: "rounded-xs bg-ok/15 shadow-[inset_0_-2px] shadow-ok/50",
  removed: "rounded-xs bg-bad/10 shadow-[inset_0_-2px] shadow-bad/50",
} as const;
const NUMBER = "w-12 shrink-0 pr-2 text-right text-faint select-none tabular-nums max-md:w-9 max-md:pr-1.5";

export function DiffRow({
  row,
  isNew,
  onLengthen,
}: {
  readonly row: DiffLineRow;
  /** The file is new. */
  readonly isNew: boolean;
  readonly onLengthen: Lengthen;
}): ReactNode {
  switch (row.type) {
    case "hunk":
      return <p className="border-y bg-info-soft px-3 text-info break-words">{visible(row.text)}</p>;
    case "note":
      return <p className="px-3 text-faint italic">{row.text}</p>;
    case "line":
      return (
        <div className={classes("flex", TINTS[row.cell.kind])}>
          {/* A phone has room for one number; a new file has no other one. */}
          {!isNew && <span className={classes(NUMBER, "max-md:hidden")}>{row.cell.old}</span>}
          <span className={NUMBER}>{row.cell.new ?? <span className="md:hidden">{row.cell.old}</span>}</span>
          <Line cell={row.cell} onLengthen={onLengthen} />
        </div>
      );
    case "pair":
      return (
        <div className="grid grid-cols-2">
          <Half cell={row.left} number={row.left?.old} onLengthen={onLengthen} />
          <Half cell={row.right} number={row.right?.new} onLengthen={onLengthen} />
        </div>
      );
  }
}

function Half({
  cell,
  number,
  onLengthen,
}: {
  readonly cell: DiffCell | undefined;
  readonly number: number | undefined;
  readonly onLengthen: Lengthen;
}): ReactNode {
  if (cell === undefined) return <div className="bg-sunken/60 first:border-r" />;
  return (
    <div className={classes("flex min-w-0 first:border-r", TINTS[cell.kind])}>
      <span className={NUMBER}>{number}</span>
      <Line cell={cell} onLengthen={onLengthen} />
    </div>
  );
}

function Line({ cell, onLengthen }: { readonly cell: DiffCell; readonly onLengthen: Lengthen }): ReactNode {
  const theme = useShownTheme();
  const { parts, kind, more, line } = cell;
  const shown = parts.reduce((sum, { text }) => sum + text.length, 0);
  return (
    <>
      <span className="w-4 shrink-0 text-center select-none">{SIGNS[kind]}</span>
      <span className="min-h-5 min-w-0 flex-1 pr-2 break-words whitespace-pre-wrap [overflow-wrap:anywhere] [tab-size:4]">
        {parts.map((part, index) => (
          <Piece key={index} part={part} kind={kind} theme={theme} />
        ))}
        {more !== undefined && (
          <button
            type="button"
            className="ml-2 min-h-7 rounded bg-info-soft px-1.5 font-sans text-xs text-info"
            onClick={() => onLengthen(line, Math.max(shown, SHOWN_CHARS))}
          >
            {more.toLocaleString("en-US")} more characters
          </button>
        )}
      </span>
    </>
  );
}

function Piece({
  part,
  kind,
  theme,
}: {
  readonly part: LinePart;
  readonly kind: DiffCell["kind"];
  readonly theme: "light" | "dark";
}): ReactNode {
  const colour = theme === "dark" ? part.dark : part.light;
  return (
    <span
      {...(part.marked ? { className: MARKS[kind] } : {})}
      {...(colour === undefined ? {} : { style: { color: colour } })}
    >
      {visible(part.text)}
    </span>
  );
}
