import { useState, type FormEvent, type ReactNode } from "react";
import { useConnection } from "../../../ui/app/connection.tsx";
import { Button } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { SelectField, TextField } from "../../../ui/field.tsx";
import { Note, wordsOf } from "../../../ui/states.tsx";
import { KEYS } from "../../app/feed.tsx";
import { useAct } from "../../app/use-act.ts";
import { useTemplates } from "../new/template-data.ts";
import { scheduleOf, type ScheduleFields } from "./fields.ts";
import { TriggerFieldset } from "./form.tsx";
import { t } from "../../../ui/language/t.ts";

export function NewSchedule({ onClose }: { readonly onClose: () => void }): ReactNode {
  const { client } = useConnection();
  const { perform, isActing } = useAct(KEYS.schedules);
  const templates = useTemplates();
  const [failure, setFailure] = useState<string>();
  const [fields, setFields] = useState<ScheduleFields>(() => ({
    name: "",
    template: "",
    maxCost: "",
    repeats: true,
    cron: "0 7 * * mon-fri",
    at: "",
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    missed: "run_once",
  }));
  const set = (change: Partial<ScheduleFields>): void => {
    setFailure(undefined);
    setFields((before) => ({ ...before, ...change }));
  };
  const request = scheduleOf(fields);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (request === undefined || isActing) return;
    perform({
      run: () => client.schedules.create(request),
      done: t("{name} is scheduled.", { name: request.name }),
    }).then(onClose, (error: unknown) => setFailure(wordsOf(error)));
  };
  return (
    <Dialog open onClose={onClose} title={t("New schedule")}>
      <form onSubmit={submit} className="space-y-4">
        <TriggerFieldset fields={fields} templates={templates.data ?? []} example="Morning triage" onChange={set} />
        <TimeFields fields={fields} onChange={set} />
        {failure !== undefined && (
          <Note tone="bad" role="alert">
            {failure}
          </Note>
        )}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{t("Cancel")}</Button>
          <Button type="submit" variant="primary" busy={isActing} disabled={request === undefined}>
            {t("Schedule it")}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

function TimeFields({
  fields,
  onChange,
}: {
  readonly fields: ScheduleFields;
  readonly onChange: (change: Partial<ScheduleFields>) => void;
}): ReactNode {
  return (
    <>
      <SelectField
        label={t("How often")}
        value={fields.repeats ? "again" : "once"}
        onChange={(choice) => onChange({ repeats: choice === "again" })}
      >
        <option value="again">{t("Again and again")}</option>
        <option value="once">{t("Once")}</option>
      </SelectField>
      {fields.repeats ? (
        <TextField
          label={t("Times")}
          hint={t(
            "Minute, hour, day of the month, month, day of the week; or @hourly, @daily, @weekly. In {timeZone}.",
            { timeZone: fields.timeZone },
          )}
          required
          spellCheck={false}
          className="font-mono"
          value={fields.cron}
          onChange={(text) => onChange({ cron: text })}
        />
      ) : (
        <TextField
          label={t("Time")}
          hint={t("In your own time zone.")}
          required
          type="datetime-local"
          value={fields.at}
          onChange={(text) => onChange({ at: text })}
        />
      )}
      <SelectField
        label={t("If a time is missed")}
        hint={t("Because no server ran.")}
        value={fields.missed}
        onChange={(choice) => onChange({ missed: choice === "skip" ? "skip" : "run_once" })}
      >
        <option value="run_once">{t("Run once, late")}</option>
        <option value="skip">{t("Skip it")}</option>
      </SelectField>
    </>
  );
}
