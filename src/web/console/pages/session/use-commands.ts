import { useState } from "react";
import { useMay } from "../../../ui/app/connection.tsx";
import { useShortcutHelp } from "../../../ui/app/shortcuts.tsx";
import { useTell } from "../../../ui/toasts.tsx";
import type { SlashCommandName } from "./commands.ts";
import type { SessionQuestion } from "./session-dialog.tsx";
import { useControl } from "./use-control.ts";
import { t } from "../../../ui/language/t.ts";

export interface SessionCommands {
  readonly run: (name: SlashCommandName) => void;
  /** The window that a command opened. */
  readonly asked: SessionQuestion | undefined;
  readonly end: () => void;
}

/** What the words after `/` do. */
export function useCommands(sessionId: string, onFork: () => void): SessionCommands {
  const control = useControl(sessionId);
  const help = useShortcutHelp();
  const tell = useTell();
  const mayRaise = useMay("budget.raise");
  const [asked, setAsked] = useState<SessionQuestion>();
  const run = (name: SlashCommandName): void => {
    switch (name) {
      case "stop":
        return control.run("interrupt");
      case "pause":
      case "resume":
        return control.run(name);
      case "fork":
        return onFork();
      case "model":
      case "mode":
        return setAsked("switch");
      case "budget":
        return mayRaise ? setAsked("budget") : tell.bad(t("Your role can’t change limits. Ask an admin."));
      case "close":
        return setAsked("close");
      case "help":
        return help();
    }
  };
  return { run, asked, end: () => setAsked(undefined) };
}
