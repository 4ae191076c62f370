import { useState, type FormEvent, type ReactNode } from "react";
import type { Policy } from "../../../../protocol/index.ts";
import { Button } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { Field, Input, Select } from "../../../ui/field.tsx";
import { nameProblem } from "./draft.ts";
import { t } from "../../../ui/language/t.ts";

/** A new profile begins as a copy of another, or with nothing set. */
export function NewProfile({
  policy,
  onClose,
  onMake,
}: {
  readonly policy: Policy;
  readonly onClose: () => void;
  readonly onMake: (name: string, copyOf: string) => void;
}): ReactNode {
  const [name, setName] = useState("");
  const [copyOf, setCopyOf] = useState(policy.default_profile);
  const names = Object.keys(policy.profiles);
  const problem = nameProblem(name, names);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (problem === undefined) onMake(name, copyOf);
  };
  return (
    <Dialog open onClose={onClose} title={t("New profile")}>
      <form onSubmit={submit} className="space-y-4">
        <Field
          label={t("Name")}
          hint={t("Sessions choose the profile by this name.")}
          error={name === "" ? undefined : problem}
        >
          {(ids) => (
            <Input {...ids} autoFocus value={name} maxLength={100} onChange={(event) => setName(event.target.value)} />
          )}
        </Field>
        <Field label={t("Start from")}>
          {(ids) => (
            <Select {...ids} value={copyOf} onChange={(event) => setCopyOf(event.target.value)}>
              {names.map((other) => (
                <option key={other} value={other}>
                  {t("a copy of {other}", { other })}
                </option>
              ))}
              <option value="">{t("nothing set")}</option>
            </Select>
          )}
        </Field>
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{t("Cancel")}</Button>
          <Button type="submit" variant="primary" disabled={problem !== undefined}>
            {t("Create profile")}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
