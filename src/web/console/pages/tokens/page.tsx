import { useQuery } from "@tanstack/react-query";
import { Plus, Trash2 } from "lucide-react";
import { useState, type ReactNode } from "react";
import type { Role, TokenView } from "../../../../protocol/index.ts";
import { useConnection, useMay } from "../../../ui/app/connection.tsx";
import { KEYS } from "../../app/feed.tsx";
import { Button } from "../../../ui/button.tsx";
import { DataTable, type TableColumn } from "../../../ui/data-table.tsx";
import { NotPermitted } from "../../../ui/not-permitted.tsx";
import { Page, Section } from "../../../ui/page.tsx";
import { Badge, Skeleton, Trouble, type Tone } from "../../../ui/states.tsx";
import { Ago } from "../../../ui/words.tsx";
import { ApiKeys } from "./keys/keys.tsx";
import { limitWords } from "./limits.ts";
import { NewToken } from "./new-token.tsx";
import { RemoveToken } from "./remove-token.tsx";
import { ROLES } from "./roles.ts";
import { Visitors } from "./visitors.tsx";
import { t } from "../../../ui/language/t.ts";

const TONES: Readonly<Record<Role, Tone>> = {
  admin: "accent",
  operator: "info",
  issuer: "warn",
  agent: "plain",
  viewer: "plain",
  visitor: "plain",
};

export function TokensPage(): ReactNode {
  const may = useMay("token.issue");
  const mayKeys = useMay("key.manage");
  const [isMaking, setMaking] = useState(false);
  return (
    <Page
      title={t("Tokens")}
      intro={t("Who may use this server, and as what.")}
      {...(may
        ? {
            actions: (
              <Button variant="primary" onClick={() => setMaking(true)}>
                <Plus aria-hidden className="size-4" /> {t("New token")}
              </Button>
            ),
          }
        : {})}
    >
      {may ? <Tokens /> : <NotPermitted what={t("Tokens")} roles={t("admin or operator")} />}
      {may && <Visitors />}
      {mayKeys && <ApiKeys />}
      {may && <Roles />}
      {isMaking && <NewToken onClose={() => setMaking(false)} />}
    </Page>
  );
}

function Tokens(): ReactNode {
  const { client, me } = useConnection();
  const tokens = useQuery({ queryKey: KEYS.tokens, queryFn: () => client.tokens(), staleTime: 5_000 });
  const [doomed, setDoomed] = useState<TokenView>();
  const columns: readonly TableColumn<TokenView>[] = [
    {
      label: t("Name"),
      heading: true,
      cell: ({ id, name }) => (
        <>
          <span className="font-medium">{name}</span>
          {id === me.id && <span className="text-soft"> {t("(you)")}</span>}
        </>
      ),
    },
    { label: t("Role"), cell: ({ role }) => <Badge tone={TONES[role]}>{role}</Badge> },
    { label: t("Id"), cell: ({ id }) => <code className="text-xs text-soft">{id}</code> },
    { label: t("Created"), cell: ({ created_at }) => <Ago at={created_at} /> },
    {
      label: t("Last used"),
      cell: ({ last_used_at }) =>
        last_used_at === undefined ? <span className="text-soft">{t("never")}</span> : <Ago at={last_used_at} />,
    },
    {
      label: t("Expires"),
      cell: ({ expires_at }) =>
        expires_at === undefined ? <span className="text-soft">{t("never")}</span> : <Ago at={expires_at} />,
    },
    {
      label: t("Limits"),
      cell: (token) => (
        <span className="text-sm break-words text-soft">{limitWords(token).join(" · ") || t("none")}</span>
      ),
    },
    {
      label: t("Remove"),
      figure: true,
      cell: (token) => (
        <Button
          variant="quiet"
          size="small"
          className="-my-1"
          aria-label={t("Remove the token of {name}", { name: token.name })}
          onClick={() => setDoomed(token)}
        >
          <Trash2 aria-hidden className="size-4" />
        </Button>
      ),
    },
  ];
  return (
    <>
      <Section title={t("All tokens")}>
        {tokens.isPending && <Skeleton className="h-40" />}
        {tokens.error !== null && (
          <Trouble title={t("Tokens could not be read")} error={tokens.error} onRetry={() => void tokens.refetch()} />
        )}
        {tokens.data !== undefined && (
          <DataTable label={t("Tokens")} columns={columns} rows={tokens.data.tokens} keyOf={({ id }) => id} />
        )}
      </Section>
      {doomed !== undefined && <RemoveToken token={doomed} onClose={() => setDoomed(undefined)} />}
    </>
  );
}

function Roles(): ReactNode {
  return (
    <Section title={t("What each role may do")}>
      <dl className="grid grid-cols-1 gap-4 md:grid-cols-2">
        {ROLES.toReversed().map(({ role, may, mayNot }) => (
          <div key={role}>
            <dt>
              <Badge tone={TONES[role]}>{role}</Badge>
            </dt>
            <dd className="mt-1 text-sm text-soft">
              {may} {mayNot}
            </dd>
          </div>
        ))}
      </dl>
    </Section>
  );
}
