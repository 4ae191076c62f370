import type { ReactNode } from "react";
import type { PrincipalRef } from "../../../../protocol/index.ts";
import { Button } from "../../../ui/button.tsx";
import { Field, Select } from "../../../ui/field.tsx";
import { ACTIONS } from "./actions.ts";
import { areas, type Filter } from "./filter.ts";
import { t } from "../../../ui/language/t.ts";

/** By what was done, and by whom. */
export function Filters({
  filter,
  people,
  onChange,
}: {
  readonly filter: Filter;
  readonly people: readonly PrincipalRef[];
  readonly onChange: (filter: Filter) => void;
}): ReactNode {
  const isFiltered = filter.action !== undefined || filter.by !== undefined;
  const set = (name: keyof Filter, value: string): void => {
    const { [name]: _, ...others } = filter;
    onChange(value === "" ? others : { ...others, [name]: value });
  };
  return (
    <div className="flex flex-wrap items-start gap-3">
      <Field label={t("Action")} className="max-md:flex-1 max-md:basis-36">
        {(ids) => (
          <Select
            {...ids}
            className="md:w-64"
            value={filter.action ?? ""}
            onChange={(event) => set("action", event.target.value)}
          >
            <option value="">{t("everything")}</option>
            {areas(Object.keys(ACTIONS)).map(({ area, actions }) => (
              <optgroup key={area} label={area}>
                {actions.length > 1 && <option value={`${area}.`}>{t("all of {area}", { area })}</option>}
                {actions.map((action) => (
                  <option key={action} value={action}>
                    {ACTIONS[action]}
                  </option>
                ))}
              </optgroup>
            ))}
          </Select>
        )}
      </Field>
      <Field label={t("By")} className="max-md:flex-1 max-md:basis-36">
        {(ids) => (
          <Select
            {...ids}
            className="md:w-56"
            value={filter.by ?? ""}
            onChange={(event) => set("by", event.target.value)}
          >
            <option value="">{t("everybody")}</option>
            {people.map(({ id, name, role }) => (
              <option key={id} value={id}>
                {name} ({role})
              </option>
            ))}
          </Select>
        )}
      </Field>
      {isFiltered && (
        <Button variant="quiet" className="max-md:-mt-4 max-md:basis-full md:mt-6.5" onClick={() => onChange({})}>
          {t("Show everything")}
        </Button>
      )}
    </div>
  );
}
