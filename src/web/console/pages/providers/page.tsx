import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { ProviderView } from "../../../../protocol/index.ts";
import { useConnection, useMay } from "../../../ui/app/connection.tsx";
import { KEYS } from "../../app/feed.tsx";
import { NotPermitted } from "../../../ui/not-permitted.tsx";
import { Page } from "../../../ui/page.tsx";
import { Note, Skeleton, Trouble } from "../../../ui/states.tsx";
import { AddKey } from "./add-key.tsx";
import { PriceTable } from "./price-table.tsx";
import { ProviderCard } from "./provider-card.tsx";
import { t } from "../../../ui/language/t.ts";

export function ProvidersPage(): ReactNode {
  const may = useMay("provider.read");
  return (
    <Page title={t("Providers")} intro={t("Where model calls go, whose key is used, and what models cost.")}>
      {may ? <Providers /> : <NotPermitted what={t("Providers")} roles={t("admin, operator or viewer")} />}
    </Page>
  );
}

function Providers(): ReactNode {
  const { client } = useConnection();
  const providers = useQuery({ queryKey: KEYS.providers, queryFn: () => client.providers(), staleTime: 5_000 });
  const list = providers.data?.providers ?? [];
  const missing = list.find(({ credential }) => credential === "missing")?.id ?? "cloud";
  return (
    <>
      {providers.error !== null && (
        <Trouble
          title={t("Can’t load the providers")}
          error={providers.error}
          onRetry={() => void providers.refetch()}
        />
      )}
      {isDemo(list) && (
        <Note tone="info">
          {t("New sessions use the demo model, a scripted demo, not a real model. Add a key below to use a real one.")}
        </Note>
      )}
      <section aria-label={t("Providers")}>
        <h2 className="sr-only">{t("Providers")}</h2>
        <div className="grid grid-cols-1 gap-4 md:grid-cols-2 xl:grid-cols-3">
          {providers.isPending && [1, 2, 3].map((place) => <Skeleton key={place} className="h-44" />)}
          {list.map((provider) => (
            <ProviderCard key={provider.id} provider={provider} />
          ))}
        </div>
      </section>
      {!providers.isPending && <AddKey first={missing} />}
      <PriceTable />
    </>
  );
}

function isDemo(providers: readonly ProviderView[]): boolean {
  return providers.some(({ id, is_default }) => id === "sim" && is_default);
}
