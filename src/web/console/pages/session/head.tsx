import { Link } from "@tanstack/react-router";
import { ChevronLeft, CirclePause, CirclePlay, Ellipsis, GitFork, Info, Square } from "lucide-react";
import { DropdownMenu } from "radix-ui";
import { useState, type ReactNode } from "react";
import type { SessionView } from "../../../../protocol/index.ts";
import { useMay } from "../../app/connection.tsx";
import { useShortcuts } from "../../app/shortcuts.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { money, StatusBadge, titleOf } from "../../ui/words.tsx";
import { SetLimit } from "../usage/set-limit.tsx";
import { SwitchDialog } from "./switch-dialog.tsx";
import { useControl } from "./use-control.ts";

const ITEM = "flex items-center gap-2 rounded px-2.5 py-2 text-sm outline-none data-[highlighted]:bg-sunken";
const isBusy = ({ status }: SessionView): boolean => status === "working" || status === "pending_approval";
const hasEnded = ({ status }: SessionView): boolean => status === "complete" || status === "failed";

/** What the session is, how it stands, what it costs, and what can be done with it. */
export function Head({
  session,
  onFork,
  onDetails,
}: {
  readonly session: SessionView;
  readonly onFork: () => void;
  readonly onDetails: () => void;
}): ReactNode {
  const mayControl = useMay("session.control");
  const control = useControl(session.id);
  useShortcuts("Session", [
    {
      keys: ["Escape"],
      label: "Stop the turn",
      run: () => (isBusy(session) && mayControl ? control.run("interrupt") : false),
    },
  ]);
  return (
    <header className="border-b bg-panel px-3 py-2 md:px-4">
      <div className="flex items-center gap-2">
        <Link to="/sessions" aria-label="To the sessions" className="rounded p-1.5 text-soft hover:bg-sunken md:hidden">
          <ChevronLeft aria-hidden className="size-5" />
        </Link>
        <div className="min-w-0 flex-1">
          <h1 className="truncate text-base font-semibold">{titleOf(session)}</h1>
          <p className="flex flex-wrap items-center gap-x-2 gap-y-0.5 text-xs text-soft">
            <StatusBadge status={session.status} />
            <span className="max-sm:hidden">
              {session.settings.engine} · {session.settings.model}
            </span>
            <Cost session={session} />
          </p>
        </div>
        {mayControl && isBusy(session) && (
          <Button size="small" variant="danger" busy={control.busy} onClick={() => control.run("interrupt")}>
            <Square aria-hidden className="size-3.5" /> Stop
          </Button>
        )}
        {mayControl && !hasEnded(session) && <PauseButton session={session} control={control} />}
        <Button size="icon" variant="quiet" aria-label="Details" className="lg:hidden" onClick={onDetails}>
          <Info aria-hidden className="size-5" />
        </Button>
        {mayControl && <More session={session} onFork={onFork} control={control} />}
      </div>
    </header>
  );
}

function Cost({ session }: { readonly session: SessionView }): ReactNode {
  const { cost_microusd: spent, limit_microusd: limit } = session;
  if (limit === undefined) return <span className="tabular-nums">{money(spent)}</span>;
  const part = limit === 0 ? 1 : Math.min(1, spent / limit);
  return (
    <span className="flex items-center gap-1.5 tabular-nums">
      <span aria-hidden className="h-1.5 w-14 overflow-hidden rounded-full bg-line">
        <span
          className={`block h-full ${part > 0.9 ? "bg-bad" : "bg-accent"}`}
          style={{ width: `${String(part * 100)}%` }}
        />
      </span>
      {money(spent)} of {money(limit)}
    </span>
  );
}

type Control = ReturnType<typeof useControl>;

function PauseButton({ session, control }: { readonly session: SessionView; readonly control: Control }): ReactNode {
  const isPaused = session.status === "paused";
  const Icon = isPaused ? CirclePlay : CirclePause;
  return (
    <Button
      size="small"
      variant="quiet"
      busy={control.busy}
      aria-label={isPaused ? "Resume" : "Pause"}
      onClick={() => control.run(isPaused ? "resume" : "pause")}
    >
      <Icon aria-hidden className="size-4" />
      <span className="max-sm:hidden">{isPaused ? "Resume" : "Pause"}</span>
    </Button>
  );
}

function More({
  session,
  onFork,
  control,
}: {
  readonly session: SessionView;
  readonly onFork: () => void;
  readonly control: Control;
}): ReactNode {
  const [open, setOpen] = useState<"budget" | "switch" | "close">();
  const mayRaise = useMay("budget.raise");
  const ended = hasEnded(session);
  const close = (): void => setOpen(undefined);
  return (
    <>
      <DropdownMenu.Root>
        <DropdownMenu.Trigger asChild>
          <Button size="icon" variant="quiet" aria-label="More">
            <Ellipsis aria-hidden className="size-5" />
          </Button>
        </DropdownMenu.Trigger>
        <DropdownMenu.Portal>
          <DropdownMenu.Content
            align="end"
            sideOffset={6}
            className="z-50 min-w-52 rounded-lg border bg-raised p-1.5 shadow-lg"
          >
            <DropdownMenu.Item className={ITEM} onSelect={onFork}>
              <GitFork aria-hidden className="size-4" /> Fork
            </DropdownMenu.Item>
            {mayRaise && !ended && (
              <DropdownMenu.Item className={ITEM} onSelect={() => setOpen("budget")}>
                Change the limit …
              </DropdownMenu.Item>
            )}
            {!ended && (
              <DropdownMenu.Item className={ITEM} onSelect={() => setOpen("switch")}>
                Change model or mode …
              </DropdownMenu.Item>
            )}
            {!ended && (
              <DropdownMenu.Item className={`${ITEM} text-bad`} onSelect={() => setOpen("close")}>
                Close the session …
              </DropdownMenu.Item>
            )}
          </DropdownMenu.Content>
        </DropdownMenu.Portal>
      </DropdownMenu.Root>
      {open === "budget" && <SetLimit session={session} onClose={close} />}
      {open === "switch" && <SwitchDialog session={session} onClose={close} />}
      <Dialog
        open={open === "close"}
        onClose={close}
        title="Close this session?"
        description="Its turn and its processes end, waiting prompts are dropped. The conversation stays and can be forked."
      >
        <div className="flex justify-end gap-2">
          <Button onClick={close}>Keep it open</Button>
          <Button
            variant="danger"
            onClick={() => {
              close();
              control.run("close");
            }}
          >
            Close it
          </Button>
        </div>
      </Dialog>
    </>
  );
}
