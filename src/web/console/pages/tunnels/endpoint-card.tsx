import { useMutation } from "@tanstack/react-query";
import { Activity, KeyRound, Trash2 } from "lucide-react";
import { useState, type ReactNode } from "react";
import type { TunnelReport, TunnelView, UsageLine } from "../../../../protocol/index.ts";
import { useConnection, useMay } from "../../../ui/app/connection.tsx";
import { Button } from "../../../ui/button.tsx";
import { Confirm } from "../../app/confirm.tsx";
import { Facts } from "../../../ui/facts.tsx";
import { Badge, Note, Trouble, type Tone } from "../../../ui/states.tsx";
import { duration, money } from "../../../ui/words.tsx";
import { KEYS } from "../../app/feed.tsx";
import { useAct } from "../../app/use-act.ts";
import { PairingDialog } from "./pairing.tsx";
import { agentWords, authWords, hostWords, rateWords, stateWords } from "./words.ts";
import { plural, t } from "../../../ui/language/t.ts";

const STATUS: Readonly<Record<TunnelReport["status"], { readonly label: string; readonly tone: Tone }>> = {
  ok: { label: t("works"), tone: "ok" },
  unreachable: { label: t("no answer"), tone: "bad" },
  refused: { label: t("refused"), tone: "bad" },
};

/** Another machine whose models sessions here can use. */
export function EndpointCard({
  tunnel,
  spent,
}: {
  readonly tunnel: TunnelView;
  readonly spent: UsageLine | undefined;
}): ReactNode {
  const { client } = useConnection();
  const mayTest = useMay("provider.test");
  const mayChange = useMay("policy.write") && tunnel.from === "stored";
  const test = useMutation({ mutationFn: () => client.tunnels.test(tunnel.id) });
  const { label, tone } = stateWords(tunnel.state);
  return (
    <article
      aria-label={t("Tunnel {id}", { id: tunnel.id })}
      className="flex min-w-0 flex-col gap-3 rounded-lg border p-4"
    >
      <header className="flex flex-wrap items-start justify-between gap-2">
        <div className="min-w-0">
          <h3 className="truncate text-base font-semibold">{tunnel.id}</h3>
          <div className="mt-1 flex flex-wrap gap-1.5">
            <Badge tone={tone}>{label}</Badge>
            {tunnel.from === "settings" && <Badge>{t("from sallyport.yaml")}</Badge>}
          </div>
        </div>
        <div className="flex flex-wrap gap-1">
          {mayTest && (
            <Button
              size="small"
              busy={test.isPending}
              onClick={() => test.mutate()}
              aria-label={t("Test {id}", { id: tunnel.id })}
            >
              <Activity aria-hidden className="size-4" /> {t("Test")}
            </Button>
          )}
          {mayChange && <Changes tunnel={tunnel} />}
        </div>
      </header>
      <Facts
        facts={[
          { label: t("In sessions"), value: <code className="text-xs">{tunnel.provider}</code> },
          { label: t("Machine"), value: hostWords(tunnel.url) },
          { label: t("Proof"), value: authWords(tunnel.auth_type) },
          { label: t("Agents"), value: agentWords(tunnel.allowed_agents) },
          { label: t("Rate limit"), value: rateWords(tunnel) },
          {
            label: t("Running"),
            value: plural({ one: "{count} request", other: "{count} requests" }, { count: tunnel.open_requests }),
          },
          { label: t("Cost so far"), value: spent === undefined ? t("nothing") : costWords(spent) },
        ]}
      />
      <Models models={tunnel.models} />
      {tunnel.message !== undefined && tunnel.state !== "connected" && <Note tone="warn">{tunnel.message}</Note>}
      <div aria-live="polite">
        {test.error !== null && <Trouble title={t("The test failed")} error={test.error} />}
        {test.data !== undefined && <Report report={test.data} />}
      </div>
    </article>
  );
}

function Changes({ tunnel }: { readonly tunnel: TunnelView }): ReactNode {
  const { client } = useConnection();
  const { perform } = useAct(KEYS.tunnels);
  const [open, setOpen] = useState<"code" | "remove">();
  const close = (): void => setOpen(undefined);
  return (
    <>
      {tunnel.url === undefined && (
        <Button size="small" onClick={() => setOpen("code")} aria-label={t("Pair {id} with a code", { id: tunnel.id })}>
          <KeyRound aria-hidden className="size-4" /> {t("Pair")}
        </Button>
      )}
      <Button
        size="small"
        variant="quiet"
        onClick={() => setOpen("remove")}
        aria-label={t("Remove {id}", { id: tunnel.id })}
      >
        <Trash2 aria-hidden className="size-4" />
      </Button>
      {open === "code" && <PairingDialog id={tunnel.id} show={() => client.tunnels.code(tunnel.id)} onClose={close} />}
      {open === "remove" && (
        <Confirm
          title={t("Remove the tunnel {id}?", { id: tunnel.id })}
          description={t("Requests that run over it are cut off at once. Sessions that use it need another provider.")}
          verb={t("Remove the tunnel")}
          keep={t("Keep it")}
          act={() =>
            perform({
              run: () => client.tunnels.remove(tunnel.id),
              done: t("The tunnel {id} is gone.", { id: tunnel.id }),
            })
          }
          onClose={close}
        />
      )}
    </>
  );
}

function costWords({ cost_microusd, requests }: UsageLine): string {
  return plural(
    { one: "{cost} for {count} request", other: "{cost} for {count} requests" },
    { cost: money(cost_microusd), count: requests },
  );
}

function Models({ models }: { readonly models: readonly string[] }): ReactNode {
  if (models.length === 0) return <p className="text-sm text-soft">{t("Its models are not known yet.")}</p>;
  return (
    <details className="text-sm">
      <summary className="cursor-pointer py-1 text-soft">
        {plural({ one: "{count} model", other: "{count} models" }, { count: models.length })}
      </summary>
      <ul className="mt-1 max-h-48 overflow-auto font-mono text-xs leading-5">
        {models.map((model) => (
          <li key={model} className="break-all">
            {model}
          </li>
        ))}
      </ul>
    </details>
  );
}

function Report({ report }: { readonly report: TunnelReport }): ReactNode {
  const { label, tone } = STATUS[report.status];
  return (
    <p className="flex flex-wrap items-center gap-2 rounded-lg border px-3 py-2 text-sm">
      <Badge tone={tone}>{label}</Badge>
      {report.latency_ms !== undefined && <span className="text-soft">{duration(report.latency_ms)}</span>}
      <span className="min-w-0 break-words">{report.message}</span>
    </p>
  );
}
