import type { JobKind, Status, UsageGroup } from "../protocol/index.ts";

/** A usage query. Absent: by day, everything that the caller may see. */
export interface UsageFilter {
  readonly by?: readonly UsageGroup[];
  /** Days (`2026-11-15`, UTC), both inclusive. */
  readonly from?: string;
  readonly to?: string;
  readonly session?: string;
  /** A principal's id. */
  readonly agent?: string;
  /** An API key's id. */
  readonly key?: string;
  /** Lines. */
  readonly limit?: number;
}

export function connectionPath(id: string, rest = ""): string {
  return `/api/connections/${encodeURIComponent(id)}${rest}`;
}

export function usageSearch({ by, ...filter }: UsageFilter): string {
  return search({ ...(by === undefined ? {} : { by: by.join(",") }), ...filter });
}

export function changesOf(id: string): string {
  return `/api/sessions/${encodeURIComponent(id)}/changes`;
}

/** The part of an address behind its path; absent values are left out. */
export function search(query: Readonly<Record<string, string | number | boolean | undefined>>): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as [string, string]],
  );
  return pairs.length === 0 ? "" : `?${new URLSearchParams(pairs).toString()}`;
}

export function jobPath(kind: JobKind, id: string): string {
  return `/api/${kind}/${encodeURIComponent(id)}`;
}

export interface CsvFile {
  readonly csv: string;
  /** There was more than one file may hold. */
  readonly truncated: boolean;
}

export async function csvOf(response: Response): Promise<CsvFile> {
  return { csv: await response.text(), truncated: response.headers.get("sallyport-truncated") === "true" };
}

/** Which sessions a list contains. Absent: no narrowing. */
export type SessionListFilter = {
  readonly status?: Status;
  readonly search?: string;
  readonly engine?: string;
  readonly archived?: boolean;
  readonly tag?: string;
  readonly workspace?: string;
  /** Created at or after, and before; ISO 8601. */
  readonly from?: string;
  readonly to?: string;
};

/** The same with a place in the list. */
export type SessionListQuery = SessionListFilter & { readonly cursor?: string; readonly limit?: number };
