import { Plus, X } from "lucide-react";
import { useId, useRef, useState, type ClipboardEvent, type KeyboardEvent, type ReactNode } from "react";
import { Button } from "../../../ui/button.tsx";
import { classes } from "../../../ui/classes.ts";
import { Input } from "../../../ui/field.tsx";
import { withEntries } from "./draft.ts";
import { t } from "../../../ui/language/t.ts";

interface ListEditorProps {
  readonly label: string;
  readonly hint: string;
  readonly example: string;
  readonly list: readonly string[];
  readonly problems: readonly { readonly message: string; readonly index?: number }[];
  readonly onChange: (list: readonly string[]) => void;
}

/** Entries that can be added, removed and edited. */
export function ListEditor({ label, hint, example, list, problems, onChange }: ListEditorProps): ReactNode {
  const [text, setText] = useState("");
  const id = useId();
  const box = useRef<HTMLInputElement>(null);
  const add = (): void => {
    if (text.trim() === "") return;
    onChange(withEntries(list, text));
    setText("");
  };
  const takeUp = (entry: string): void => {
    onChange(list.filter((other) => other !== entry));
    setText(entry);
    box.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    add();
  };
  const onPaste = (event: ClipboardEvent): void => {
    const pasted = event.clipboardData.getData("text");
    if (!pasted.includes("\n")) return;
    event.preventDefault();
    onChange(withEntries(list, pasted));
  };
  return (
    <div className="space-y-1.5">
      <label htmlFor={id} className="block text-sm font-medium">
        {label}
      </label>
      <Entries label={label} list={list} problems={problems} onTakeUp={takeUp} onChange={onChange} />
      <div className="flex gap-2">
        <Input
          ref={box}
          id={id}
          aria-describedby={`${id}-hint`}
          className="font-mono"
          value={text}
          placeholder={t("for example {example}", { example })}
          spellCheck={false}
          autoCapitalize="none"
          onChange={(event) => setText(event.target.value)}
          onKeyDown={onKeyDown}
          onPaste={onPaste}
        />
        <Button onClick={add} disabled={text.trim() === ""} aria-label={t("Add to {label}", { label })}>
          <Plus aria-hidden className="size-4" /> {t("Add")}
        </Button>
      </div>
      <ListNotes id={`${id}-hint`} hint={hint} text={text} problems={problems} />
    </div>
  );
}

function Entries({
  label,
  list,
  problems,
  onTakeUp,
  onChange,
}: Pick<ListEditorProps, "label" | "list" | "problems" | "onChange"> & {
  readonly onTakeUp: (entry: string) => void;
}): ReactNode {
  if (list.length === 0) return undefined;
  return (
    <ul aria-label={label} className="flex flex-wrap gap-1.5">
      {list.map((entry, index) => (
        <Entry
          key={entry}
          entry={entry}
          wrong={problems.some((problem) => problem.index === index)}
          onTakeUp={() => onTakeUp(entry)}
          onRemove={() => onChange(list.filter((other) => other !== entry))}
        />
      ))}
    </ul>
  );
}

function ListNotes({
  id,
  hint,
  text,
  problems,
}: Pick<ListEditorProps, "hint" | "problems"> & { readonly id: string; readonly text: string }): ReactNode {
  return (
    <div id={id} className="text-sm">
      {problems.map(({ message }) => (
        <p key={message} role="alert" className="text-bad">
          {message}
        </p>
      ))}
      {text.trim() !== "" && <p className="text-warn">{t("Press Enter to add it.")}</p>}
      {problems.length === 0 && text.trim() === "" && <p className="text-faint">{hint}</p>}
    </div>
  );
}

function Entry({
  entry,
  wrong,
  onTakeUp,
  onRemove,
}: {
  readonly entry: string;
  readonly wrong: boolean;
  readonly onTakeUp: () => void;
  readonly onRemove: () => void;
}): ReactNode {
  return (
    <li
      className={classes(
        "flex max-w-full items-center rounded-md border font-mono text-xs",
        wrong ? "border-bad bg-bad-soft text-bad" : "bg-panel",
      )}
    >
      <button
        type="button"
        title={t("Change")}
        onClick={onTakeUp}
        className="min-h-7 min-w-0 rounded-s-md px-2 text-start break-all hover:bg-sunken"
      >
        {entry}
      </button>
      <button
        type="button"
        aria-label={t("Remove {entry}", { entry })}
        onClick={onRemove}
        className="grid size-7 shrink-0 place-items-center rounded-e-md text-faint hover:bg-sunken hover:text-ink"
      >
        <X aria-hidden className="size-3.5" />
      </button>
    </li>
  );
}
