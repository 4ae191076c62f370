import { useNavigate, useSearch } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Page } from "../../../ui/page.tsx";
import { classes } from "../../../ui/classes.ts";
import { ChangedSinceTold } from "../../away/changed-since-told.tsx";
import { Ended } from "./ended.tsx";
import { Together } from "./together.tsx";
import { Waiting } from "./waiting.tsx";
import { t } from "../../../ui/language/t.ts";

const TABS = [
  { show: "pending", label: t("Waiting") },
  { show: "ended", label: t("History") },
] as const;

/** Questions of all sessions: the open ones, and how the others ended. */
export function ApprovalsPage(): ReactNode {
  const { show, id, hash } = useSearch({ from: "/approvals" });
  const navigate = useNavigate();
  return (
    <Page
      title={t("Approvals")}
      intro={t("Calls that need your approval, from all sessions.")}
      wide
      isFolded={id !== undefined}
      actions={
        <div role="group" aria-label={t("Which")} className="flex rounded-lg border bg-panel p-0.5">
          {TABS.map((tab) => (
            <button
              key={tab.show}
              type="button"
              aria-pressed={(show === "ended") === (tab.show === "ended")}
              onClick={() => void navigate({ to: "/approvals", search: tab.show === "ended" ? { show: "ended" } : {} })}
              className={classes(
                "h-8 rounded-md px-3 text-sm font-medium",
                (show === "ended") === (tab.show === "ended")
                  ? "bg-raised text-ink shadow-sm"
                  : "text-soft hover:text-ink",
              )}
            >
              {tab.label}
            </button>
          ))}
        </div>
      }
    >
      {id !== undefined && hash !== undefined && <ChangedSinceTold id={id} hash={hash} />}
      {show === "together" ? <Together /> : show === "ended" ? <Ended id={id} /> : <Waiting id={id} />}
    </Page>
  );
}
