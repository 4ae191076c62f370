import { useMutation } from "@tanstack/react-query";
import { Activity } from "lucide-react";
import type { ReactNode } from "react";
import type { ProviderReport, ProviderView } from "../../../../protocol/index.ts";
import { useConnection, useMay } from "../../../ui/app/connection.tsx";
import { Button } from "../../../ui/button.tsx";
import { Facts } from "../../../ui/facts.tsx";
import { Badge, Note, Trouble, type Tone } from "../../../ui/states.tsx";
import { duration } from "../../../ui/words.tsx";
import { plural, t } from "../../../ui/language/t.ts";

const CREDENTIAL: Readonly<Record<ProviderView["credential"], { readonly label: string; readonly tone: Tone }>> = {
  found: { label: t("key found"), tone: "ok" },
  missing: { label: t("no key"), tone: "warn" },
  not_needed: { label: t("needs no key"), tone: "plain" },
};
const TROUBLE = { degraded: t("had errors lately"), unavailable: t("does not answer") } as const;
const STATUS: Readonly<Record<ProviderReport["status"], { readonly label: string; readonly tone: Tone }>> = {
  ok: { label: t("works"), tone: "ok" },
  unauthenticated: { label: t("Key rejected"), tone: "bad" },
  unreachable: { label: t("no answer"), tone: "bad" },
  failed: { label: t("failed"), tone: "bad" },
};

/** One provider: what it is, whether it has a key, and whether it answers. */
export function ProviderCard({ provider }: { readonly provider: ProviderView }): ReactNode {
  const { client } = useConnection();
  const mayTest = useMay("provider.test");
  const test = useMutation({ mutationFn: () => client.testProvider(provider.id) });
  const credential = CREDENTIAL[provider.credential];
  return (
    <article className="flex flex-col gap-3 rounded-xl border bg-raised p-4">
      <header className="flex items-start justify-between gap-3">
        <div className="min-w-0">
          <h3 className="truncate text-base font-semibold">{provider.id}</h3>
          <div className="mt-1 flex flex-wrap gap-1.5">
            {provider.is_default && <Badge tone="accent">{t("default")}</Badge>}
            <Badge tone={credential.tone}>{credential.label}</Badge>
            {provider.credential !== "missing" && provider.status !== "available" && (
              <Badge tone={provider.status === "degraded" ? "warn" : "bad"}>{TROUBLE[provider.status]}</Badge>
            )}
            {provider.free && <Badge>{t("free unless priced")}</Badge>}
          </div>
        </div>
        {mayTest && (
          <Button
            size="small"
            busy={test.isPending}
            onClick={() => test.mutate()}
            aria-label={t("Test {id}", { id: provider.id })}
          >
            <Activity aria-hidden className="size-4" /> {t("Test")}
          </Button>
        )}
      </header>
      <ProviderFacts provider={provider} />
      {provider.message !== undefined && (
        <Note tone="warn">
          <Words text={provider.message} />
        </Note>
      )}
      <div aria-live="polite">
        {test.error !== null && <Trouble title={t("The test failed")} error={test.error} />}
        {test.data !== undefined && <Report report={test.data} />}
      </div>
    </article>
  );
}

/** Text between backticks is code. */
function Words({ text }: { readonly text: string }): ReactNode {
  return text.split("`").map((part, index) =>
    index % 2 === 0 ? (
      part
    ) : (
      <code key={index} className="text-xs break-words">
        {part}
      </code>
    ),
  );
}

function ProviderFacts({ provider }: { readonly provider: ProviderView }): ReactNode {
  const hosts = [...new Set(Object.values(provider.hosts))];
  const facts = [
    { label: t("API formats"), value: provider.wires.join(", ") },
    { label: t("Endpoint"), value: hosts.join(", ") },
    {
      label: t("Default model"),
      value: provider.default_model === "" ? t("none: chosen per session") : provider.default_model,
    },
    { label: t("Key from"), value: provider.credential_names.join(", ") },
  ];
  return <Facts facts={facts} />;
}

function Report({ report }: { readonly report: ProviderReport }): ReactNode {
  const { label, tone } = STATUS[report.status];
  return (
    <div className="rounded-lg border px-3 py-2 text-sm">
      <p className="flex flex-wrap items-center gap-2">
        <Badge tone={tone}>{label}</Badge>
        {report.latency_ms !== undefined && <span className="text-soft">{duration(report.latency_ms)}</span>}
      </p>
      <p className="mt-1 break-words">
        <Words text={report.message} />
      </p>
      {report.models !== undefined && report.models.length > 0 && (
        <details className="mt-1">
          <summary className="cursor-pointer py-1 text-soft">
            {plural({ one: "{count} model", other: "{count} models" }, { count: report.models.length })}
          </summary>
          <ul className="mt-1 max-h-48 columns-2 overflow-auto font-mono text-xs leading-5">
            {report.models.map((model) => (
              <li key={model} className="break-all">
                {model}
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}
