import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { UserX, Users } from "lucide-react";
import { useState, type ReactNode } from "react";
import { useConnection, useMay } from "../../../ui/app/connection.tsx";
import { Button } from "../../../ui/button.tsx";
import { DataTable, type TableColumn } from "../../../ui/data-table.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { Section } from "../../../ui/page.tsx";
import { Empty, Skeleton, Trouble } from "../../../ui/states.tsx";
import { useTell } from "../../../ui/toasts.tsx";
import { Ago, money } from "../../../ui/words.tsx";
import { KEYS } from "../../app/feed.tsx";
import { visitorsOf, type Visitor } from "./visitor-list.ts";
import { t } from "../../../ui/language/t.ts";

const VISITORS = [...KEYS.tokens, "visitors"] as const;
const PAGE = 100;

/** People on the pages of products, whose servers made tokens for them. */
export function Visitors(): ReactNode {
  const { client } = useConnection();
  const mayCosts = useMay("usage.read");
  const pages = useInfiniteQuery({
    queryKey: VISITORS,
    queryFn: ({ pageParam }) =>
      client.tokens({ role: "visitor", limit: PAGE, ...(pageParam === "" ? {} : { cursor: pageParam }) }),
    initialPageParam: "",
    getNextPageParam: ({ next }) => next,
    staleTime: 5_000,
  });
  const makers = useQuery({ queryKey: KEYS.tokens, queryFn: () => client.tokens(), staleTime: 5_000 });
  const costs = useQuery({
    queryKey: [...VISITORS, "costs"],
    queryFn: () => client.usage({ by: ["agent"] }),
    enabled: mayCosts,
    staleTime: 5_000,
  });
  const [doomed, setDoomed] = useState<Visitor>();
  const visitors = visitorsOf({
    tokens: pages.data?.pages.flatMap(({ tokens }) => tokens) ?? [],
    makers: makers.data?.tokens ?? [],
    costs: costs.data,
  });
  return (
    <Section title={t("Visitors")}>
      {pages.isPending && <Skeleton className="h-24" />}
      {pages.error !== null && (
        <Trouble title={t("Visitors could not be read")} error={pages.error} onRetry={() => void pages.refetch()} />
      )}
      {pages.data !== undefined && visitors.length === 0 && (
        <Empty icon={Users} title={t("No visitors")}>
          {t(
            "People who chat on your product’s page appear here. Your server makes their tokens with an issuer’s token.",
          )}
        </Empty>
      )}
      {visitors.length > 0 && (
        <DataTable label={t("Visitors")} columns={columns(setDoomed)} rows={visitors} keyOf={({ id }) => id} />
      )}
      {pages.hasNextPage && (
        <Button className="mt-3" busy={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()}>
          {t("Show more")}
        </Button>
      )}
      {doomed !== undefined && <Revoke visitor={doomed} onClose={() => setDoomed(undefined)} />}
    </Section>
  );
}

function columns(onRevoke: (visitor: Visitor) => void): readonly TableColumn<Visitor>[] {
  return [
    { label: t("Visitor"), heading: true, cell: ({ name }) => <span className="font-medium break-all">{name}</span> },
    { label: t("Issued by"), cell: ({ maker }) => maker ?? <span className="text-soft">{t("unknown")}</span> },
    { label: t("Id"), cell: ({ id }) => <code className="text-xs break-all text-soft">{id}</code> },
    {
      label: t("Last seen"),
      cell: ({ lastSeen }) =>
        lastSeen === undefined ? <span className="text-soft">{t("never")}</span> : <Ago at={lastSeen} />,
    },
    {
      label: t("Access ends"),
      cell: ({ expires }) =>
        expires === undefined ? <span className="text-soft">{t("never")}</span> : <Ago at={expires} />,
    },
    {
      label: t("Spent"),
      figure: true,
      cell: ({ spent }) => (spent === undefined ? <span className="text-soft">{t("unknown")}</span> : money(spent)),
    },
    {
      label: t("Revoke"),
      figure: true,
      cell: (visitor) => (
        <Button
          variant="quiet"
          size="small"
          className="-my-1"
          aria-label={t("Revoke the access of {name}", { name: visitor.name })}
          onClick={() => onRevoke(visitor)}
        >
          <UserX aria-hidden className="size-4" />
        </Button>
      ),
    },
  ];
}

function Revoke({ visitor, onClose }: { readonly visitor: Visitor; readonly onClose: () => void }): ReactNode {
  const { client } = useConnection();
  const queries = useQueryClient();
  const tell = useTell();
  const revoke = useMutation({
    mutationFn: async () => {
      for (const token of visitor.tokens) await client.deleteToken(token);
    },
    onSuccess: () => {
      tell.ok(t("{name} has no access any more.", { name: visitor.name }));
      onClose();
    },
    onSettled: () => queries.invalidateQueries({ queryKey: KEYS.tokens }),
  });
  return (
    <Dialog
      open
      onClose={onClose}
      title={t("Revoke the access of {name}?", { name: visitor.name })}
      description={t(
        "Open chats of this visitor end at once. Your product’s server can let the visitor in again: block them there, too.",
      )}
    >
      <div className="space-y-4">
        {revoke.error !== null && <Trouble title={t("It was not revoked")} error={revoke.error} />}
        <div className="flex justify-end gap-2">
          <Button autoFocus onClick={onClose}>
            {t("Keep it")}
          </Button>
          <Button variant="danger" busy={revoke.isPending} onClick={() => revoke.mutate()}>
            {t("Revoke access")}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
