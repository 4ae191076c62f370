import * as Tooltip from "@radix-ui/react-tooltip";
import { useEffect, useState, type ReactNode } from "react";
import { SignIn } from "../../ui/app/sign-in.tsx";
import { Shortcuts } from "../../ui/app/shortcuts.tsx";
import { forgetWorkbenchData } from "../../ui/app/browser-data.ts";
import { keepToken, onSignedOut, readToken } from "../../ui/app/token.ts";
import { Toasts } from "../../ui/toasts.tsx";
import type { Bench } from "./bench.ts";
import { BenchProvider } from "./context.tsx";
import { Frame } from "./frame.tsx";
import { ServerProvider } from "./server.tsx";

/** Tables are opened and drawn in this browser: only the chat needs the server to be there. */
export function App({ bench }: { readonly bench: Bench }): ReactNode {
  const [token, setToken] = useState(readToken);
  const signIn = (fresh: string): void => {
    keepToken(fresh);
    setToken(fresh);
  };
  useEffect(
    () =>
      onSignedOut(() => {
        bench.queryTabs.forget();
        bench.keeper
          .forget()
          .catch(() => undefined)
          .finally(() => {
            // Closing a table keeps its layout, so that is deleted too. The page then starts again with empty memory.
            forgetWorkbenchData();
            globalThis.location.reload();
          });
      }),
    [bench],
  );
  return (
    <Tooltip.Provider delayDuration={400}>
      <Toasts top="top-32">
        {token === undefined ? (
          <SignIn onToken={signIn} />
        ) : (
          <BenchProvider bench={bench}>
            <ServerProvider key={token} token={token} onToken={signIn}>
              <Shortcuts>
                <Frame />
              </Shortcuts>
            </ServerProvider>
          </BenchProvider>
        )}
      </Toasts>
    </Tooltip.Provider>
  );
}
