import {
  CircleHelp,
  CircleDollarSign,
  Bot,
  FileDiff,
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
import { BUDGET_TOOL, NETWORK_TOOL, REVIEW_TOOL, toolFacts, type ToolFacts } from "../../../protocol/index.ts";

const ICONS: Readonly<Record<NonNullable<ToolFacts["icon"]>, LucideIcon>> = {
  new_file: FilePlus2,
  edit: FilePen,
  notebook: NotebookPen,
  terminal: SquareTerminal,
  read: FileSearch,
  search: Search,
  web: Globe,
  agent: Bot,
  question: CircleHelp,
};

function iconOf(tool: string): LucideIcon {
  const icon = toolFacts(tool)?.icon;
  if (icon !== undefined) return ICONS[icon];
  if (tool === BUDGET_TOOL) return CircleDollarSign;
  if (tool === NETWORK_TOOL) return Globe;
  if (tool === REVIEW_TOOL) return FileDiff;
  return tool.startsWith("mcp__") ? Plug : Wrench;
}

export function ToolIcon({
  tool,
  className = "size-5",
}: {
  readonly tool: string;
  readonly className?: string;
}): ReactNode {
  const Icon = iconOf(tool);
  return <Icon aria-hidden className={`${className} shrink-0`} />;
}
