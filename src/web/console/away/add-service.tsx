import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState, type FormEvent, type ReactNode } from "react";
import { NotificationEvent, type NotificationTargetCreated } from "../../../protocol/index.ts";
import { useConnection } from "../../ui/app/connection.tsx";
import { Button } from "../../ui/button.tsx";
import { Field, Input, Select } from "../../ui/field.tsx";
import { Trouble } from "../../ui/states.tsx";
import { KEYS } from "../app/feed.tsx";
import { EventChoice } from "./event-choice.tsx";
import {
  KIND_NAMES,
  SERVICE_FIELDS,
  SERVICE_KINDS,
  serviceRequest,
  type ServiceDraft,
  type ServiceKind,
} from "./service-kinds.ts";
import { t } from "../../ui/language/t.ts";

const EMPTY: ServiceDraft = { kind: "ntfy", name: "", values: {}, events: NotificationEvent.options };

/** A service that is told: its address goes to the server's secret store and is not shown again. */
export function AddService({
  onMade,
  onCancel,
}: {
  readonly onMade: (target: NotificationTargetCreated) => void;
  readonly onCancel: () => void;
}): ReactNode {
  const { client } = useConnection();
  const queries = useQueryClient();
  const [draft, setDraft] = useState(EMPTY);
  const add = useMutation({
    mutationFn: () => client.notifications.add(serviceRequest(draft, globalThis.location.origin)),
    onSuccess: async (target) => {
      onMade(target);
      await queries.invalidateQueries({ queryKey: KEYS.notifications });
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    add.mutate();
  };
  return (
    <form onSubmit={submit} className="space-y-4" aria-label={t("Add a service")}>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label={t("Service")}>
          {(ids) => (
            <Select
              {...ids}
              value={draft.kind}
              autoFocus
              onChange={(event) => setDraft({ ...draft, kind: event.target.value as ServiceKind, values: {} })}
            >
              {SERVICE_KINDS.map((kind) => (
                <option key={kind} value={kind}>
                  {KIND_NAMES[kind]}
                </option>
              ))}
            </Select>
          )}
        </Field>
        <Field label={t("Name")} hint={t("Optional.")}>
          {(ids) => (
            <Input
              {...ids}
              value={draft.name}
              maxLength={100}
              placeholder={KIND_NAMES[draft.kind]}
              onChange={(event) => setDraft({ ...draft, name: event.target.value })}
            />
          )}
        </Field>
      </div>
      {SERVICE_FIELDS[draft.kind].map(({ name, label, hint, placeholder, isSecret, isOptional }) => (
        <Field key={`${draft.kind}-${name}`} label={label} hint={hint}>
          {(ids) => (
            <Input
              {...ids}
              type={isSecret === true ? "password" : "text"}
              autoComplete="off"
              spellCheck={false}
              required={isOptional !== true}
              placeholder={placeholder}
              value={draft.values[name] ?? ""}
              onChange={(event) => setDraft({ ...draft, values: { ...draft.values, [name]: event.target.value } })}
            />
          )}
        </Field>
      ))}
      <EventChoice events={draft.events} onChange={(events) => setDraft({ ...draft, events })} />
      <p className="text-sm text-soft">
        {t("Messages name the session and the call, and link to the question here. They cannot answer it.")}
      </p>
      {add.error !== null && <Trouble title={t("It was not added")} error={add.error} />}
      <div className="flex justify-end gap-2">
        <Button onClick={onCancel}>{t("Cancel")}</Button>
        <Button type="submit" variant="primary" busy={add.isPending} disabled={draft.events.length === 0}>
          {t("Add")}
        </Button>
      </div>
    </form>
  );
}
