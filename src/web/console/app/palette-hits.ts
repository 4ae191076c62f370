import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Search, TextSearch } from "lucide-react";
import { useEffect, useState } from "react";
import { useConnection } from "../../ui/app/connection.tsx";
import { hitKindLabel } from "./hits.ts";
import type { PaletteEntry } from "./palette.tsx";
import { visible } from "../../ui/visible.ts";
import { t } from "../../ui/language/t.ts";

const HITS_SHOWN = 6;
/** Shorter texts are beginnings of too many words. */
const SEARCHED_CHARS = 3;
const TYPING_MS = 200;

/** Sentences of conversations with these words, and the way to all of them. */
export function useHitEntries(text: string): readonly PaletteEntry[] {
  const { client } = useConnection();
  const navigate = useNavigate();
  const q = useSettled(text);
  const isWanted = q.length >= SEARCHED_CHARS && /[\p{L}\p{N}]/u.test(q);
  const { data } = useQuery({
    queryKey: ["search", q, "palette"],
    queryFn: () => client.searchText({ q, limit: HITS_SHOWN }),
    enabled: isWanted,
    // What is under the cursor does not go away while the next letters are searched.
    placeholderData: (before) => before,
    retry: false,
    staleTime: 0,
  });
  if (!isWanted || text.length < SEARCHED_CHARS) return [];
  const hits = (data?.hits ?? []).map((hit) => ({
    id: `${hit.session_id}-${String(hit.seq)}`,
    label: `${hitKindLabel(hit)}: ${visible(hit.snippet)}`,
    icon: TextSearch,
    run: () =>
      void navigate({
        to: "/sessions/$sessionId",
        params: { sessionId: hit.session_id },
        hash: `seq-${String(hit.seq)}`,
      }),
  }));
  const all = {
    id: "search",
    label: t("Search all conversations for “{text}”", { text: visible(text) }),
    icon: Search,
    run: () => void navigate({ to: "/search", search: { q: text } }),
  };
  return [...hits, all];
}

/** The text a moment after the last key. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
