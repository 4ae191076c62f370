import { z } from "zod";
import { LIMITS } from "../../limits.ts";

/** What a page may say about itself with a message. `null` means absent. */
export const RuntimeContextInput = z.object({
  viewType: z.string().max(200).nullish(),
  connectionId: z.string().max(1_000).nullish(),
  repoFiles: z.array(z.string().max(LIMITS.pathChars)).max(LIMITS.runtimeRepoFiles).nullish(),
  metadata: z.record(z.string().max(200), z.unknown()).nullish(),
});
export type RuntimeContextInput = z.infer<typeof RuntimeContextInput>;

/** A message's context as it is used. */
export interface RuntimeContext {
  readonly viewType?: string | undefined;
  readonly isTableView: boolean;
  readonly connectionId?: string | undefined;
  readonly repoFiles: readonly string[];
  /** Without the fields above. */
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** The document's word is `TABLE_VIEW`; the platform's own value for it is `TableView`. */
const TABLE_VIEWS = new Set(["TABLE_VIEW", "TableView"]);

/** View and connection may be in the context itself or in its metadata; the context's own win. */
export function runtimeContext(input: RuntimeContextInput | null | undefined): RuntimeContext {
  const { viewType: metaView, connectionId: metaConnection, ...metadata } = input?.metadata ?? {};
  const viewType = filled(input?.viewType) ?? filled(metaView);
  const connectionId = filled(input?.connectionId) ?? filled(metaConnection);
  return {
    ...(viewType === undefined ? {} : { viewType }),
    isTableView: viewType !== undefined && TABLE_VIEWS.has(viewType),
    ...(connectionId === undefined ? {} : { connectionId }),
    repoFiles: input?.repoFiles ?? [],
    metadata,
  };
}

function filled(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
