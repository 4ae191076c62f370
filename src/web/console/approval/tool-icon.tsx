import {
  CircleHelp,
  CircleDollarSign,
  Bot,
  FilePen,
  FilePlus2,
  FileSearch,
  Globe,
  NotebookPen,
  Plug,
  Search,
  SquareTerminal,
  Wrench,
  type LucideIcon,
} from "lucide-react";
import type { ReactNode } from "react";
import { BUDGET_TOOL } from "../../../protocol/index.ts";

const ICONS: Readonly<Record<string, LucideIcon>> = {
  Write: FilePlus2,
  Edit: FilePen,
  MultiEdit: FilePen,
  NotebookEdit: NotebookPen,
  Bash: SquareTerminal,
  Read: FileSearch,
  Glob: Search,
  Grep: Search,
  WebFetch: Globe,
  WebSearch: Globe,
  Task: Bot,
  AskUserQuestion: CircleHelp,
  [BUDGET_TOOL]: CircleDollarSign,
};

export function ToolIcon({
  tool,
  className = "size-5",
}: {
  readonly tool: string;
  readonly className?: string;
}): ReactNode {
  const Icon = (Object.hasOwn(ICONS, tool) ? ICONS[tool] : undefined) ?? (tool.startsWith("mcp__") ? Plug : Wrench);
  return <Icon aria-hidden className={`${className} shrink-0`} />;
}
