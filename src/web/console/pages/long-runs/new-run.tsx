import { useState, type FormEvent, type ReactNode } from "react";
import { useConnection } from "../../../ui/app/connection.tsx";
import { Button } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { Field, TextArea, TextField } from "../../../ui/field.tsx";
import { Note, wordsOf } from "../../../ui/states.tsx";
import { KEYS } from "../../app/feed.tsx";
import { useAct } from "../../app/use-act.ts";
import { amountProblem } from "../tokens/keys/key-fields.ts";
import { longRunOf, type LongRunFields } from "./fields.ts";
import { t } from "../../../ui/language/t.ts";

export function NewLongRun({ onClose }: { readonly onClose: () => void }): ReactNode {
  const { client } = useConnection();
  const { perform, isActing } = useAct(KEYS.longRuns);
  const [failure, setFailure] = useState<string>();
  const [fields, setFields] = useState<LongRunFields>({
    name: "",
    task: "",
    maxCost: "20",
    workspace: "",
    isAutonomous: false,
  });
  const set = (change: Partial<LongRunFields>): void => {
    setFailure(undefined);
    setFields((before) => ({ ...before, ...change }));
  };
  const request = longRunOf(fields);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (request === undefined || isActing) return;
    perform({ run: () => client.longRuns.start(request), done: t("{name} has begun.", { name: request.name }) }).then(
      onClose,
      (error: unknown) => setFailure(wordsOf(error)),
    );
  };
  return (
    <Dialog open onClose={onClose} title={t("New long run")}>
      <form onSubmit={submit} className="space-y-4">
        <RunFields fields={fields} onChange={set} />
        {failure !== undefined && (
          <Note tone="bad" role="alert">
            {failure}
          </Note>
        )}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{t("Cancel")}</Button>
          <Button type="submit" variant="primary" busy={isActing} disabled={request === undefined}>
            {t("Start it")}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

function RunFields({
  fields,
  onChange,
}: {
  readonly fields: LongRunFields;
  readonly onChange: (change: Partial<LongRunFields>) => void;
}): ReactNode {
  return (
    <>
      <TextField
        label={t("Name")}
        autoFocus
        required
        maxLength={200}
        value={fields.name}
        placeholder={t("Shopping lists")}
        onChange={(text) => onChange({ name: text })}
      />
      <Field label={t("What to build")} hint={t("The first session turns it into a list of features.")}>
        {(ids) => (
          <TextArea
            {...ids}
            required
            rows={4}
            value={fields.task}
            placeholder={t("A web app for shopping lists that works on phones")}
            onChange={(event) => onChange({ task: event.target.value })}
          />
        )}
      </Field>
      <TextField
        label={t("Budget in dollars")}
        hint={t("For all its sessions together. It is never passed.")}
        error={amountProblem(fields.maxCost)}
        required
        inputMode="decimal"
        value={fields.maxCost}
        onChange={(text) => onChange({ maxCost: text })}
      />
      <TextField
        label={t("Folder")}
        hint={t("A new one if empty.")}
        spellCheck={false}
        value={fields.workspace}
        placeholder="/home/you/shopping"
        onChange={(text) => onChange({ workspace: text })}
      />
      <label className="flex items-start gap-2 text-sm">
        <input
          type="checkbox"
          className="mt-1"
          checked={fields.isAutonomous}
          onChange={(event) => onChange({ isAutonomous: event.target.checked })}
        />
        <span>
          {t("Run without asking")}
          <span className="block text-soft">
            {t("Otherwise it waits for your answers. Only as far as your role and the policy allow.")}
          </span>
        </span>
      </label>
    </>
  );
}
