import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useConnection } from "../../app/connection.tsx";
import { KEYS } from "../../app/feed.tsx";
import { wordsOf } from "../../ui/states.tsx";
import { useTell } from "../../ui/toasts.tsx";

export type Verb = "interrupt" | "pause" | "resume" | "close";

const SAID: Readonly<Record<Verb, string>> = {
  interrupt: "The turn was stopped.",
  pause: "Paused: no further turn begins and no further tool runs.",
  resume: "It goes on.",
  close: "The session is closed.",
};

/** Stop, pause, resume and close, with what came of it told. */
export function useControl(id: string): { readonly busy: boolean; readonly run: (verb: Verb) => void } {
  const { client } = useConnection();
  const tell = useTell();
  const queries = useQueryClient();
  const control = useMutation({
    mutationFn: (verb: Verb) => client.control(id, verb),
    onSuccess: (session, verb) => {
      queries.setQueryData(KEYS.session(id), session);
      tell.ok(SAID[verb]);
    },
    onError: (error) => tell.bad(wordsOf(error)),
  });
  return { busy: control.isPending, run: (verb) => control.mutate(verb) };
}
