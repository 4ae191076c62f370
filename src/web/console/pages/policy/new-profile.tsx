import { useState, type FormEvent, type ReactNode } from "react";
import type { Policy } from "../../../../protocol/index.ts";
import { Button } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { Field, Input, Select } from "../../../ui/field.tsx";
import { nameProblem } from "./draft.ts";

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
    <Dialog open onClose={onClose} title="New profile">
      <form onSubmit={submit} className="space-y-4">
        <Field label="Name" hint="Sessions choose the profile by this name." error={name === "" ? undefined : problem}>
          {(ids) => (
            <Input {...ids} autoFocus value={name} maxLength={100} onChange={(event) => setName(event.target.value)} />
          )}
        </Field>
        <Field label="Start from">
          {(ids) => (
            <Select {...ids} value={copyOf} onChange={(event) => setCopyOf(event.target.value)}>
              {names.map((other) => (
                <option key={other} value={other}>
                  a copy of {other}
                </option>
              ))}
              <option value="">nothing set</option>
            </Select>
          )}
        </Field>
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary" disabled={problem !== undefined}>
            Create profile
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
