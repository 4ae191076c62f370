import { useQuery } from "@tanstack/react-query";
import { Cable, Plus, Share2 } from "lucide-react";
import { useState, type ReactNode } from "react";
import type { UsageLine } from "../../../../protocol/index.ts";
import { useConnection, useMay } from "../../../ui/app/connection.tsx";
import { Button } from "../../../ui/button.tsx";
import { NotPermitted } from "../../../ui/not-permitted.tsx";
import { Page, Section } from "../../../ui/page.tsx";
import { Empty, Skeleton, Trouble } from "../../../ui/states.tsx";
import { KEYS } from "../../app/feed.tsx";
import { AddTunnel } from "./add-tunnel.tsx";
import { EndpointCard } from "./endpoint-card.tsx";
import { NewOffer } from "./new-offer.tsx";
import { OfferCard } from "./offer-card.tsx";
import { rich, t } from "../../../ui/language/t.ts";

/** Connections come and go by themselves. */
const EACH_MS = 3_000;
const CARDS = "grid grid-cols-1 gap-4 xl:grid-cols-2";

export function TunnelsPage(): ReactNode {
  const may = useMay("provider.read");
  return (
    <Page
      title={t("Tunnels")}
      intro={t("Use models of another machine, or let another gateway use yours. Keys stay at home.")}
    >
      {may ? (
        <>
          <Endpoints />
          <Offers />
        </>
      ) : (
        <NotPermitted what={t("Tunnels")} roles={t("admin, operator or viewer")} />
      )}
    </Page>
  );
}

function Endpoints(): ReactNode {
  const { client } = useConnection();
  const mayChange = useMay("policy.write");
  const [isAdding, setAdding] = useState(false);
  const tunnels = useQuery({
    queryKey: [...KEYS.tunnels, "endpoints"],
    queryFn: async () => (await client.tunnels.list()).tunnels,
    refetchInterval: EACH_MS,
    staleTime: 0,
  });
  const spent = useSpent((tunnels.data ?? []).length > 0);
  return (
    <Section
      title={t("Machines that this server uses")}
      actions={
        mayChange && (
          <Button size="small" onClick={() => setAdding(true)}>
            <Plus aria-hidden className="size-4" /> {t("Add a tunnel")}
          </Button>
        )
      }
    >
      {tunnels.isPending && <Skeleton className="h-32" />}
      {tunnels.error !== null && (
        <Trouble title={t("Can’t load the tunnels")} error={tunnels.error} onRetry={() => void tunnels.refetch()} />
      )}
      {tunnels.data?.length === 0 && (
        <Empty icon={Cable} title={t("No tunnels")}>
          {rich(
            "A tunnel brings the models of another machine here, without its keys. On that machine, run {code}, then add it here with the code.",
            { code: <code className="text-xs">sallyport tunnel serve work --pair</code> },
          )}
        </Empty>
      )}
      <div className={CARDS}>
        {tunnels.data?.map((tunnel) => (
          <EndpointCard key={tunnel.id} tunnel={tunnel} spent={spent.get(tunnel.provider)} />
        ))}
      </div>
      {isAdding && <AddTunnel onClose={() => setAdding(false)} />}
    </Section>
  );
}

/** What each provider has cost here, by its name. */
function useSpent(enabled: boolean): ReadonlyMap<string, UsageLine> {
  const { client } = useConnection();
  const may = useMay("usage.read");
  const { data } = useQuery({
    queryKey: [...KEYS.tunnels, "usage"],
    queryFn: () => client.usage({ by: ["provider"] }),
    enabled: enabled && may,
    refetchInterval: EACH_MS * 5,
    staleTime: 0,
  });
  return new Map((data?.lines ?? []).map((line) => [line.provider ?? "", line]));
}

function Offers(): ReactNode {
  const { client } = useConnection();
  const mayChange = useMay("policy.write");
  const [isMaking, setMaking] = useState(false);
  const offers = useQuery({
    queryKey: [...KEYS.tunnels, "offers"],
    queryFn: async () => (await client.tunnels.offers()).offers,
    refetchInterval: EACH_MS,
    staleTime: 0,
  });
  return (
    <Section
      title={t("What this machine serves")}
      actions={
        mayChange && (
          <Button size="small" onClick={() => setMaking(true)}>
            <Plus aria-hidden className="size-4" /> {t("Offer models")}
          </Button>
        )
      }
    >
      {offers.isPending && <Skeleton className="h-32" />}
      {offers.error !== null && (
        <Trouble title={t("Can’t load the offers")} error={offers.error} onRetry={() => void offers.refetch()} />
      )}
      {offers.data?.length === 0 && (
        <Empty icon={Share2} title={t("Nothing is offered")}>
          {t(
            "Offer models of this machine to a gateway elsewhere. You set its limits, see what it asks for and what that costs, and can cut it at once.",
          )}
        </Empty>
      )}
      <div className={CARDS}>
        {offers.data?.map((offer) => (
          <OfferCard key={offer.id} offer={offer} />
        ))}
      </div>
      {isMaking && <NewOffer onClose={() => setMaking(false)} />}
    </Section>
  );
}
