import type {
  ClientChoice,
  ImportedConversation,
  McpServers,
  SessionSettings,
  SessionView,
  Status,
  SubmitPrompt,
} from "../../protocol/index.ts";
import type { NewDocument } from "../../store/index.ts";
import type { Receipts } from "../core/receipts.ts";
import type { Session } from "../core/session.ts";
import type { Dependencies } from "../dependencies.ts";
import type { Registry } from "../lifecycle/registry.ts";
import type { WarmSessions } from "../lifecycle/warm.ts";
import type { WorkspacePlaces } from "../settings/settings.ts";
import type { InstructionService } from "./workspaces/instruction-service.ts";
import type { TunnelAuthService } from "./tunnels/tunnel-auth-service.ts";

export interface SessionFilter {
  readonly status?: Status | undefined;
  readonly engine?: string | undefined;
  /** Text that title, id, workspace or the creator's name must contain. */
  readonly search?: string | undefined;
  readonly archived?: boolean | undefined;
  readonly tag?: string | undefined;
  /** The folder that it works in, or that its changes are for. */
  readonly workspace?: string | undefined;
  /** Created at or after, and before; ISO 8601. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly cursor?: string | undefined;
  readonly limit: number;
}

/** Absent: not idempotent. */
export type IdempotencyKey = string | undefined;

/** How a repeated prompt with a key is recognised. Absent fields: by its whole content, for an hour. */
export interface PromptReceipt {
  /** Milliseconds. */
  readonly keepMs?: number | undefined;
  readonly question?: unknown;
}

export interface CreateOptions {
  /** May refuse the resulting settings. Not called for a retry that is answered from its receipt. */
  readonly admit?: (settings: SessionSettings) => Promise<void>;
  /** Fields of the request that the surface chose itself, for clients that may not choose them. */
  readonly given?: readonly ClientChoice[] | undefined;
  /** Rows that become durable together with the session. Absent: none. */
  readonly documents?: ((answer: SessionView) => readonly NewDocument[]) | undefined;
  /** The conversation that it begins with; absent: none. */
  readonly imported?: ImportedConversation | undefined;
}

export interface SessionBeginning extends Pick<CreateOptions, "documents"> {
  readonly settings: SessionSettings;
  /** The session whose journal it begins with. */
  readonly parent: Session | undefined;
  /** The session whose budget it draws on. */
  readonly sponsor: Session | undefined;
  readonly prompt: SubmitPrompt | undefined;
  /** MCP servers of its own, with the values of variables and headers. Absent: those of the parent. */
  readonly servers: McpServers | undefined;
  readonly imported: ImportedConversation | undefined;
}

export interface SessionServiceParts {
  readonly dependencies: Dependencies;
  readonly registry: Registry;
  readonly receipts: Receipts;
  readonly places: WorkspacePlaces;
  readonly warm: WarmSessions;
  readonly instructions: InstructionService;
  readonly tunnelAuth: TunnelAuthService;
  /** A session of this kind was started: another one may follow. */
  readonly expect: (settings: SessionSettings) => void;
}
