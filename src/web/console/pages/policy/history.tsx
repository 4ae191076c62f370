import { useQuery } from "@tanstack/react-query";
import { History as HistoryIcon } from "lucide-react";
import { useState, type ReactNode } from "react";
import type { PolicyChange } from "../../../../protocol/index.ts";
import { useConnection, useMay } from "../../../ui/app/connection.tsx";
import { KEYS } from "../../app/feed.tsx";
import { NotPermitted } from "../../../ui/not-permitted.tsx";
import { Empty, Skeleton, Trouble } from "../../../ui/states.tsx";
import { Ago } from "../../../ui/words.tsx";
import { DiffView } from "./diff-view.tsx";
import { policyYaml } from "./draft.ts";
import { t } from "../../../ui/language/t.ts";

const FIRST = "";

/** Who set what, newest first, each with what it changed. */
export function History(): ReactNode {
  const may = useMay("audit.read");
  return may ? <Changes /> : <NotPermitted what={t("The history")} roles={t("admin, operator or viewer")} />;
}

function Changes(): ReactNode {
  const { client } = useConnection();
  const history = useQuery({
    queryKey: [...KEYS.policy, "history"],
    queryFn: () => client.policyHistory(),
    staleTime: 0,
  });
  if (history.error !== null)
    return <Trouble title={t("Can’t load the history")} error={history.error} onRetry={() => void history.refetch()} />;
  if (history.data === undefined) return <Skeleton className="h-40" />;
  const { changes } = history.data;
  if (changes.length === 0) {
    return (
      <Empty icon={HistoryIcon} title={t("The policy has not been changed here")}>
        {t(
          "The built-in policy applies, plus policy.yaml in the home folder. Saved changes appear here with their author.",
        )}
      </Empty>
    );
  }
  return (
    <ol className="space-y-3">
      {changes.map((change, index) => (
        <li key={`${change.at}-${index}`}>
          <Change change={change} before={changes[index + 1]} isOpen={index === 0} />
        </li>
      ))}
    </ol>
  );
}

function Change({
  change,
  before,
  isOpen,
}: {
  readonly change: PolicyChange;
  readonly before: PolicyChange | undefined;
  readonly isOpen: boolean;
}): ReactNode {
  const [open, setOpen] = useState(isOpen);
  return (
    <details
      open={open}
      onToggle={(event) => setOpen(event.currentTarget.open)}
      className="rounded-xl border bg-raised px-4 py-3"
    >
      <summary className="cursor-pointer text-sm">
        <span className="font-medium">{change.by.name}</span> <span className="text-soft">({change.by.role})</span>,{" "}
        <Ago at={change.at} />
        <span className="text-faint">
          {" "}
          {t("· sets {profiles}", { profiles: Object.keys(change.policy.profiles).join(", ") || t("no profile") })}
        </span>
      </summary>
      {open && (
        <div className="mt-3">
          <DiffView
            label={t("Changes from the previous version")}
            before={before === undefined ? FIRST : policyYaml(before.policy)}
            after={policyYaml(change.policy)}
          />
        </div>
      )}
    </details>
  );
}
