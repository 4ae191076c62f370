import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useEffect, useId, useState, type KeyboardEvent, type ReactNode } from "react";
import type { Approval, EditPreview } from "../../../protocol/index.ts";
import { useConnection } from "../../ui/app/connection.tsx";
import { Button } from "../../ui/button.tsx";
import { TextArea } from "../../ui/field.tsx";
import { Note, Skeleton, Trouble } from "../../ui/states.tsx";
import { fieldsOf, inputOfJson, shownText, withTexts, type EditedToolInput } from "./edit.ts";
import { InFooter } from "./footer-slot.tsx";
import { PreviewView } from "./preview.tsx";
import { Warnings } from "./warnings.tsx";
import { t } from "../../ui/language/t.ts";

const DEBOUNCE_MS = 350;
const LONGEST_BOX_ROWS = 18;

/** Changes the input before approval, and shows at once what the changed call would do. */
export function Editor({
  approval,
  busy,
  onBack,
  onApprove,
}: {
  readonly approval: Approval;
  readonly busy: boolean;
  readonly onBack: () => void;
  readonly onApprove: (input: Approval["input"]) => void;
}): ReactNode {
  const [fields] = useState(() => fieldsOf(approval.tool, approval.input));
  const asJson = fields.length === 0;
  const [texts, setTexts] = useState<readonly string[]>(() =>
    asJson ? [JSON.stringify(approval.input, null, 2)] : fields.map(({ text }) => shownText(text)),
  );
  const made = asJson ? inputOfJson(texts[0] ?? "") : { input: withTexts(approval.input, fields, texts) };
  const input = "input" in made ? made.input : undefined;
  const unchanged = input !== undefined && JSON.stringify(input) === JSON.stringify(approval.input);
  const { preview, isCurrent, error } = useEditPreview(approval.id, unchanged ? undefined : input);
  const ready = input !== undefined && !unchanged && isCurrent && preview?.ruling.effect !== "deny";
  return (
    <div className="space-y-4">
      {(asJson ? [{ label: t("Input as JSON") }] : fields).map(({ label }, index) => (
        <Box
          key={label}
          label={label}
          first={index === 0}
          text={texts[index] ?? ""}
          onText={(text) => setTexts((before) => before.map((old, other) => (other === index ? text : old)))}
          onEscape={onBack}
        />
      ))}
      {"problem" in made && <Note tone="bad">{made.problem}</Note>}
      {error !== null && !unchanged && <Trouble title={t("The changed call cannot be approved")} error={error} />}
      {unchanged ? (
        <p className="text-sm text-soft">{t("Nothing changed yet.")}</p>
      ) : (
        <Changed preview={preview} input={input} stale={!isCurrent} />
      )}
      <InFooter>
        <Button variant="quiet" onClick={onBack}>
          {t("Back")}
        </Button>
        <Button variant="ok" disabled={!ready} busy={busy} onClick={() => input !== undefined && onApprove(input)}>
          {t("Approve as changed")}
        </Button>
      </InFooter>
    </div>
  );
}

/** The server's preview of the changed call. `isCurrent`: it is about exactly this input. */
function useEditPreview(
  id: string,
  input: EditedToolInput | undefined,
): { readonly preview: EditPreview | undefined; readonly isCurrent: boolean; readonly error: Error | null } {
  const { client } = useConnection();
  const settled = useSettled(input === undefined ? undefined : JSON.stringify(input));
  const query = useQuery({
    queryKey: ["approval-edit", id, settled],
    queryFn: () => client.previewEdit(id, { input: JSON.parse(settled ?? "{}") as EditedToolInput }),
    enabled: settled !== undefined,
    placeholderData: keepPreviousData,
    retry: false,
    gcTime: 0,
  });
  const isCurrent =
    query.isSuccess && !query.isPlaceholderData && input !== undefined && settled === JSON.stringify(input);
  return { preview: query.data, isCurrent, error: query.error };
}

/** A text once nobody has changed it for a moment. */
function useSettled(text: string | undefined): string | undefined {
  const [settled, setSettled] = useState<string>();
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}

function Changed({
  preview,
  input,
  stale,
}: {
  readonly preview: EditPreview | undefined;
  readonly input: EditedToolInput | undefined;
  readonly stale: boolean;
}): ReactNode {
  if (preview === undefined) return input === undefined ? null : <Skeleton className="h-24" />;
  const { effect, why } = preview.ruling;
  return (
    <section
      aria-label={t("The changed call")}
      aria-busy={stale}
      className={stale ? "space-y-3 opacity-60" : "space-y-3"}
    >
      <h3 className="text-sm font-medium">{t("With your changes")}</h3>
      <Note tone={effect === "deny" ? "bad" : "info"} role="status">
        {effect === "deny"
          ? t("Policy blocks the changed call: {why}", { why })
          : t("You can approve this: {why}", { why })}
      </Note>
      <Warnings warnings={preview.warnings} />
      <PreviewView preview={preview.preview} input={input ?? {}} />
    </section>
  );
}

/** A field for code: Tab writes a tab, Escape goes back. */
function Box({
  label,
  text,
  first,
  onText,
  onEscape,
}: {
  readonly label: string;
  readonly text: string;
  readonly first: boolean;
  readonly onText: (text: string) => void;
  readonly onEscape: () => void;
}): ReactNode {
  const id = useId();
  const pressed = (event: KeyboardEvent<HTMLTextAreaElement>): void => {
    if (event.key === "Escape") {
      event.preventDefault();
      onEscape();
    }
    if (event.key !== "Tab" || event.shiftKey || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const box = event.currentTarget;
    box.setRangeText("\t", box.selectionStart, box.selectionEnd, "end");
    onText(box.value);
  };
  return (
    <div className="space-y-1.5">
      <label htmlFor={id} className="block text-sm font-medium">
        {label}
      </label>
      <TextArea
        id={id}
        aria-describedby={`${id}-hint`}
        className="field-sizing-content max-h-96 min-h-16 font-mono text-[0.8rem] leading-5 [tab-size:4]"
        rows={Math.min(LONGEST_BOX_ROWS, text.slice(0, 10_000).split("\n").length + 1)}
        spellCheck={false}
        autoCapitalize="off"
        autoFocus={first}
        value={text}
        onChange={(event) => onText(event.target.value)}
        onKeyDown={pressed}
      />
      <p id={`${id}-hint`} className="text-xs text-faint max-md:sr-only">
        {t("Tab inserts a tab, Shift+Tab leaves the field, Esc goes back.")}
      </p>
    </div>
  );
}
