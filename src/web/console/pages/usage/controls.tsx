import { useState, type ReactNode } from "react";
import { classes } from "../../../ui/classes.ts";
import { Field, Input, Select } from "../../../ui/field.tsx";
import { lastDays, PRESETS, rangeProblem, type DayRange } from "./range.ts";
import { GROUPS, type UsageGrouping } from "./series.ts";
import { plural, t } from "../../../ui/language/t.ts";

export type RangeChoice = (typeof PRESETS)[number] | "own";

/** Which days, and what they are split by. */
export function Controls({
  choice,
  range,
  group,
  onRange,
  onGroup,
}: {
  readonly choice: RangeChoice;
  readonly range: DayRange;
  readonly group: UsageGrouping;
  readonly onRange: (choice: RangeChoice, range: DayRange) => void;
  readonly onGroup: (group: UsageGrouping) => void;
}): ReactNode {
  return (
    <div className="flex flex-wrap items-start gap-x-6 gap-y-3">
      <fieldset>
        <legend className="mb-1.5 text-sm font-medium">{t("Days (UTC)")}</legend>
        <div className="flex rounded-lg border border-line-strong/60 bg-raised p-0.5">
          {PRESETS.map((days) => (
            <Segment
              key={days}
              label={plural({ one: "{count} day", other: "{count} days" }, { count: days })}
              on={choice === days}
              onPick={() => onRange(days, lastDays(days, Date.now()))}
            />
          ))}
          <Segment label={t("Custom")} on={choice === "own"} onPick={() => onRange("own", range)} />
        </div>
      </fieldset>
      {choice === "own" && <OwnDays range={range} onRange={(own) => onRange("own", own)} />}
      <div>
        <label htmlFor="usage-group" className="mb-1.5 block text-sm font-medium">
          {t("Split by")}
        </label>
        <Select
          id="usage-group"
          className="w-44"
          value={group}
          onChange={(event) => onGroup(event.target.value as UsageGrouping)}
        >
          {GROUPS.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </Select>
      </div>
    </div>
  );
}

export function Segment({
  label,
  on,
  onPick,
}: {
  readonly label: string;
  readonly on: boolean;
  readonly onPick: () => void;
}): ReactNode {
  return (
    <button
      type="button"
      aria-pressed={on}
      onClick={onPick}
      className={classes(
        "h-8 rounded-md px-3 text-sm font-medium whitespace-nowrap",
        on ? "bg-accent-soft text-ink" : "text-soft hover:bg-sunken hover:text-ink",
      )}
    >
      {label}
    </button>
  );
}

/** A range is applied as soon as both days are valid. */
function OwnDays({
  range,
  onRange,
}: {
  readonly range: DayRange;
  readonly onRange: (range: DayRange) => void;
}): ReactNode {
  const [draft, setDraft] = useState(range);
  const problem = rangeProblem(draft);
  const change = (next: DayRange): void => {
    setDraft(next);
    if (rangeProblem(next) === undefined) onRange(next);
  };
  return (
    <div className="flex flex-wrap gap-3">
      <Field label={t("First day")} error={problem}>
        {(ids) => (
          <Input
            {...ids}
            type="date"
            className="w-40"
            value={draft.from}
            onChange={(event) => change({ ...draft, from: event.target.value })}
          />
        )}
      </Field>
      <Field label={t("Last day")}>
        {(ids) => (
          <Input
            {...ids}
            type="date"
            className="w-40"
            value={draft.to}
            onChange={(event) => change({ ...draft, to: event.target.value })}
          />
        )}
      </Field>
    </div>
  );
}
