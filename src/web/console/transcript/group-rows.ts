import { isToolItem, TOOL_FACTS, type ItemView, type ToolItem } from "../../../protocol/index.ts";
import { aboutTool, toolName } from "./tool-words.ts";
import type { TranscriptRow } from "./transcript.ts";
import { locale, plural } from "../../ui/language/t.ts";

/** Calls that follow each other and need nobody's eye, as one row. */
export interface GroupRow {
  readonly kind: "group";
  readonly key: string;
  readonly seq: number;
  readonly items: readonly string[];
}

/** Fewer calls stay as they are; more are several groups, so that an opened one is not too long for a page. */
const GROUPED = 3;
const GROUPED_MOST = 40;

/** Folds calls that went well into one row. What runs, waits, failed, changed a file or was changed by a person stays in sight. */
export function groupRows(
  rows: readonly TranscriptRow[],
  items: ReadonlyMap<string, ItemView>,
): readonly (TranscriptRow | GroupRow)[] {
  const grouped: (TranscriptRow | GroupRow)[] = [];
  let quiet: Extract<TranscriptRow, { kind: "item" }>[] = [];
  const end = (): void => {
    const [first] = quiet;
    if (first !== undefined && quiet.length >= GROUPED)
      grouped.push({ kind: "group", key: `group-${first.key}`, seq: first.seq, items: quiet.map(({ item }) => item) });
    else grouped.push(...quiet);
    quiet = [];
  };
  for (const row of rows) {
    if (row.kind === "item" && isQuiet(items.get(row.item))) {
      if (quiet.length === GROUPED_MOST) end();
      quiet.push(row);
    } else {
      end();
      grouped.push(row);
    }
  }
  end();
  return grouped;
}

function isQuiet(view: ItemView | undefined): boolean {
  if (view === undefined || !isToolItem(view.item) || view.children.length > 0) return false;
  const { item, answer } = view;
  if (item.type === "file_change" || item.type === "todo_list" || item.type === "subagent") return false;
  const isDone = item.status === "completed" && item.is_error !== true && item.approved_input === undefined;
  return isDone && (answer?.outcome ?? "approved") === "approved";
}

type CallKind = "read" | "ran" | "searched" | "asked" | "fetched";

const WORDS: Readonly<Record<CallKind, (count: number) => string>> = {
  read: (count) => plural({ one: "read {count} file", other: "read {count} files" }, { count }),
  searched: (count) => plural({ one: "searched {count} time", other: "searched {count} times" }, { count }),
  ran: (count) => plural({ one: "ran {count} command", other: "ran {count} commands" }, { count }),
  asked: (count) =>
    plural({ one: "searched the web {count} time", other: "searched the web {count} times" }, { count }),
  fetched: (count) => plural({ one: "fetched {count} page", other: "fetched {count} pages" }, { count }),
};

/** What calls did, in a few words: `Read 6 files, ran 2 commands`. */
export function groupWords(calls: readonly ToolItem[]): string {
  const done = new Map<CallKind, Set<string>>();
  const others: ToolItem[] = [];
  for (const call of calls) {
    const kind = kindOf(call);
    if (kind === undefined) others.push(call);
    else {
      const known = done.get(kind) ?? new Set();
      // A file that was read twice is one file; everything else counts each time.
      known.add(kind === "read" ? aboutTool(call) : call.id);
      done.set(kind, known);
    }
  }
  const names = new Set(others.map(toolName));
  const rest =
    others.length === 0
      ? []
      : names.size === 1
        ? [
            plural(
              { one: "called {tool} {count} time", other: "called {tool} {count} times" },
              { tool: [...names].join(""), count: others.length },
            ),
          ]
        : [plural({ one: "made {count} other call", other: "made {count} other calls" }, { count: others.length })];
  const words = [...done].map(([kind, each]) => WORDS[kind](each.size));
  const text = [...words, ...rest].join(", ");
  return text.slice(0, 1).toLocaleUpperCase(locale) + text.slice(1);
}

function kindOf(call: ToolItem): CallKind | undefined {
  if (call.type === "command_execution") return "ran";
  if (call.type === "web_search") return "asked";
  if (call.type !== "tool_call") return undefined;
  const facts = Object.hasOwn(TOOL_FACTS, call.tool) ? TOOL_FACTS[call.tool as keyof typeof TOOL_FACTS] : undefined;
  if (facts?.acp === "search") return "searched";
  if (facts?.acp === "fetch") return "fetched";
  return facts?.acp === "read" && "file_path" in call.input ? "read" : undefined;
}
