import { ChevronsUpDown } from "lucide-react";
import { useEffect, useId, useRef, useState, type KeyboardEvent, type ReactNode } from "react";
import type { ModelView } from "../../../../protocol/index.ts";
import { Button } from "../../../ui/button.tsx";
import { classes } from "../../../ui/classes.ts";
import { Input } from "../../../ui/field.tsx";
import { Loading, wordsOf } from "../../../ui/states.tsx";
import type { ModelListState } from "./data.ts";
import { modelFacts, nextChoice, searchModels, type FoundModels } from "./model-search.ts";
import { plural, t } from "../../../ui/language/t.ts";

interface ModelPickerProps {
  readonly ids: { readonly id: string; readonly "aria-describedby": string; readonly "aria-invalid": boolean };
  readonly value: string;
  readonly placeholder: string;
  readonly list: ModelListState;
  readonly onChange: (model: string) => void;
}

interface PickerState extends FoundModels {
  readonly open: boolean;
  readonly query: string;
  /** The option that Enter takes; -1: none. */
  readonly active: number;
  readonly show: () => void;
  readonly hide: () => void;
  readonly type: (text: string) => void;
  readonly pick: (model: ModelView) => void;
  readonly onKeyDown: (event: KeyboardEvent) => void;
}

/** Arrows choose, Enter takes, Escape closes. With a modifier Enter starts the session. */
function usePicker({ list, onChange }: Pick<ModelPickerProps, "list" | "onChange">): PickerState {
  const [open, setOpen] = useState(false);
  const [query, setQuery] = useState("");
  const [active, setActive] = useState(-1);
  const found = searchModels(list.data?.models ?? [], query);
  const turn = (text: string): void => {
    setQuery(text);
    setActive(-1);
    setOpen(true);
  };
  const hide = (): void => setOpen(false);
  const pick = ({ model, refusal }: ModelView): void => {
    if (refusal !== undefined) return;
    onChange(model);
    hide();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : undefined;
    if (step !== undefined) {
      event.preventDefault();
      if (open) setActive(nextChoice(found.shown, active, step));
      else turn("");
    } else if (open && event.key === "Enter" && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      const chosen = found.shown[active];
      if (chosen === undefined) hide();
      else pick(chosen);
    } else if (open && event.key === "Escape") {
      event.stopPropagation();
      hide();
    }
  };
  const type = (text: string): void => {
    onChange(text);
    turn(text);
  };
  return { ...found, open, query, active, show: () => turn(""), hide, type, pick, onKeyDown };
}

/** A text field with a list that follows what is typed. A name that is not in the list can be typed too. */
export function ModelPicker({ ids, value, placeholder, list, onChange }: ModelPickerProps): ReactNode {
  const listId = useId();
  const picker = usePicker({ list, onChange });
  const { open, active, shown, hidden } = picker;
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    box.current?.querySelector("[data-active=true]")?.scrollIntoView({ block: "nearest" });
  }, [active, open]);
  return (
    <div
      ref={box}
      className="relative"
      onBlur={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget)) picker.hide();
      }}
    >
      <Input
        {...ids}
        role="combobox"
        aria-expanded={open}
        aria-controls={listId}
        aria-autocomplete="list"
        aria-activedescendant={open && active !== -1 ? `${listId}-${active}` : undefined}
        className="pe-9"
        value={value}
        maxLength={200}
        spellCheck={false}
        autoCapitalize="off"
        autoComplete="off"
        placeholder={placeholder}
        onClick={() => {
          if (!open) picker.show();
        }}
        onKeyDown={picker.onKeyDown}
        onChange={(event) => picker.type(event.target.value)}
      />
      <ChevronsUpDown aria-hidden className="pointer-events-none absolute top-3 end-3 size-4 text-faint" />
      <p className="sr-only" aria-live="polite">
        {open && list.data !== undefined ? countWords(shown.length + hidden) : ""}
      </p>
      {open && <ModelChoices id={listId} picker={picker} list={list} value={value} />}
    </div>
  );
}

