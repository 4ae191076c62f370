import { useQuery } from "@tanstack/react-query";
import { KeyRound, Pause, Play, Scissors } from "lucide-react";
import { useState, type ReactNode } from "react";
import type { TunnelOfferView, UsageLine } from "../../../../protocol/index.ts";
import { useConnection, useMay } from "../../../ui/app/connection.tsx";
import { Button } from "../../../ui/button.tsx";
import { Confirm } from "../../app/confirm.tsx";
import { DataTable, type TableColumn } from "../../../ui/data-table.tsx";
import { Facts } from "../../../ui/facts.tsx";
import { Badge, Note, Skeleton, Trouble } from "../../../ui/states.tsx";
import { Ago, count, money } from "../../../ui/words.tsx";
import { DEFAULT_ENGINE } from "../../app/engine-words.ts";
import { KEYS } from "../../app/feed.tsx";
import { useAct } from "../../app/use-act.ts";
import { keyLimitWords } from "../tokens/keys/key-fields.ts";
import { PairingDialog } from "./pairing.tsx";
import { agentWords, authWords, hostWords, offerWords, tunnelAddress } from "./words.ts";
import { rich, t } from "../../../ui/language/t.ts";

const COLUMNS: readonly TableColumn<UsageLine>[] = [
  { label: t("Model"), heading: true, cell: ({ model }) => <code className="text-xs break-all">{model}</code> },
  { label: t("Requests"), figure: true, cell: ({ requests }) => count(requests) },
  { label: t("Tokens"), figure: true, cell: ({ tokens }) => count(tokens.input + tokens.output) },
  { label: t("Cost"), figure: true, cell: ({ cost_microusd }) => money(cost_microusd) },
];

/** What one remote party may ask of this machine, has asked and cost, and the ways to say no. */
export function OfferCard({ offer }: { readonly offer: TunnelOfferView }): ReactNode {
  const mayChange = useMay("policy.write");
  const { label, tone } = offerWords(offer);
  return (
    <article
      aria-label={t("Offer {id}", { id: offer.id })}
      className="flex min-w-0 flex-col gap-3 rounded-lg border p-4"
    >
      <header className="flex flex-wrap items-start justify-between gap-2">
        <div className="min-w-0">
          <h3 className="truncate text-base font-semibold">{offer.id}</h3>
          <div className="mt-1 flex flex-wrap gap-1.5">
            <Badge tone={tone}>{label}</Badge>
            {offer.sessions && <Badge tone="warn">{t("sessions allowed")}</Badge>}
          </div>
        </div>
        {mayChange && <Changes offer={offer} />}
      </header>
      <Facts
        facts={[
          { label: t("Who"), value: <Parties offer={offer} /> },
          { label: t("Proof"), value: authWords(offer.auth_type) },
          { label: t("May connect"), value: agentWords(offer.allowed_agents) },
          { label: t("Machine"), value: hostWords(offer.dial) },
          { label: t("Limits"), value: keyLimitWords(offer).join(" · ") },
          { label: t("Profile"), value: offer.profile ?? "" },
          { label: t("Engine"), value: offer.sessions ? <code>{offer.engine ?? DEFAULT_ENGINE}</code> : "" },
          { label: t("Requests"), value: <Requests offer={offer} /> },
          { label: t("Cost so far"), value: money(offer.spent_microusd) },
          { label: t("Reserved"), value: offer.reserved_microusd === 0 ? "" : money(offer.reserved_microusd) },
        ]}
      />
      {offer.message !== undefined && <Note tone="warn">{offer.message}</Note>}
      <Asked offer={offer} />
    </article>
  );
}

function Parties({ offer: { parties } }: { readonly offer: TunnelOfferView }): ReactNode {
  if (parties.length === 0) return t("nobody is connected");
  return (
    <ul>
      {parties.map(({ since, pubkey }, index) => (
        <li key={`${since}-${String(index)}`} className="break-words">
          {rich("{gateway}, since {ago}", {
            gateway: pubkey === undefined ? t("one gateway") : <code className="text-xs break-all">{pubkey}</code>,
            ago: <Ago at={since} />,
          })}
        </li>
      ))}
    </ul>
  );
}

