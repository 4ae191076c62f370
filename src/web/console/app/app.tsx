import { MutationCache, QueryCache, QueryClient, QueryClientProvider, useQuery } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { DirectionProvider } from "@radix-ui/react-direction";
import { useEffect, useMemo, useState, type ReactNode } from "react";
import { Failure } from "../../../protocol/index.ts";
import { Button } from "../../ui/button.tsx";
import { useReady } from "../../ui/ready.ts";
import { Loading, Trouble } from "../../ui/states.tsx";
import { Toasts } from "../../ui/toasts.tsx";
import { connect, ConnectionProvider } from "../../ui/app/connection.tsx";
import { Pairing } from "../away/pairing.tsx";
import { takePairingCode } from "../away/pairing-link.ts";
import { readFirst } from "./first-reads.ts";
import { router } from "./router.tsx";
import { SignIn } from "../../ui/app/sign-in.tsx";
import { forgetRefusal, noteRefusal, useSignedOut } from "./signed-out.ts";
import { forgetToken, keepToken, noteWorked, readToken } from "../../ui/app/token.ts";
import { direction, t } from "../../ui/language/t.ts";

const RETRY_CAP_MS = 15_000;

const queries = new QueryClient({
  queryCache: new QueryCache({ onError: noteRefusal }),
  mutationCache: new MutationCache({ onError: noteRefusal }),
  defaultOptions: {
    // Without a network a command fails at once, and says so, instead of waiting in silence.
    mutations: { networkMode: "always" },
    queries: {
      // The feed reports changes: nothing becomes stale by itself.
      staleTime: 60_000,
      // A refusal is an answer; a server that is away comes back.
      retry: (count, error) => !(error instanceof Failure) && count < 20,
      retryDelay: (attempt) => Math.min(RETRY_CAP_MS, 250 * 2 ** attempt),
    },
  },
});

export function App(): ReactNode {
  const [code, setCode] = useState(takePairingCode);
  const [token, setToken] = useState(readToken);
  const signOut = (): void => {
    forgetToken();
    queries.clear();
    setToken(undefined);
  };
  const signIn = (fresh: string): void => {
    keepToken(fresh);
    forgetRefusal();
    queries.clear();
    setCode(undefined);
    setToken(fresh);
  };
  return (
    <QueryClientProvider client={queries}>
      <DirectionProvider dir={direction}>
        <Toasts>
          {code !== undefined ? (
            <Pairing code={code} onToken={signIn} onGiveUp={() => setCode(undefined)} />
          ) : token === undefined ? (
            <SignIn onToken={signIn} />
          ) : (
            <SignedIn key={token} token={token} onToken={signIn} onSignOut={signOut} />
          )}
        </Toasts>
      </DirectionProvider>
    </QueryClientProvider>
  );
}

function SignedIn({
  token,
  onToken,
  onSignOut,
}: {
  readonly token: string;
  readonly onToken: (token: string) => void;
  readonly onSignOut: () => void;
}): ReactNode {
  const { client, live, openShell } = useMemo(() => connect(token), [token]);
  const me = useQuery({ queryKey: ["me"], queryFn: () => client.me() });
  useEffect(() => readFirst({ client, queries }, globalThis.location), [client]);
  const isRefused = me.error instanceof Failure && me.error.code === "unauthenticated";
  const isReady = useReady(me.data !== undefined);
  const { isRevoked } = useSignedOut();
  useEffect(() => {
    if (me.isSuccess) noteWorked();
  }, [me.isSuccess]);
  useEffect(() => {
    if (isRevoked || isRefused) live.close();
  }, [isRevoked, isRefused, live]);
  const signOut = (): void => {
    live.close();
    onSignOut();
  };
  // The address stays: whoever signs in again is back on the same page.
  if (isRevoked || isRefused) return <SignIn onToken={onToken} why={isRevoked ? "revoked" : "wrong"} />;
  if (me.data !== undefined && isReady) {
    return (
      <ConnectionProvider connection={{ client, live, openShell, me: me.data, signOut }}>
        <RouterProvider router={router} />
      </ConnectionProvider>
    );
  }
  if (me.error !== null) {
    return (
      <main className="mx-auto max-w-lg p-6">
        <Trouble title={t("The server is not answering")} error={me.error} onRetry={() => void me.refetch()} />
        <Button className="mt-3" onClick={signOut}>
          {t("Sign out")}
        </Button>
      </main>
    );
  }
  return (
    <Loading label={me.failureCount > 0 ? t("The server is not answering yet. Trying again") : t("Opening")} page />
  );
}
