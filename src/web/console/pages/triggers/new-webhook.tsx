import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState, type FormEvent, type ReactNode } from "react";
import type { WebhookCreated } from "../../../../protocol/index.ts";
import { useConnection } from "../../../ui/app/connection.tsx";
import { Button } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { parseDollars } from "../../../ui/dollars.ts";
import { Trouble } from "../../../ui/states.tsx";
import { KEYS } from "../../app/feed.tsx";
import { useTemplates } from "../new/template-data.ts";
import { isTriggerWhole, type TriggerFields } from "./fields.ts";
import { TriggerFieldset } from "./form.tsx";
import { t } from "../../../ui/language/t.ts";

export function NewWebhook({
  onMade,
  onClose,
}: {
  readonly onMade: (made: WebhookCreated) => void;
  readonly onClose: () => void;
}): ReactNode {
  const { client } = useConnection();
  const queries = useQueryClient();
  const templates = useTemplates();
  const [fields, setFields] = useState<TriggerFields>({ name: "", template: "", maxCost: "" });
  const most = fields.maxCost.trim() === "" ? undefined : parseDollars(fields.maxCost);
  const make = useMutation({
    mutationFn: () =>
      client.webhooks.create({
        name: fields.name.trim(),
        template: fields.template,
        ...(most === undefined ? {} : { max_cost_microusd: most }),
      }),
    onSuccess: (made) => {
      void queries.invalidateQueries({ queryKey: KEYS.webhooks });
      onClose();
      onMade(made);
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (isTriggerWhole(fields)) make.mutate();
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title={t("New webhook")}
      description={t(
        "What a delivery says comes from outside: use a template whose profile runs nothing harmful unasked.",
      )}
    >
      <form onSubmit={submit} className="space-y-4">
        <TriggerFieldset
          fields={fields}
          templates={templates.data ?? []}
          example="New issues"
          onChange={(change) => setFields((before) => ({ ...before, ...change }))}
        />
        {make.error !== null && <Trouble title={t("The webhook was not made")} error={make.error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{t("Cancel")}</Button>
          <Button type="submit" variant="primary" busy={make.isPending} disabled={!isTriggerWhole(fields)}>
            {t("Make the webhook")}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
