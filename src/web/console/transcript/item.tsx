import { Brain, CircleAlert, Scissors } from "lucide-react";
import { lazy, memo, Suspense, type ReactNode } from "react";
import { isToolItem, type Item } from "../../../protocol/index.ts";
import { Badge, Note } from "../ui/states.tsx";
import { count } from "../ui/words.tsx";
import { ItemMenu } from "./item-menu.tsx";
import { ToolCard } from "./tool-card.tsx";
import { STATUS_WORDS } from "./tool-words.ts";
import type { ItemView } from "./transcript.ts";

const Markdown = lazy(async () => ({ default: (await import("./markdown.tsx")).Markdown }));

export type ItemLookup = (id: string) => ItemView | undefined;

/** One visible thing of a turn. Painted again only when it changes. */
export const ItemRow = memo(function ItemRow({
  view,
  lookup,
}: {
  readonly view: ItemView;
  readonly lookup: ItemLookup;
}): ReactNode {
  const { item } = view;
  if (isToolItem(item)) {
    return (
      <ToolCard view={view} item={item}>
        {view.children.length > 0 && <Children ids={view.children} lookup={lookup} />}
      </ToolCard>
    );
  }
  return <Said view={view} item={item} />;
});

/** What a sub-agent did. */
function Children({ ids, lookup }: { readonly ids: readonly string[]; readonly lookup: ItemLookup }): ReactNode {
  return (
    <div className="space-y-3 border-l-2 border-accent/50 pl-3" role="group" aria-label="Sub-agent">
      {ids.map((id) => {
        const view = lookup(id);
        return view === undefined ? null : <ItemRow key={id} view={view} lookup={lookup} />;
      })}
    </div>
  );
}

type SaidItem = Exclude<Item, { tool_use_id: string }>;

function Said({ view, item }: { readonly view: ItemView; readonly item: SaidItem }): ReactNode {
  switch (item.type) {
    case "agent_message":
      return <Message view={view} item={item} />;
    case "reasoning":
      return (
        <details className="rounded-xl border bg-panel text-sm">
          <summary className="flex min-h-9 cursor-pointer items-center gap-2 px-3 py-1.5 text-soft">
            <Brain aria-hidden className="size-4" /> {item.status === "in_progress" ? "Thinking …" : "Thought"}
            <span className="min-w-0 flex-1 truncate text-faint">{item.text.slice(0, 160)}</span>
          </summary>
          <p className="border-t px-3 py-2 whitespace-pre-wrap break-words text-soft">
            {item.text === "" ? "The model keeps this thought to itself." : item.text}
          </p>
        </details>
      );
    case "compaction":
      return (
        <details className="rounded-xl border border-dashed bg-panel text-sm">
          <summary className="flex min-h-9 cursor-pointer items-center gap-2 px-3 py-1.5 text-soft">
            <Scissors aria-hidden className="size-4" /> The conversation was too long ({count(item.tokens_before)}{" "}
            tokens) and was summed up
          </summary>
          <p className="border-t px-3 py-2 whitespace-pre-wrap break-words text-soft">{item.summary}</p>
        </details>
      );
    case "error":
      return (
        <Note tone="bad" className="flex items-start gap-2">
          <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
          <span className="min-w-0 break-words">{item.message}</span>
        </Note>
      );
  }
}

function Message({
  view,
  item,
}: {
  readonly view: ItemView;
  readonly item: Extract<Item, { type: "agent_message" }>;
}): ReactNode {
  const { label, tone } = STATUS_WORDS[item.status];
  const plain = item.status === "completed" || item.status === "in_progress";
  if (item.text === "" && item.status === "completed") return null;
  return (
    <div className="group flex items-start gap-1">
      <div className={`min-w-0 flex-1 ${item.status === "superseded" ? "text-faint" : ""}`}>
        {!plain && (
          <Badge tone={tone} className="mb-1">
            {label}
          </Badge>
        )}
        <Suspense fallback={<p className="leading-relaxed whitespace-pre-wrap break-words">{item.text}</p>}>
          <Markdown text={item.text} streaming={item.status === "in_progress"} />
        </Suspense>
      </div>
      <ItemMenu view={view} />
    </div>
  );
}
