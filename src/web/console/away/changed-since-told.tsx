import type { ReactNode } from "react";
import { Note } from "../../ui/states.tsx";
import { usePendingApprovals } from "../app/feed.tsx";
import { t } from "../../ui/language/t.ts";

/** A message told of a question, and linked here with the hash of what it was about. If that is not what waits now, it says so. */
export function ChangedSinceTold({ id, hash }: { readonly id: string; readonly hash: string }): ReactNode {
  const { approvals } = usePendingApprovals();
  const asked = approvals.find((approval) => approval.id === id);
  if (asked === undefined || asked.input_hash === hash) return null;
  return (
    <Note tone="warn" role="alert" className="mb-3">
      {t("This is not the call that you were told about. Read it before you answer.")}
    </Note>
  );
}
