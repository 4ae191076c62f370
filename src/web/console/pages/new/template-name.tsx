import { useState, type FormEvent, type ReactNode } from "react";
import { Button } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { Field, Input } from "../../../ui/field.tsx";
import { wordsOf } from "../../../ui/states.tsx";
import { t } from "../../../ui/language/t.ts";

interface NameProps {
  readonly title: string;
  readonly description?: string;
  readonly name: string;
  readonly busy: boolean;
  readonly error: Error | null;
  readonly onName: (name: string) => void;
  readonly onClose: () => void;
}

/** Asks for a template's name. */
export function NameDialog({ open, ...props }: NameProps & { readonly open: boolean }): ReactNode {
  const { title, description, onClose } = props;
  return (
    <Dialog open={open} onClose={onClose} title={title} {...(description === undefined ? {} : { description })}>
      <NameForm {...props} />
    </Dialog>
  );
}

function NameForm({ name, busy, error, onName, onClose }: NameProps): ReactNode {
  const [text, setText] = useState(name);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    // A form inside another form's tree: the outer one must not receive the event.
    event.stopPropagation();
    if (text.trim() !== "") onName(text.trim());
  };
  return (
    <form onSubmit={submit}>
      <Field label={t("Name")} error={error === null ? undefined : wordsOf(error)}>
        {(ids) => (
          <Input
            {...ids}
            autoFocus
            required
            maxLength={200}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        )}
      </Field>
      <div className="mt-4 flex justify-end gap-2">
        <Button onClick={onClose}>{t("Cancel")}</Button>
        <Button type="submit" variant="primary" busy={busy} disabled={text.trim() === ""}>
          {t("Save")}
        </Button>
      </div>
    </form>
  );
}
