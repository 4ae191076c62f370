import { Link2 } from "lucide-react";
import type { ReactNode } from "react";
import type { ItemView } from "../../../protocol/index.ts";
import { useTell } from "../../ui/toasts.tsx";
import { t } from "../../ui/language/t.ts";

/** The address of one event of a session. */
function eventLink(seq: number): string {
  return `${globalThis.location.origin}${globalThis.location.pathname}#seq-${String(seq)}`;
}

/** Copies the link to this event. */
export function ItemMenu({ view }: { readonly view: Pick<ItemView, "seq"> }): ReactNode {
  const tell = useTell();
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(eventLink(view.seq));
    tell.ok(t("Link copied"));
  };
  return (
    <button
      type="button"
      aria-label={t("Copy link to event {seq}", { seq: String(view.seq) })}
      onClick={() => void copy().catch(() => tell.bad(t("The browser blocked copying.")))}
      className="grid size-7 shrink-0 place-items-center rounded text-faint opacity-60 hover:bg-sunken hover:opacity-100 focus-visible:opacity-100"
    >
      <Link2 aria-hidden className="size-4" />
    </button>
  );
}
