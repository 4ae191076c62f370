import { QueryClient, QueryClientProvider, useQuery } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { Tooltip } from "radix-ui";
import { useMemo, useState, type ReactNode } from "react";
import { Failure } from "../../../protocol/index.ts";
import { Button } from "../ui/button.tsx";
import { Loading, Trouble } from "../ui/states.tsx";
import { Toasts } from "../ui/toasts.tsx";
import { connect, ConnectionProvider } from "./connection.tsx";
import { router } from "./router.tsx";
import { SignIn } from "./sign-in.tsx";
import { forgetToken, keepToken, readToken } from "./token.ts";

const RETRY_CAP_MS = 15_000;

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      // The feed says what changed: nothing is stale by itself.
      staleTime: 60_000,
      // A refusal is an answer; a server that is away comes back.
      retry: (count, error) => !(error instanceof Failure) && count < 20,
      retryDelay: (attempt) => Math.min(RETRY_CAP_MS, 250 * 2 ** attempt),
    },
  },
});

export function App(): ReactNode {
  const [token, setToken] = useState(readToken);
  const signOut = (): void => {
    forgetToken();
    queries.clear();
    setToken(undefined);
  };
  const signIn = (fresh: string): void => {
    keepToken(fresh);
    queries.clear();
    setToken(fresh);
  };
  return (
    <QueryClientProvider client={queries}>
      <Tooltip.Provider delayDuration={400}>
        <Toasts>
          {token === undefined ? (
            <SignIn onToken={signIn} />
          ) : (
            <SignedIn key={token} token={token} onSignOut={signOut} />
          )}
        </Toasts>
      </Tooltip.Provider>
    </QueryClientProvider>
  );
}

function SignedIn({ token, onSignOut }: { readonly token: string; readonly onSignOut: () => void }): ReactNode {
  const { client, live } = useMemo(() => connect(token), [token]);
  const me = useQuery({ queryKey: ["me"], queryFn: () => client.me() });
  const signOut = (): void => {
    live.close();
    onSignOut();
  };
  if (me.data !== undefined) {
    return (
      <ConnectionProvider connection={{ client, live, me: me.data, signOut }}>
        <RouterProvider router={router} />
      </ConnectionProvider>
    );
  }
  if (me.error instanceof Failure && me.error.code === "unauthenticated") {
    return (
      <SignIn
        onToken={(fresh) => {
          keepToken(fresh);
          globalThis.location.reload();
        }}
        wrong
      />
    );
  }
  if (me.error !== null) {
    return (
      <main className="mx-auto max-w-lg p-6">
        <Trouble title="The server does not answer" error={me.error} onRetry={() => void me.refetch()} />
        <Button className="mt-3" onClick={signOut}>
          Sign out
        </Button>
      </main>
    );
  }
  return <Loading label={me.failureCount > 0 ? "The server does not answer yet; trying again" : "Opening"} page />;
}
