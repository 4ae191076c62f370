import { useQuery } from "@tanstack/react-query";
import { useEffect, type ReactNode } from "react";
import { failureIn } from "../../../protocol/failure.ts";
import { Failure, type TokenCreated } from "../../../protocol/index.ts";
import { Button } from "../../ui/button.tsx";
import { Mark } from "../../ui/mark.tsx";
import { Loading, Trouble } from "../../ui/states.tsx";
import { t } from "../../ui/language/t.ts";

async function redeem(code: string): Promise<TokenCreated> {
  const response = await fetch("/api/pairings/redeem", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ code }),
  });
  const answer: unknown = await response.json().catch(() => undefined);
  if (response.ok) return answer as TokenCreated;
  throw failureIn(answer) ?? new Error(t("The server answered {status}.", { status: response.status }));
}

/** A phone that has scanned a code: it gets its token, or learns why not. */
export function Pairing({
  code,
  onToken,
  onGiveUp,
}: {
  readonly code: string;
  readonly onToken: (token: string) => void;
  readonly onGiveUp: () => void;
}): ReactNode {
  const { data, error, refetch } = useQuery({
    queryKey: ["redeem", code],
    queryFn: () => redeem(code),
    // A code works once: only a server that was not reached is asked again.
    retry: (count, failure) => !(failure instanceof Failure) && count < 5,
    staleTime: Infinity,
    gcTime: 0,
  });
  const token = data?.token;
  useEffect(() => {
    if (token !== undefined) onToken(token);
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- once
  }, [token]);
  if (error === null) return <Loading label={t("Connecting this device")} page />;
  return (
    <main className="mx-auto max-w-md space-y-4 p-6">
      <h1 className="flex items-center gap-2.5 text-xl font-semibold">
        <Mark className="size-6 text-accent" /> {t("This device was not connected")}
      </h1>
      <Trouble
        title={t("The code did not work")}
        error={error}
        {...(error instanceof Failure ? {} : { onRetry: () => void refetch() })}
      />
      <p className="text-sm text-soft">
        {t("On the computer, open the menu with your name and choose Connect a phone for a new code.")}
      </p>
      <Button onClick={onGiveUp}>{t("Sign in with a token")}</Button>
    </main>
  );
}
