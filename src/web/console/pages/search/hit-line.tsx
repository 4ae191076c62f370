import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { SearchHit } from "../../../../protocol/index.ts";
import { visible } from "../../../ui/visible.ts";
import { Ago } from "../../../ui/words.tsx";
import { hitKindLabel, markedParts } from "../../app/hits.ts";
import { t } from "../../../ui/language/t.ts";

/** One hit: where it was, and the sentence around it. It leads to the place in the conversation. */
export function HitLine({ hit }: { readonly hit: SearchHit }): ReactNode {
  return (
    <li>
      <Link
        to="/sessions/$sessionId"
        params={{ sessionId: hit.session_id }}
        hash={`seq-${String(hit.seq)}`}
        className="block px-4 py-3 hover:bg-sunken"
      >
        <span className="flex flex-wrap items-baseline gap-x-2 text-sm">
          <span dir="auto" className="min-w-0 truncate font-medium">
            {hit.title === "" ? t("Untitled session") : visible(hit.title)}
          </span>
          <span className="text-xs text-soft">{hitKindLabel(hit)}</span>
          <span className="ms-auto text-xs text-faint">
            <Ago at={hit.at} />
          </span>
        </span>
        <span dir="auto" className="mt-0.5 line-clamp-2 text-sm break-words text-soft">
          <MarkedText hit={hit} />
        </span>
      </Link>
    </li>
  );
}

function MarkedText({ hit }: { readonly hit: Pick<SearchHit, "snippet" | "marks"> }): ReactNode {
  return markedParts(hit).map(({ at, text, isMarked }) =>
    isMarked ? (
      <mark key={at} className="rounded-sm bg-accent-soft px-0.5 font-medium text-ink">
        {visible(text)}
      </mark>
    ) : (
      <span key={at}>{visible(text)}</span>
    ),
  );
}
