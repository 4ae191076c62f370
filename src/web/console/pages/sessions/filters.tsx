import { useNavigate } from "@tanstack/react-router";
import type { ReactNode, RefObject } from "react";
import { STATUSES } from "../../../../protocol/index.ts";
import { useEngines } from "../../app/engines.ts";
import { SearchBox } from "../../app/search-box.tsx";
import { Button } from "../../../ui/button.tsx";
import { Input, Select } from "../../../ui/field.tsx";
import { statusLabel } from "../../../ui/words.tsx";
import type { SessionSearch } from "./data.ts";
import { t } from "../../../ui/language/t.ts";

/** Search and filters; they are in the address, so that a list can be bookmarked and shared. */
export function Filters({
  search,
  box,
}: {
  readonly search: SessionSearch;
  readonly box: RefObject<HTMLInputElement | null>;
}): ReactNode {
  const change = useChange();
  const some = Object.values(search).some((value) => value !== undefined);
  return (
    <div role="search" aria-label={t("Sessions")} className="flex flex-wrap items-center gap-2">
      <SearchBox
        label={t("Search sessions")}
        placeholder={t("Search by title")}
        text={search.q ?? ""}
        onText={(q) => change({ q })}
        box={box}
      />
      <Select
        aria-label={t("State")}
        className="w-auto! min-w-36 max-md:min-w-0 max-md:flex-1"
        value={search.status ?? ""}
        onChange={(event) => change({ status: event.target.value })}
      >
        <option value="">{t("All states")}</option>
        {STATUSES.map((status) => (
          <option key={status} value={status}>
            {statusLabel(status)}
          </option>
        ))}
      </Select>
      <EngineFilter engine={search.engine ?? ""} onEngine={(engine) => change({ engine })} />
      <MoreFilters search={search} change={change} />
      {some && (
        <Button
          variant="quiet"
          onClick={() => change({ q: "", status: "", engine: "", tag: "", folder: "", since: "", archived: "" })}
        >
          {t("Clear")}
        </Button>
      )}
    </div>
  );
}

/** Tag, folder, day and the archive. */
function MoreFilters({
  search,
  change,
}: {
  readonly search: SessionSearch;
  readonly change: (change: SessionSearch) => void;
}): ReactNode {
  const { tag = "", folder = "", since = "", archived = "" } = search;
  const isUsed = [tag, folder, since, archived].some((value) => value !== "");
  return (
    <details open={isUsed} className="group max-md:w-full">
      <summary className="flex h-10 cursor-pointer items-center rounded-lg px-3 text-sm text-soft hover:bg-sunken group-open:hidden">
        {t("More filters")}
      </summary>
      <div className="flex flex-wrap items-center gap-2">
        <Narrow label={t("Tag")} value={tag} onValue={(value) => change({ tag: value })} />
        <Narrow label={t("Folder")} value={folder} onValue={(value) => change({ folder: value })} />
        <Input
          type="date"
          aria-label={t("Created since")}
          className="w-auto!"
          value={since}
          onChange={({ target }) => change({ since: target.value })}
        />
        <label className="flex h-10 items-center gap-2 text-sm">
          <input
            type="checkbox"
            className="size-4 accent-accent"
            checked={archived === "yes"}
            onChange={({ target }) => change({ archived: target.checked ? "yes" : "" })}
          />
          {t("Archived")}
        </label>
      </div>
    </details>
  );
}

/** A text that counts once it is confirmed or left. */
function Narrow({
  label,
  value,
  onValue,
}: {
  readonly label: string;
  readonly value: string;
  readonly onValue: (value: string) => void;
}): ReactNode {
  return (
    <Input
      key={value}
      aria-label={label}
      placeholder={label}
      className="w-36!"
      defaultValue={value}
      onBlur={({ target }) => target.value.trim() !== value && onValue(target.value.trim())}
      onKeyDown={(event) => event.key === "Enter" && event.currentTarget.blur()}
    />
  );
}

function EngineFilter({
  engine,
  onEngine,
}: {
  readonly engine: string;
  readonly onEngine: (engine: string) => void;
}): ReactNode {
  const { data: engines = [] } = useEngines();
  const ids = engines.map(({ id }) => id);
  return (
    <Select
      aria-label={t("Engine")}
      className="w-auto! min-w-36 max-md:min-w-0 max-md:flex-1"
      value={engine}
      onChange={(event) => onEngine(event.target.value)}
    >
      <option value="">{t("All engines")}</option>
      {[...new Set([...ids, ...(engine === "" ? [] : [engine])])].map((id) => (
        <option key={id}>{id}</option>
      ))}
    </Select>
  );
}

/** Sets the given values and keeps the rest; an empty text is removed from the address. */
function useChange(): (change: SessionSearch) => void {
  const navigate = useNavigate({ from: "/sessions" });
  return (change) =>
    void navigate({
      search: (before) =>
        Object.fromEntries(
          Object.entries({ ...before, ...change }).filter(([, value]) => value !== ""),
        ) as SessionSearch,
      replace: true,
    });
}
