import { useQuery } from "@tanstack/react-query";
import { Plus, RotateCcwKey, Webhook } from "lucide-react";
import { useState, type ReactNode } from "react";
import type { WebhookCreated, WebhookView } from "../../../../protocol/index.ts";
import { useConnection, useMay } from "../../../ui/app/connection.tsx";
import { Button } from "../../../ui/button.tsx";
import { Confirm } from "../../app/confirm.tsx";
import { CopyButton } from "../../../ui/copy-button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { Facts } from "../../../ui/facts.tsx";
import { NotPermitted } from "../../../ui/not-permitted.tsx";
import { Page } from "../../../ui/page.tsx";
import { Badge, Empty, Skeleton, Trouble } from "../../../ui/states.tsx";
import { money } from "../../../ui/words.tsx";
import { KEYS } from "../../app/feed.tsx";
import { useAct } from "../../app/use-act.ts";
import { Secret } from "../tokens/secret.tsx";
import { NewWebhook } from "./new-webhook.tsx";
import { History, Result, TriggerButtons } from "./parts.tsx";
import { plural, t } from "../../../ui/language/t.ts";

/** Deliveries come by themselves. */
const EACH_MS = 10_000;

export function WebhooksPage(): ReactNode {
  const may = useMay("trigger.manage");
  const [isMaking, setMaking] = useState(false);
  const [made, setMade] = useState<WebhookCreated>();
  return (
    <Page
      title={t("Webhooks")}
      intro={t("Sessions that begin when a signed delivery comes.")}
      {...(may
        ? {
            actions: (
              <Button variant="primary" onClick={() => setMaking(true)}>
                <Plus aria-hidden className="size-4" /> {t("New webhook")}
              </Button>
            ),
          }
        : {})}
    >
      {may ? <Webhooks onSecret={setMade} /> : <NotPermitted what={t("Webhooks")} roles={t("admin or operator")} />}
      {isMaking && <NewWebhook onMade={setMade} onClose={() => setMaking(false)} />}
      {made !== undefined && <Made webhook={made} onClose={() => setMade(undefined)} />}
    </Page>
  );
}

const addressOf = ({ path }: WebhookView): string => globalThis.location.origin + path;

function Made({ webhook, onClose }: { readonly webhook: WebhookCreated; readonly onClose: () => void }): ReactNode {
  return (
    <Dialog open onClose={onClose} title={t("The secret of {name}", { name: webhook.name })}>
      <div className="space-y-4">
        <Secret
          label={t("Secret")}
          text={webhook.secret}
          hint={t("Keep it: it is not shown again.")}
          copy={t("Copy the secret")}
        />
        <Secret
          label={t("Address")}
          text={addressOf(webhook)}
          hint={t("Where deliveries go, as Standard Webhooks signs them.")}
          copy={t("Copy the address")}
        />
        <div className="flex justify-end">
          <Button onClick={onClose}>{t("I have kept it")}</Button>
        </div>
      </div>
    </Dialog>
  );
}

function Webhooks({ onSecret }: { readonly onSecret: (made: WebhookCreated) => void }): ReactNode {
  const { client } = useConnection();
  const { data, error, isPending, refetch } = useQuery({
    queryKey: KEYS.webhooks,
    queryFn: async () => (await client.webhooks.list()).webhooks,
    refetchInterval: EACH_MS,
    staleTime: 0,
  });
  return (
    <>
      {error !== null && <Trouble title={t("Can’t load the webhooks")} error={error} onRetry={() => void refetch()} />}
      {isPending && <Skeleton className="h-40" />}
      {data?.length === 0 && (
        <Empty icon={Webhook} title={t("No webhooks")}>
          {t("Let an agent begin when an issue is opened or a build fails. The payload comes into its prompt as data.")}
        </Empty>
      )}
      <div className="grid grid-cols-1 gap-4 xl:grid-cols-2">
        {data?.map((webhook) => (
          <WebhookCard key={webhook.id} webhook={webhook} onSecret={onSecret} />
        ))}
      </div>
    </>
  );
}

function WebhookCard({
  webhook,
  onSecret,
}: {
  readonly webhook: WebhookView;
  readonly onSecret: (made: WebhookCreated) => void;
}): ReactNode {
  const { client } = useConnection();
  const { id, name, paused, last, max_cost_microusd: most } = webhook;
  const address = addressOf(webhook);
  return (
    <article
      aria-label={t("Webhook {name}", { name })}
      className="flex min-w-0 flex-col gap-3 rounded-xl border bg-raised p-4"
    >
      <header className="flex flex-wrap items-start justify-between gap-2">
        <div className="min-w-0">
          <h2 dir="auto" className="truncate rtl:text-right text-base font-semibold">
            {name}
          </h2>
          <Badge tone={paused ? "warn" : "ok"} className="mt-1">
            {paused ? t("paused") : t("open")}
          </Badge>
        </div>
        <div className="flex flex-wrap gap-1">
          <Rotate webhook={webhook} onSecret={onSecret} />
          <TriggerButtons
            trigger={webhook}
            calls={{
              list: KEYS.webhooks,
              kind: "webhook",
              control: (which, verb) => client.webhooks.control(which, verb),
              remove: (which) => client.webhooks.remove(which),
            }}
          />
        </div>
      </header>
      <Facts
        facts={[
          {
            label: t("Address"),
            value: (
              <span className="flex items-start gap-1">
                <code className="min-w-0 text-xs leading-5 break-all">{address}</code>
                <span className="-my-1.5">
                  <CopyButton text={address} label={t("Copy the address of {name}", { name })} />
                </span>
              </span>
            ),
          },
          { label: t("Template"), value: webhook.template },
          { label: t("At most"), value: most === undefined ? "" : t("{amount} a session", { amount: money(most) }) },
          { label: t("Acts as"), value: webhook.created_by.name },
          {
            label: t("Started"),
            value: plural({ one: "{count} session", other: "{count} sessions" }, { count: webhook.started }),
          },
          { label: t("Last"), value: last === undefined ? t("never") : <Result result={last} /> },
        ]}
      />
      <History
        label={t("Last deliveries")}
        queryKey={[...KEYS.webhooks, id, "history", last?.at ?? ""]}
        read={() => client.webhooks.history(id)}
      />
    </article>
  );
}

function Rotate({
  webhook: { id, name },
  onSecret,
}: {
  readonly webhook: WebhookView;
  readonly onSecret: (made: WebhookCreated) => void;
}): ReactNode {
  const { client } = useConnection();
  const { perform } = useAct(KEYS.webhooks);
  const [isOpen, setOpen] = useState(false);
  const rotate = async (): Promise<void> => onSecret(await client.webhooks.rotate(id));
  return (
    <>
      <Button size="small" aria-label={t("New secret for {name}", { name })} onClick={() => setOpen(true)}>
        <RotateCcwKey aria-hidden className="size-4" /> {t("New secret")}
      </Button>
      {isOpen && (
        <Confirm
          title={t("A new secret for {name}?", { name })}
          description={t("The old one is worth nothing from now on: deliveries that are signed with it are refused.")}
          verb={t("Make a new secret")}
          keep={t("Keep the old one")}
          act={() => perform({ run: rotate, done: t("{name} has a new secret.", { name }) })}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}
