import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { SessionView, Usage } from "../../../../protocol/index.ts";
import type { TranscriptView } from "../../transcript/transcript.ts";
import { useConnection } from "../../../ui/app/connection.tsx";
import { count } from "../../../ui/words.tsx";
import { t } from "../../../ui/language/t.ts";

/** The bar warns above this share: the agent soon summarises what was said first. */
const NEARLY_FULL = 0.8;

/** What the model read and wrote in its newest request, which is what the next one begins with. Undefined: not known. */
function contextTokens(turns: TranscriptView["turns"]): number | undefined {
  const newest = [...turns.values()].findLast(({ usages }) => usages.length > 0)?.usages.at(-1);
  // A sum of several requests says nothing about one.
  return newest === undefined || newest.model_calls > 1 ? undefined : tokensOf(newest);
}

const tokensOf = ({ input_tokens, cache_read_tokens, cache_write_tokens, output_tokens }: Usage): number =>
  input_tokens + cache_read_tokens + cache_write_tokens + output_tokens;

/** How much of the model's window the conversation fills. */
export function ContextFill({
  session,
  turns,
}: {
  readonly session: SessionView;
  readonly turns: TranscriptView["turns"];
}): ReactNode {
  const window = useWindow(session);
  const used = contextTokens(turns);
  if (used === undefined || used === 0) return null;
  const part = window === undefined ? undefined : Math.min(1, used / window);
  return (
    <>
      <dt className="text-faint">{t("Context")}</dt>
      <dd>
        {part === undefined || window === undefined
          ? t("{tokens} tokens", { tokens: count(used) })
          : t("{used} of {window}, {percent} % left", {
              used: count(used),
              window: count(window),
              percent: Math.floor((1 - part) * 100),
            })}
        {part !== undefined && (
          <span aria-hidden className="mt-1 block h-1.5 overflow-hidden rounded-full bg-sunken">
            <span
              className={`block h-full rounded-full ${part > NEARLY_FULL ? "bg-warn" : "bg-accent"}`}
              style={{ width: `${String(part * 100)}%` }}
            />
          </span>
        )}
      </dd>
    </>
  );
}

/** What the model's window holds, or the profile allows of it. Undefined: nobody knows. */
function useWindow({ settings }: SessionView): number | undefined {
  const { client } = useConnection();
  const { provider, model, max_context_tokens: most } = settings;
  const { data } = useQuery({
    queryKey: ["context-window", provider, model],
    queryFn: () => client.prices({ provider, model }),
    staleTime: Infinity,
    retry: false,
  });
  const own = data?.prices[0]?.price.context_tokens;
  return most === undefined ? own : Math.min(most, own ?? most);
}