function ModelChoices({
  id,
  picker,
  list,
  value,
}: Pick<ModelPickerProps, "list" | "value"> & { readonly id: string; readonly picker: PickerState }): ReactNode {
  const { shown, hidden, active, query, pick } = picker;
  return (
    <div className="z-30 mt-1 w-full overflow-hidden rounded-lg border bg-raised shadow-lg lg:absolute">
      <ModelListMessage list={list} shown={shown.length} query={query} />
      <ul id={id} role="listbox" aria-label={t("Models")} className="max-h-72 overflow-y-auto empty:hidden">
        {shown.map((model, index) => (
          <ModelOption
            key={model.model}
            id={`${id}-${index}`}
            model={model}
            isActive={index === active}
            isChosen={model.model === value}
            onPick={() => pick(model)}
          />
        ))}
      </ul>
      {hidden > 0 && (
        <p className="border-t px-3 py-2 text-sm text-soft">
          {plural(
            {
              one: "{count} more. Type a part of the name to find it.",
              other: "{count} more. Type a part of the name to find them.",
            },
            { count: hidden },
          )}
        </p>
      )}
    </div>
  );
}

function countWords(count: number): string {
  return plural({ one: "{count} model", other: "{count} models" }, { count });
}

function ModelOption({
  id,
  model,
  isActive,
  isChosen,
  onPick,
}: {
  readonly id: string;
  readonly model: ModelView;
  readonly isActive: boolean;
  readonly isChosen: boolean;
  readonly onPick: () => void;
}): ReactNode {
  const { refusal } = model;
  return (
    <li
      id={id}
      role="option"
      aria-selected={isChosen}
      aria-disabled={refusal !== undefined}
      data-active={isActive}
      className={classes(
        "min-h-11 px-3 py-2 text-sm",
        isActive ? "bg-accent-soft" : isChosen ? "bg-panel" : "",
        refusal === undefined ? "cursor-pointer hover:bg-panel" : "cursor-not-allowed",
      )}
      // The field keeps the focus.
      onMouseDown={(event) => event.preventDefault()}
      onClick={onPick}
    >
      <span className={classes("block font-medium break-words", refusal === undefined ? "" : "text-faint")}>
        {model.model}
        {model.is_default === true && <span className="font-normal text-soft"> {t("(default)")}</span>}
      </span>
      {model.name !== undefined && <span className="block text-soft">{model.name}</span>}
      <span className="block text-soft">{modelFacts(model)}</span>
      {refusal !== undefined && (
        <span className="block break-words text-soft">{t("Not available: {refusal}", { refusal })}</span>
      )}
    </li>
  );
}

/** What stands over the list: that it is on its way, that it cannot be had, that nothing fits. */
function ModelListMessage({
  list,
  shown,
  query,
}: {
  readonly list: ModelListState;
  readonly shown: number;
  readonly query: string;
}): ReactNode {
  const { data, error, refetch } = list;
  if (data === undefined && error === null)
    return (
      <div className="px-3 py-2">
        <Loading label={t("Loading models")} />
      </div>
    );
  if (data === undefined)
    return (
      <div role="alert" className="space-y-2 px-3 py-2 text-sm">
        <p className="text-bad">{t("Can’t load the models: {words}", { words: wordsOf(error) })}</p>
        <Button size="small" onClick={() => void refetch()}>
          {t("Try again")}
        </Button>
      </div>
    );
  const [source] = data.sources;
  return (
    <>
      {source?.message !== undefined && (
        <p className="border-b bg-warn-soft px-3 py-2 text-sm break-words">
          {source.from === "prices"
            ? t("The provider’s list can’t be read: {message}. These are models with a known price.", {
                message: source.message,
              })
            : t("The provider’s list can’t be read: {message}. This is the last one that was read.", {
                message: source.message,
              })}
        </p>
      )}
      {shown === 0 && (
        <p className="px-3 py-2 text-sm text-soft">
          {query.trim() === ""
            ? t("No models are known here. Type a name.")
            : t("No model matches “{query}”. It is used as it is typed.", { query: query.trim() })}
        </p>
      )}
    </>
  );
}
