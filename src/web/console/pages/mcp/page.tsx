import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { LogIn, LogOut } from "lucide-react";
import { useEffect, useRef, useState, type ReactNode } from "react";
import type { McpLoginView } from "../../../../protocol/index.ts";
import { useConnection, useMay } from "../../../ui/app/connection.tsx";
import { Button } from "../../../ui/button.tsx";
import { Confirm } from "../../app/confirm.tsx";
import { Facts } from "../../../ui/facts.tsx";
import { NotPermitted } from "../../../ui/not-permitted.tsx";
import { Page } from "../../../ui/page.tsx";
import { Badge, Empty, Loading, Note, Skeleton, Trouble } from "../../../ui/states.tsx";
import { useTell } from "../../../ui/toasts.tsx";
import { Ago } from "../../../ui/words.tsx";
import { KEYS } from "../../app/feed.tsx";
import { useAct } from "../../app/use-act.ts";
import { loginAnswer, type LoginAnswer } from "./answer.ts";
import { rich, t } from "../../../ui/language/t.ts";

export function McpLoginsPage(): ReactNode {
  const may = useMay("policy.read");
  return (
    <Page
      title={t("MCP logins")}
      intro={t("Servers of sallyport.yaml that want a login. One login counts for the whole server.")}
    >
      {may ? (
        <>
          <Return />
          <Logins />
        </>
      ) : (
        <NotPermitted what={t("MCP logins")} roles={t("admin, operator or viewer")} />
      )}
    </Page>
  );
}

/** Where the authorization server sends a person back to: its answer is used once, and leaves the address. */
function Return(): ReactNode {
  const { client } = useConnection();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const tell = useTell();
  const [answer] = useState<LoginAnswer | undefined>(() => loginAnswer(globalThis.location.search));
  const finish = useMutation({
    mutationFn: (request: Parameters<typeof client.mcpLogins.finish>[0]) => client.mcpLogins.finish(request),
    onSuccess: ({ name }) => tell.ok(t("Logged in to {name}.", { name })),
    onSettled: () => queries.invalidateQueries({ queryKey: KEYS.mcpLogins }),
  });
  const { mutate } = finish;
  const isSent = useRef(false);
  useEffect(() => {
    if (answer === undefined || isSent.current) return;
    isSent.current = true;
    void navigate({ to: "/mcp-logins", search: {}, replace: true });
    if ("request" in answer) mutate(answer.request);
  }, [answer, navigate, mutate]);
  if (finish.isPending) return <Loading label={t("Finishing the login")} />;
  if (finish.error !== null) return <Trouble title={t("The login was not finished")} error={finish.error} />;
  if (answer !== undefined && "refusal" in answer)
    return (
      <Note tone="bad" role="alert">
        {t("The server did not let you in: {refusal}", { refusal: answer.refusal })}
      </Note>
    );
  return undefined;
}

function Logins(): ReactNode {
  const { client } = useConnection();
  const { data, error, isPending, refetch } = useQuery({
    queryKey: KEYS.mcpLogins,
    queryFn: async () => (await client.mcpLogins.list()).servers,
    staleTime: 5_000,
  });
  return (
    <>
      {error !== null && <Trouble title={t("Can’t load the logins")} error={error} onRetry={() => void refetch()} />}
      {isPending && <Skeleton className="h-40" />}
      {data?.length === 0 && (
        <Empty icon={LogIn} title={t("No server wants a login")}>
          {rich("A remote MCP server with {code} in {code2} appears here.", {
            code: <code className="text-xs">oauth: true</code>,
            code2: <code className="text-xs">sallyport.yaml</code>,
          })}
        </Empty>
      )}
      <div className="grid grid-cols-1 gap-4 xl:grid-cols-2">
        {data?.map((server) => (
          <LoginCard key={server.name} server={server} />
        ))}
      </div>
    </>
  );
}

function LoginCard({ server }: { readonly server: McpLoginView }): ReactNode {
  const { client } = useConnection();
  const mayChange = useMay("policy.write");
  const { perform } = useAct(KEYS.mcpLogins);
  const [isEnding, setEnding] = useState(false);
  const { name, url, logged_in: isLoggedIn, at, scope } = server;
  const start = useMutation({
    mutationFn: () => client.mcpLogins.start(name, { redirect_url: `${globalThis.location.origin}/mcp-logins` }),
    onSuccess: ({ authorization_url }) => globalThis.location.assign(authorization_url),
  });
  return (
    <article
      aria-label={t("Server {name}", { name })}
      className="flex min-w-0 flex-col gap-3 rounded-xl border bg-raised p-4"
    >
      <header className="flex flex-wrap items-start justify-between gap-2">
        <div className="min-w-0">
          <h2 className="truncate text-base font-semibold">{name}</h2>
          <Badge tone={isLoggedIn ? "ok" : "warn"} className="mt-1">
            {isLoggedIn ? t("logged in") : t("not logged in")}
          </Badge>
        </div>
        {mayChange && (
          <div className="flex flex-wrap gap-1">
            <Button
              size="small"
              busy={start.isPending || start.isSuccess}
              aria-label={isLoggedIn ? t("Log in again to {name}", { name }) : t("Log in to {name}", { name })}
              onClick={() => start.mutate()}
            >
              <LogIn aria-hidden className="size-4" /> {isLoggedIn ? t("Log in again") : t("Log in")}
            </Button>
            {isLoggedIn && (
              <Button
                size="small"
                variant="quiet"
                aria-label={t("Log out of {name}", { name })}
                onClick={() => setEnding(true)}
              >
                <LogOut aria-hidden className="size-4" /> {t("Log out")}
              </Button>
            )}
          </div>
        )}
      </header>
      <Facts
        facts={[
          { label: t("Address"), value: <span className="break-all">{url}</span> },
          { label: t("Allows"), value: scope ?? "" },
          { label: t("Last token"), value: at === undefined ? "none" : <Ago at={at} /> },
        ]}
      />
      {start.error !== null && <Trouble title={t("The login did not begin")} error={start.error} />}
      {isEnding && (
        <Confirm
          title={t("Log out of {name}?", { name })}
          description={t("Its tokens are forgotten. Sessions cannot use the server until somebody logs in again.")}
          verb={t("Log out")}
          keep={t("Stay logged in")}
          act={() => perform({ run: () => client.mcpLogins.end(name), done: t("Logged out of {name}.", { name }) })}
          onClose={() => setEnding(false)}
        />
      )}
    </article>
  );
}
