import type { PlotProps } from "../drawing/plot.ts";
import { elide } from "../drawing/words.ts";
import { flagOf } from "../look.ts";
import type { HeatLayout } from "./layout.ts";
import type { HeatModel } from "./model.ts";

const LETTERS = 12;

interface HeadsProps {
  readonly props: PlotProps;
  readonly model: HeatModel;
  readonly layout: HeatLayout;
}

/** The names of the columns; buttons where they sort. */
export function Heads({ props, model, layout }: HeadsProps) {
  const { look, change } = props;
  if (!flagOf(look, "showColumnLabels")) return null;
  const sorts = flagOf(look, "allowSorting");
  const turned = layout.upright ? "[writing-mode:vertical-rl] rotate-180" : "";
  return (
    <div
      className="absolute top-0 flex overflow-hidden text-xs text-soft"
      style={{ left: layout.left, height: layout.top, width: layout.right - layout.left }}
    >
      {model.columns.map(({ column: { name } }) => {
        const first = model.sortedBy[0] === name;
        const room = layout.upright ? layout.top - 12 : layout.columnWidth - 6;
        const text = elide(first ? `${name} ↑` : name, room, LETTERS);
        const label = <span className={`max-h-full whitespace-nowrap ${turned}`}>{text}</span>;
        const style = { width: layout.columnWidth, height: layout.top };
        const inner = `flex shrink-0 ${layout.upright ? "items-end justify-center pb-1" : "items-center justify-center px-0.5"}`;
        return sorts ? (
          <button
            key={name}
            type="button"
            title={first ? `${name}: sorted; click to sort no more` : `Sort by ${name}`}
            aria-pressed={first}
            className={`${inner} hover:bg-sunken hover:text-ink focus-visible:outline-offset-[-2px]`}
            style={style}
            onClick={() => change({ sortByColumnNames: first ? [] : [name] })}
          >
            {label}
          </button>
        ) : (
          <span key={name} className={inner} style={style} title={name}>
            {label}
          </span>
        );
      })}
    </div>
  );
}
