import { zodToOpenAPIRegistry } from "@asteasolutions/zod-to-openapi";
import type { z } from "@hono/zod-openapi";
import * as protocol from "../../protocol/index.ts";
import { Event, Snapshot, StreamFrame } from "./events.ts";
import { FileListing } from "./mount-paths.ts";

/** Schemas that appear once in the document, under these names. */
const NAMED: Readonly<Record<string, z.ZodType>> = {
  AgentDefinition: protocol.AgentDefinition,
  Approval: protocol.Approval,
  ApprovalStatus: protocol.ApprovalStatus,
  Attachment: protocol.Attachment,
  AuditEntry: protocol.AuditEntry,
  Autonomy: protocol.Autonomy,
  BudgetLine: protocol.BudgetLine,
  Catalog: protocol.CatalogView,
  CatalogColumn: protocol.CatalogColumn,
  CatalogJoin: protocol.CatalogJoin,
  CatalogTable: protocol.CatalogTable,
  ChangeSetFile: protocol.ChangeSetFile,
  ChangeDiff: protocol.ChangeDiff,
  ChangeList: protocol.ChangeList,
  ChangesDone: protocol.ChangesDone,
  ClaudeChunk: protocol.ClaudeChunk,
  ClaudeContext: protocol.ClaudeContext,
  ClaudeCreated: protocol.ClaudeCreated,
  ClaudeForked: protocol.ClaudeForked,
  ClaudeModel: protocol.ClaudeModel,
  ClaudePolicy: protocol.ClaudePolicy,
  ClaudeProvider: protocol.ClaudeProvider,
  ClaudeRequest: protocol.ClaudeRequest,
  ClaudeResponse: protocol.ClaudeResponse,
  ClaudeSessionStatus: protocol.ClaudeSessionStatus,
  ClaudeTunnel: protocol.ClaudeTunnel,
  ClaudeUsage: protocol.ClaudeUsage,
  CommandPart: protocol.CommandPart,
  ConfigureSession: protocol.ConfigureSession,
  Connection: protocol.ConnectionView,
  ConnectionConfig: protocol.ConnectionConfig,
  ConnectionRecord: protocol.ConnectionRecord,
  ConnectionReport: protocol.ConnectionReport,
  ContentBlock: protocol.ContentBlock,
  CreateKey: protocol.CreateKey,
  CreateSession: protocol.CreateSession,
  CreateToken: protocol.CreateToken,
  Decision: protocol.Decision,
  DecisionBatch: protocol.DecisionBatch,
  DecisionResults: protocol.DecisionResults,
  Delta: protocol.Delta,
  EditPreview: protocol.EditPreview,
  Engine: protocol.EngineView,
  ErrorCode: protocol.ErrorCode,
  ErrorDetail: protocol.ErrorDetail,
  Event,
  FileChange: protocol.FileChange,
  FileDiff: protocol.FileDiff,
  FileEntry: protocol.FileEntry,
  FileListing,
  FileStat: protocol.FileStat,
  ForkedFrom: protocol.ForkedFrom,
  ForkSession: protocol.ForkSession,
  Item: protocol.Item,
  ItemStatus: protocol.ItemStatus,
  Key: protocol.KeyView,
  KeyBounds: protocol.KeyBounds,
  KeyCreated: protocol.KeyCreated,
  KeyList: protocol.KeyList,
  LabelSession: protocol.LabelSession,
  Me: protocol.Me,
  OfferedRule: protocol.OfferedRule,
  Outcome: protocol.Outcome,
  PendingTool: protocol.PendingToolInfo,
  PermissionMode: protocol.PermissionMode,
  PlannedChange: protocol.PlannedChange,
  Policy: protocol.Policy,
  PolicyChange: protocol.PolicyChange,
  PolicyTest: protocol.PolicyTest,
  Preview: protocol.Preview,
  Price: protocol.Price,
  PricedModel: protocol.PricedModel,
  Principal: protocol.PrincipalRef,
  Profile: protocol.Profile,
  Prompt: protocol.Prompt,
  PromptAccepted: protocol.PromptAccepted,
  Pool: protocol.PoolView,
  Provider: protocol.ProviderView,
  ProviderReport: protocol.ProviderReport,
  PruneReport: protocol.PruneReport,
  PruneRequest: protocol.PruneRequest,
  QueryAnswer: protocol.QueryAnswer,
  Question: protocol.Question,
  QueuedPrompt: protocol.QueuedPrompt,
  RateLimit: protocol.RateLimit,
  Ruling: protocol.Ruling,
  SaveTemplate: protocol.SaveTemplate,
  Session: protocol.SessionView,
  SessionSettings: protocol.SessionSettings,
  SessionStatus: protocol.Status,
  SessionUsage: protocol.SessionUsage,
  Shortage: protocol.Shortage,
  Snapshot,
  SqlClass: protocol.SqlClass,
  StreamFrame,
  Template: protocol.Template,
  Tier: protocol.Tier,
  Todo: protocol.Todo,
  Token: protocol.TokenView,
  TokenBounds: protocol.TokenBounds,
  TokenCount: protocol.TokenCount,
  TokenCreated: protocol.TokenCreated,
  Usage: protocol.Usage,
  UsageLine: protocol.UsageLine,
  UsageReport: protocol.UsageReport,
  Warning: protocol.Warning,
  Worker: protocol.WorkerView,
};

interface Union {
  readonly options: readonly z.ZodObject[];
}

/** Unions whose members get their own names, from the field that distinguishes them. */
const UNIONS: readonly { readonly union: Union; readonly by: string; readonly suffix: string }[] = [
  { union: Event, by: "type", suffix: "Event" },
  { union: protocol.Item, by: "type", suffix: "Item" },
  { union: protocol.Preview, by: "type", suffix: "Preview" },
  { union: protocol.Attachment, by: "type", suffix: "Attachment" },
  { union: protocol.ContentBlock, by: "type", suffix: "Block" },
  { union: protocol.ConnectionConfig, by: "kind", suffix: "Connection" },
];

/** Registers the names; the schemas themselves do not change. */
export function nameComponents(): void {
  for (const [name, schema] of Object.entries(NAMED)) nameSchema(schema, name);
  for (const { union, by, suffix } of UNIONS)
    for (const option of union.options) nameSchema(option, `${pascal(literalOf(option, by))}${suffix}`);
}

function nameSchema(schema: z.ZodType, refId: string): void {
  zodToOpenAPIRegistry.add(schema, { _internal: { refId } });
}

function literalOf(option: z.ZodObject, by: string): string {
  const { value } = option.shape[by] as z.ZodLiteral<string>;
  return value;
}

/** `turn.started` and `file_change` are `TurnStarted` and `FileChange`. */
function pascal(words: string): string {
  return words
    .split(/[._-]/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("");
}
