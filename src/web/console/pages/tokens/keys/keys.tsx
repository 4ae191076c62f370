import { useQuery } from "@tanstack/react-query";
import { Plus, SquareTerminal, Trash2 } from "lucide-react";
import { useState, type ReactNode } from "react";
import type { KeyView } from "../../../../../protocol/index.ts";
import { useConnection } from "../../../../ui/app/connection.tsx";
import { Button } from "../../../../ui/button.tsx";
import { DataTable, type TableColumn } from "../../../../ui/data-table.tsx";
import { Section } from "../../../../ui/page.tsx";
import { Empty, Skeleton, Trouble } from "../../../../ui/states.tsx";
import { Ago, money } from "../../../../ui/words.tsx";
import { KEYS } from "../../../app/feed.tsx";
import { keyLimitWords } from "./key-fields.ts";
import { NewKey } from "./new-key.tsx";
import { RemoveKey } from "./remove-key.tsx";
import { t } from "../../../../ui/language/t.ts";

/** API keys: for programs that ask models and are no sessions. */
export function ApiKeys(): ReactNode {
  const { client } = useConnection();
  const keys = useQuery({ queryKey: KEYS.apiKeys, queryFn: () => client.keys(), staleTime: 5_000 });
  const [isMaking, setMaking] = useState(false);
  const [doomed, setDoomed] = useState<KeyView>();
  return (
    <Section
      title={t("API keys")}
      actions={
        <Button onClick={() => setMaking(true)}>
          <Plus aria-hidden className="size-4" /> {t("New API key")}
        </Button>
      }
    >
      {keys.isPending && <Skeleton className="h-24" />}
      {keys.error !== null && (
        <Trouble title={t("API keys could not be read")} error={keys.error} onRetry={() => void keys.refetch()} />
      )}
      {keys.data?.keys.length === 0 && (
        <Empty icon={SquareTerminal} title={t("No API keys")}>
          {t(
            "A key lets a program of your own ask models through this server, within a budget: an official SDK, or Claude Code or Codex in your own terminal.",
          )}
        </Empty>
      )}
      {keys.data !== undefined && keys.data.keys.length > 0 && (
        <DataTable label={t("API keys")} columns={columns(setDoomed)} rows={keys.data.keys} keyOf={({ id }) => id} />
      )}
      {isMaking && <NewKey onClose={() => setMaking(false)} />}
      {doomed !== undefined && <RemoveKey doomed={doomed} onClose={() => setDoomed(undefined)} />}
    </Section>
  );
}

function columns(onRemove: (key: KeyView) => void): readonly TableColumn<KeyView>[] {
  const time = (at: string | undefined): ReactNode =>
    at === undefined ? <span className="text-soft">{t("never")}</span> : <Ago at={at} />;
  return [
    { label: t("Name"), heading: true, cell: ({ name }) => <span className="font-medium">{name}</span> },
    { label: t("For"), cell: ({ principal }) => principal.name },
    { label: t("Id"), cell: ({ id }) => <code className="text-xs text-soft">{id}</code> },
    { label: t("Spent at most"), figure: true, cell: ({ spent_microusd }) => money(spent_microusd) },
    { label: t("Last used"), cell: ({ last_used_at }) => time(last_used_at) },
    { label: t("Expires"), cell: ({ expires_at }) => time(expires_at) },
    {
      label: t("Limits"),
      cell: (key) => <span className="text-sm break-words text-soft">{keyLimitWords(key).join(" · ")}</span>,
    },
    {
      label: t("Remove"),
      figure: true,
      cell: (key) => (
        <Button
          variant="quiet"
          size="small"
          className="-my-1"
          aria-label={t("Remove the key {name}", { name: key.name })}
          onClick={() => onRemove(key)}
        >
          <Trash2 aria-hidden className="size-4" />
        </Button>
      ),
    },
  ];
}