function Requests({ offer }: { readonly offer: TunnelOfferView }): ReactNode {
  const { requests, open_requests: open, last_request_at: last } = offer;
  return (
    <>
      {t("{requests} since the server started", { requests: count(requests) })}
      {open > 0 && <>, {t("{open} running", { open: count(open) })}</>}
      {last !== undefined && <>, {rich("the last {ago}", { ago: <Ago at={last} /> })}</>}
    </>
  );
}

/** By model, from this machine's own ledger. */
function Asked({ offer }: { readonly offer: TunnelOfferView }): ReactNode {
  const { client } = useConnection();
  const may = useMay("usage.read");
  const [isOpen, setOpen] = useState(false);
  const usage = useQuery({
    queryKey: [...KEYS.tunnels, "asked", offer.key_id, offer.spent_microusd],
    queryFn: () => client.usage({ by: ["model"], key: offer.key_id }),
    enabled: isOpen && may,
    placeholderData: (before) => before,
  });
  if (!may) return undefined;
  return (
    <details className="text-sm" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="cursor-pointer py-1 text-soft">{t("What it asked for")}</summary>
      {usage.isPending && <Skeleton className="h-16" />}
      {usage.error !== null && (
        <Trouble title={t("Can’t load what it asked for")} error={usage.error} onRetry={() => void usage.refetch()} />
      )}
      {usage.data?.lines.length === 0 && <p className="py-2 text-soft">{t("Nothing so far.")}</p>}
      {usage.data !== undefined && usage.data.lines.length > 0 && (
        <DataTable
          label={t("What {id} asked for", { id: offer.id })}
          columns={COLUMNS}
          rows={usage.data.lines}
          keyOf={({ model }) => model ?? ""}
        />
      )}
    </details>
  );
}

function Changes({ offer }: { readonly offer: TunnelOfferView }): ReactNode {
  const { client } = useConnection();
  const { act, perform, isActing } = useAct(KEYS.tunnels);
  const [open, setOpen] = useState<"code" | "revoke">();
  const close = (): void => setOpen(undefined);
  const { id, paused } = offer;
  const toggle = (): void =>
    paused
      ? act({ run: () => client.tunnels.continueOffer(id), done: t("{id} may connect again.", { id }) })
      : act({
          run: () => client.tunnels.pauseOffer(id),
          done: t("{id} is cut, and may not connect until you continue.", { id }),
        });
  return (
    <div className="flex flex-wrap gap-1">
      {offer.auth_type === "psk" && offer.dial === undefined && (
        <Button size="small" onClick={() => setOpen("code")} aria-label={t("Pair {id} with a code", { id })}>
          <KeyRound aria-hidden className="size-4" /> {t("Pair")}
        </Button>
      )}
      <Button
        size="small"
        busy={isActing}
        onClick={toggle}
        aria-label={paused ? t("Continue {id}", { id }) : t("Pause {id}", { id })}
      >
        {paused ? <Play aria-hidden className="size-4" /> : <Pause aria-hidden className="size-4" />}
        {paused ? t("Continue") : t("Pause")}
      </Button>
      <Button size="small" variant="danger" onClick={() => setOpen("revoke")} aria-label={t("Revoke {id}", { id })}>
        <Scissors aria-hidden className="size-4" /> {t("Revoke")}
      </Button>
      {open === "code" && (
        <PairingDialog
          id={id}
          address={tunnelAddress(globalThis.location.origin)}
          show={() => client.tunnels.offerCode(id)}
          onClose={close}
        />
      )}
      {open === "revoke" && (
        <Confirm
          title={t("Revoke {id}?", { id })}
          description={t(
            "Its connections and running requests end at once, and its key is worth nothing. What it has cost stays in the usage.",
          )}
          verb={t("Revoke it")}
          keep={t("Keep it")}
          act={() => perform({ run: () => client.tunnels.revoke(id), done: t("{id} is revoked.", { id }) })}
          onClose={close}
        />
      )}
    </div>
  );
}
