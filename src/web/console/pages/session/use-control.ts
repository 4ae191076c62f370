import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useConnection } from "../../../ui/app/connection.tsx";
import type { SessionView } from "../../../../protocol/index.ts";
import { sessionChanged } from "../../app/feed.tsx";
import { wordsOf } from "../../../ui/states.tsx";
import { useTell } from "../../../ui/toasts.tsx";
import { plural, t } from "../../../ui/language/t.ts";

export type ControlVerb = "interrupt" | "pause" | "resume" | "close";

const SAID: Readonly<Record<Exclude<ControlVerb, "interrupt">, string>> = {
  pause: t("Paused. No new turns or tools run until you resume."),
  resume: t("Resumed"),
  close: t("Session closed"),
};

function saidOf(verb: ControlVerb, { queue }: SessionView): string {
  if (verb !== "interrupt") return SAID[verb];
  const held = queue.filter((queued) => queued.held === true).length;
  if (held === 0) return t("Turn stopped");
  return plural(
    {
      one: "Turn stopped. {count} queued prompt is held.",
      other: "Turn stopped. {count} queued prompts are held.",
    },
    { count: held },
  );
}

export type SessionControl = ReturnType<typeof useControl>;

/** Stop, pause, resume and close, with their outcome shown. */
export function useControl(id: string): { readonly busy: boolean; readonly run: (verb: ControlVerb) => void } {
  const { client } = useConnection();
  const tell = useTell();
  const queries = useQueryClient();
  const control = useMutation({
    // A stop never starts anything: waiting prompts are held until somebody resumes them.
    mutationFn: (verb: ControlVerb) =>
      verb === "interrupt" ? client.interrupt(id, { hold_queue: true }) : client.control(id, verb),
    onSuccess: (session, verb) => {
      sessionChanged(queries, session);
      tell.ok(saidOf(verb, session));
    },
    onError: (error) => tell.bad(wordsOf(error)),
  });
  return { busy: control.isPending, run: (verb) => control.mutate(verb) };
}
