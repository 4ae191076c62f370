import { useState, type ReactNode } from "react";
import { LIMITS, type LineComment } from "../../../../protocol/index.ts";
import { Button } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { Field, Input, Select, TextArea } from "../../../ui/field.tsx";
import { sendForm } from "../../../ui/send-form.ts";
import { visible } from "../../../ui/visible.ts";
import type { DiffLinePlace } from "../../approval/diff/actions.ts";
import { t } from "../../../ui/language/t.ts";

/** A file, and the line if one was pointed at. */
export interface CommentSubject {
  readonly path: string;
  readonly place?: DiffLinePlace | undefined;
}

/** Writes a comment on a line. It is kept until all are sent together. */
export function CommentDialog({
  subject,
  onClose,
  onAdd,
}: {
  readonly subject: CommentSubject;
  readonly onClose: () => void;
  readonly onAdd: (comment: LineComment) => void;
}): ReactNode {
  const { path, place } = subject;
  const [line, setLine] = useState(place === undefined ? "" : String(place.line));
  const [side, setSide] = useState<"old" | "new">(place?.side ?? "new");
  const [text, setText] = useState("");
  const [isSent, setSent] = useState(false);
  const number = /^\d{1,9}$/.test(line) ? Number(line) : 0;
  return (
    <Dialog open onClose={onClose} title={t("Comment on a line")} description={visible(path)}>
      <form
        className="space-y-3"
        onKeyDown={sendForm}
        onSubmit={(event) => {
          event.preventDefault();
          setSent(true);
          if (number < 1 || text.trim() === "") return;
          const quote = place?.text.slice(0, LIMITS.quotedLineChars).replace(/\r$/, "");
          onAdd({ path, line: number, side, text: text.trim(), ...(quote === undefined ? {} : { quote }) });
          onClose();
        }}
      >
        {place === undefined ? (
          <div className="grid grid-cols-2 gap-3">
            <Field label={t("Line")} error={isSent && number < 1 ? t("Give the line’s number.") : undefined}>
              {(ids) => (
                <Input
                  {...ids}
                  autoFocus
                  inputMode="numeric"
                  value={line}
                  onChange={(event) => setLine(event.target.value)}
                />
              )}
            </Field>
            <Field label={t("Version")}>
              {(ids) => (
                <Select
                  {...ids}
                  value={side}
                  onChange={(event) => setSide(event.target.value === "old" ? "old" : "new")}
                >
                  <option value="new">{t("After the change")}</option>
                  <option value="old">{t("Before the change")}</option>
                </Select>
              )}
            </Field>
          </div>
        ) : (
          <p className="rounded-lg border bg-sunken px-3 py-2 text-sm">
            <span className="text-soft">
              {side === "old"
                ? t("Line {line}, before the change", { line: String(place.line) })
                : t("Line {line}", { line: String(place.line) })}
            </span>
            <code className="mt-1 block break-words whitespace-pre-wrap">{visible(place.text)}</code>
          </p>
        )}
        <Field label={t("Comment")} error={isSent && text.trim() === "" ? t("Say what should change.") : undefined}>
          {(ids) => (
            <TextArea
              {...ids}
              rows={4}
              autoFocus={place !== undefined}
              value={text}
              maxLength={LIMITS.lineCommentChars}
              onChange={(event) => setText(event.target.value)}
            />
          )}
        </Field>
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{t("Cancel")}</Button>
          <Button variant="primary" type="submit">
            {t("Add comment")}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
