import { useQueryClient } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import type { WebhookCreated } from "../../../../protocol/index.ts";
import { useConnection } from "../../../ui/app/connection.tsx";
import { parseDollars } from "../../../ui/dollars.ts";
import { FormDialog } from "../../../ui/form-dialog.tsx";
import { KEYS } from "../../app/feed.tsx";
import { useTemplates } from "../new/template-data.ts";
import { isTriggerWhole, type TriggerFields } from "./fields.ts";
import { TriggerFieldset } from "./form.tsx";

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
  const make = async (): Promise<void> => {
    const most = fields.maxCost.trim() === "" ? undefined : parseDollars(fields.maxCost);
    const made = await client.webhooks.create({
      name: fields.name.trim(),
      template: fields.template,
      ...(most === undefined ? {} : { max_cost_microusd: most }),
    });
    void queries.invalidateQueries({ queryKey: KEYS.webhooks });
    onMade(made);
  };
  return (
    <FormDialog
      title="New webhook"
      description="What a delivery says comes from outside: use a template whose profile runs nothing harmful unasked."
      verb="Make the webhook"
      trouble="The webhook was not made"
      isWhole={isTriggerWhole(fields)}
      send={make}
      onClose={onClose}
    >
      <TriggerFieldset
        fields={fields}
        templates={templates.data ?? []}
        example="New issues"
        onChange={(change) => setFields({ ...fields, ...change })}
      />
    </FormDialog>
  );
}
