import { useContext, type ReactNode } from "react";
import { useShownTheme } from "../../../ui/app/theme.ts";
import { classes } from "../../../ui/classes.ts";
import { visible } from "../../../ui/visible.ts";
import { DiffActionsContext } from "./actions.ts";
import { SHOWN_CHARS, type DiffCell, type LinePart, type DiffLineRow } from "./rows.ts";
import { plural, t } from "../../../ui/language/t.ts";

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
const NUMBER = "w-12 shrink-0 pe-2 text-end text-faint select-none tabular-nums max-md:w-9 max-md:pe-1.5";

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
      return <HunkHead text={row.text} />;
    case "note":
      return <p className="px-3 text-faint italic">{row.text}</p>;
    case "line":
      return (
        <div className={classes("flex", TINTS[row.cell.kind])}>
          {/* A phone has room for one number; a new file has no other one. */}
          {!isNew && (
            <LineNumber cell={row.cell} number={row.cell.old} side="old" className={classes(NUMBER, "max-md:hidden")} />
          )}
          {row.cell.new === undefined ? (
            <LineNumber cell={row.cell} number={row.cell.old} side="old" className={classes(NUMBER, "md:invisible")} />
          ) : (
            <LineNumber cell={row.cell} number={row.cell.new} side="new" className={NUMBER} />
          )}
          <Line cell={row.cell} onLengthen={onLengthen} />
        </div>
      );
    case "pair":
      return (
        <div className="grid grid-cols-2">
          <Half cell={row.left} side="old" onLengthen={onLengthen} />
          <Half cell={row.right} side="new" onLengthen={onLengthen} />
        </div>
      );
  }
}

/** Where a part begins; with a box where it can be chosen alone. */
function HunkHead({ text }: { readonly text: string }): ReactNode {
  const actions = useContext(DiffActionsContext);
  const chosen = actions?.chosen(text);
  if (actions === undefined || chosen === undefined)
    return <p className="border-y bg-info-soft px-3 text-info break-words">{visible(text)}</p>;
  return (
    <label className="flex items-center gap-2 border-y bg-info-soft px-3 py-0.5 text-info">
      <input
        type="checkbox"
        className="size-4 shrink-0 accent-accent"
        checked={chosen}
        aria-label={t("Include this part: {text}", { text: visible(text) })}
        onChange={() => actions.toggle(text)}
      />
      <span className="min-w-0 break-words">{visible(text)}</span>
      <span className="ms-auto shrink-0 font-sans text-xs">{chosen ? t("included") : t("left out")}</span>
    </label>
  );
}

/** A number that can be commented on where somebody may. Not in the tab order: a button above the diff does the same. */
function LineNumber({
  cell,
  number,
  side,
  className,
}: {
  readonly cell: DiffCell;
  readonly number: number | undefined;
  readonly side: "old" | "new";
  readonly className: string;
}): ReactNode {
  const actions = useContext(DiffActionsContext);
  const comment = actions?.comment;
  if (number === undefined || comment === undefined) return <span className={className}>{number}</span>;
  const isCommented = actions?.commented.has(`${side} ${number}`) === true;
  return (
    <button
      type="button"
      tabIndex={-1}
      aria-label={
        side === "old"
          ? t("Comment on old line {number}", { number: String(number) })
          : t("Comment on line {number}", { number: String(number) })
      }
      title={t("Comment on this line")}
      className={classes(
        className,
        "cursor-pointer hover:bg-accent-soft hover:text-accent",
        isCommented && "bg-accent-soft font-semibold text-accent",
      )}
      onClick={() => comment({ line: number, side, text: cell.parts.map(({ text }) => text).join("") })}
    >
      {number}
    </button>
  );
}

function Half({
  cell,
  side,
  onLengthen,
}: {
  readonly cell: DiffCell | undefined;
  readonly side: "old" | "new";
  readonly onLengthen: Lengthen;
}): ReactNode {
  if (cell === undefined) return <div className="bg-sunken/60 first:border-e" />;
  return (
    <div className={classes("flex min-w-0 first:border-e", TINTS[cell.kind])}>
      <LineNumber cell={cell} number={side === "old" ? cell.old : cell.new} side={side} className={NUMBER} />
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
      <span className="min-h-5 min-w-0 flex-1 pe-2 break-words whitespace-pre-wrap [overflow-wrap:anywhere] [tab-size:4]">
        {parts.map((part, index) => (
          <Piece key={index} part={part} kind={kind} theme={theme} />
        ))}
        {more !== undefined && (
          <button
            type="button"
            className="ms-2 min-h-7 rounded bg-info-soft px-1.5 font-sans text-xs text-info"
            onClick={() => onLengthen(line, Math.max(shown, SHOWN_CHARS))}
          >
            {plural({ one: "{count} more character", other: "{count} more characters" }, { count: more })}
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
