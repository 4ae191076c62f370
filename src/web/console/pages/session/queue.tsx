import { useMutation, useQueryClient } from "@tanstack/react-query";
import { ArrowDown, ArrowUp, Clock, CornerDownRight, Pencil, Play, X } from "lucide-react";
import { useState, type ReactNode } from "react";
import type { SessionView } from "../../../../protocol/index.ts";
import { useConnection } from "../../../ui/app/connection.tsx";
import { KEYS, sessionChanged } from "../../app/feed.tsx";
import { Button } from "../../../ui/button.tsx";
import { wordsOf } from "../../../ui/states.tsx";
import { useTell } from "../../../ui/toasts.tsx";
import { QueueEditor } from "./queue-editor.tsx";
import { moved } from "./queue-order.ts";
import { useControl } from "./use-control.ts";
import { useSteering } from "./use-steering.ts";
import { plural, t } from "../../../ui/language/t.ts";

/** Waiting prompts: for the open turn, or, after a stop, until somebody resumes them. Collapsed while a question needs the room. */
export function Queue({ session }: { readonly session: SessionView }): ReactNode {
  const control = useControl(session.id);
  const [editing, setEditing] = useState<string>();
  const [first] = session.queue;
  if (first === undefined) return null;
  const held = session.queue.filter((queued) => queued.held === true).length;
  return (
    <section aria-label={t("Queued prompts")}>
      <details
        open={session.pending_approvals.length === 0}
        className="group/queue rounded-lg border border-dashed px-3 py-1.5 text-sm"
      >
        <summary className="flex min-h-7 cursor-pointer items-center gap-1.5 text-xs text-soft">
          <Clock aria-hidden className="size-3.5 shrink-0" />
          <span className="shrink-0">{queueWords(session.queue.length, held)}</span>
          <span dir="auto" className="min-w-0 truncate text-faint group-open/queue:hidden">
            {first.text}
          </span>
        </summary>
        <ol className="max-h-[30dvh] space-y-0.5 overflow-y-auto pb-1">
          {session.queue.map(({ turn_id, text }, index) => (
            <li key={turn_id} className="text-soft">
              {editing === turn_id ? (
                <QueueEditor session={session.id} turn={turn_id} onClose={() => setEditing(undefined)} />
              ) : (
                <QueuedLine session={session} index={index} text={text} onEdit={() => setEditing(turn_id)} />
              )}
            </li>
          ))}
        </ol>
        {held > 0 && (
          <p className="flex flex-wrap items-center gap-2 pb-1 text-xs text-soft">
            <span className="me-auto">{t("Held because the turn was stopped.")}</span>
            <Button size="small" busy={control.busy} onClick={() => control.run("resume")}>
              <Play aria-hidden className="size-3.5" /> {t("Run the queue")}
            </Button>
          </p>
        )}
      </details>
    </section>
  );
}

/** Of a prompt, to name its buttons. */
const NAME_CHARS = 60;

function QueuedLine({
  session,
  index,
  text,
  onEdit,
}: {
  readonly session: SessionView;
  readonly index: number;
  readonly text: string;
  readonly onEdit: () => void;
}): ReactNode {
  const { run, isBusy } = useQueueChange(session.id);
  const { client } = useConnection();
  const turns = session.queue.map(({ turn_id }) => turn_id);
  const turn = turns[index] ?? "";
  const canSteer = useSteering(session);
  const isNow = session.queue[index]?.now === true;
  const name = `“${(text.split("\n")[0] ?? "").slice(0, NAME_CHARS)}”`;
  const move = (by: -1 | 1) => () =>
    run({ change: () => client.queue.reorder(session.id, moved(turns, index, by)), said: t("Queue reordered") });
  return (
    <div className="flex items-center gap-1">
      <span dir="auto" className="min-w-0 flex-1 truncate rtl:text-right">
        {text}
      </span>
      {isNow && <span className="shrink-0 text-xs text-faint">{t("Sent into this turn")}</span>}
      {canSteer && !isNow && (
        <Small
          label={t("Send {name} now", { name })}
          icon={CornerDownRight}
          disabled={isBusy}
          onPress={() =>
            run({ change: () => client.queue.sendNow(session.id, turn), said: t("Sent into the running turn") })
          }
        />
      )}
      {turns.length > 1 && (
        <>
          <Small
            label={t("Move {name} up", { name })}
            icon={ArrowUp}
            disabled={isBusy || index === 0}
            onPress={move(-1)}
          />
          <Small
            label={t("Move {name} down", { name })}
            icon={ArrowDown}
            disabled={isBusy || index === turns.length - 1}
            onPress={move(1)}
          />
        </>
      )}
      <Small label={t("Edit {name}", { name })} icon={Pencil} disabled={isBusy} onPress={onEdit} />
      <Small
        label={t("Remove {name} from the queue", { name })}
        icon={X}
        disabled={isBusy}
        onPress={() => run({ change: () => client.removePrompt(session.id, turn), said: t("Removed from the queue") })}
      />
    </div>
  );
}

function Small({
  label,
  icon: Icon,
  disabled,
  onPress,
}: {
  readonly label: string;
  readonly icon: typeof X;
  readonly disabled: boolean;
  readonly onPress: () => void;
}): ReactNode {
  return (
    <Button
      size="icon"
      variant="quiet"
      className="size-7! shrink-0"
      aria-label={label}
      disabled={disabled}
      onClick={onPress}
    >
      <Icon aria-hidden className="size-4" />
    </Button>
  );
}

function queueWords(count: number, held: number): string {
  const queued = plural({ one: "{count} queued", other: "{count} queued" }, { count });
  if (held === 0) return queued;
  const stopped = plural({ one: "{count} held", other: "{count} held" }, { count: held });
  return held === count ? stopped : `${queued}, ${stopped}`;
}

interface QueueChange {
  readonly change: () => Promise<SessionView>;
  /** What is told when it is done. */
  readonly said: string;
}

function useQueueChange(id: string): { readonly run: (change: QueueChange) => void; readonly isBusy: boolean } {
  const queries = useQueryClient();
  const tell = useTell();
  const { mutate, isPending } = useMutation({
    mutationFn: ({ change }: QueueChange) => change(),
    onSuccess: (session, { said }) => {
      sessionChanged(queries, session);
      tell.ok(said);
    },
    onError: (error) => {
      tell.bad(wordsOf(error));
      // It was about a queue that has changed meanwhile.
      void queries.invalidateQueries({ queryKey: KEYS.session(id) });
    },
  });
  return { run: mutate, isBusy: isPending };
}
