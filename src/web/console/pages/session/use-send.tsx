import { useMutation } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import type { SubmitPrompt } from "../../../../protocol/index.ts";
import { freshKey } from "../../app/fresh-key.ts";
import { useConnection } from "../../../ui/app/connection.tsx";
import { Button } from "../../../ui/button.tsx";
import { wordsOf } from "../../../ui/states.tsx";
import { t } from "../../../ui/language/t.ts";

interface Sending {
  /** The same for each try: a prompt that arrived is not sent twice. */
  readonly key: string;
  readonly prompt: SubmitPrompt;
}

interface RefusedSending extends Sending {
  readonly words: string;
}

export interface Send {
  readonly busy: boolean;
  readonly unsent: readonly RefusedSending[];
  readonly send: (prompt: SubmitPrompt) => void;
  readonly again: (key: string) => void;
  readonly drop: (key: string) => void;
}

/** Sends prompts. A refused one is kept, with the reason, until somebody decides. */
export function useSend(id: string): Send {
  const { client } = useConnection();
  const [unsent, setUnsent] = useState<readonly RefusedSending[]>([]);
  const drop = (key: string): void => setUnsent((before) => before.filter((one) => one.key !== key));
  const sending = useMutation({
    mutationFn: ({ key, prompt }: Sending) => client.prompt(id, prompt, { key }),
    onError: (error, one) => setUnsent((before) => [...before, { ...one, words: wordsOf(error) }]),
  });
  return {
    busy: sending.isPending,
    unsent,
    drop,
    send: (prompt) => sending.mutate({ key: freshKey(), prompt }),
    again: (key) => {
      const one = unsent.find((each) => each.key === key);
      drop(key);
      if (one !== undefined) sending.mutate({ key: one.key, prompt: one.prompt });
    },
  };
}

export function Unsent({
  unsent,
  onAgain,
  onDrop,
}: {
  readonly unsent: readonly RefusedSending[];
  readonly onAgain: (key: string) => void;
  readonly onDrop: (key: string) => void;
}): ReactNode {
  return (
    <ul aria-live="assertive" className="space-y-1">
      {unsent.map(({ key, prompt, words }) => (
        <li key={key} className="flex flex-wrap items-center gap-2 rounded-lg bg-bad-soft px-3 py-2 text-sm text-bad">
          <span className="min-w-0 flex-1">
            {t("Not sent: {words}", { words })}{" "}
            <span dir="auto" className="block truncate text-ink rtl:text-right">
              {prompt.text}
            </span>
          </span>
          <Button size="small" onClick={() => onAgain(key)}>
            {t("Try again")}
          </Button>
          <Button size="small" variant="quiet" onClick={() => onDrop(key)}>
            {t("Discard")}
          </Button>
        </li>
      ))}
    </ul>
  );
}
