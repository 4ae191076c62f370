import type { AuditEntry, UsageGroup, UsageLine } from "../protocol/index.ts";

const MICRO = 1_000_000;

/** The figures of a row, in column order. */
const FIGURES: readonly (readonly [name: string, of: (line: UsageLine) => number | string])[] = [
  ["requests", ({ requests }) => requests],
  ["input_tokens", ({ tokens }) => tokens.input],
  ["output_tokens", ({ tokens }) => tokens.output],
  ["cache_read_tokens", ({ tokens }) => tokens.cache_read],
  ["cache_write_tokens", ({ tokens }) => tokens.cache_write],
  ["cache_write_1h_tokens", ({ tokens }) => tokens.cache_write_1h],
  ["reasoning_tokens", ({ tokens }) => tokens.reasoning],
  ["web_searches", ({ tokens }) => tokens.web_searches],
  ["cost_microusd", ({ cost_microusd }) => cost_microusd],
  ["bound_microusd", ({ bound_microusd }) => bound_microusd],
  ["cost_dollars", ({ cost_microusd }) => dollars(cost_microusd)],
];

/** Usage as in RFC 4180: a header, then one row for each, ended by CRLF. */
export function usageCsv(by: readonly UsageGroup[], lines: readonly UsageLine[]): string {
  const rows = lines.map((line) => [
    ...by.map((group) => cell(line[group] ?? "")),
    ...FIGURES.map(([, of]) => of(line)),
  ]);
  return [[...by, ...FIGURES.map(([name]) => name)], ...rows].map((row) => `${row.join(",")}\r\n`).join("");
}

const AUDIT_COLUMNS: readonly (readonly [name: string, of: (entry: AuditEntry) => string])[] = [
  ["at", ({ at }) => at],
  ["by_id", ({ by }) => by.id],
  ["by_name", ({ by }) => by.name],
  ["by_role", ({ by }) => by.role],
  ["action", ({ action }) => action],
  ["target", ({ target }) => target],
  ["details", ({ details }) => (details === undefined ? "" : JSON.stringify(details))],
  ["id", ({ id }) => id],
];

export function auditCsv(entries: readonly AuditEntry[]): string {
  const rows = entries.map((entry) => AUDIT_COLUMNS.map(([, of]) => cell(of(entry))));
  return [AUDIT_COLUMNS.map(([name]) => name), ...rows].map((row) => `${row.join(",")}\r\n`).join("");
}

export function wantsCsv(accept: string | undefined): boolean {
  return accept !== undefined && /\btext\/csv\b/i.test(accept);
}

/** A model's name is untrusted text: one that a spreadsheet would run as a formula gets an apostrophe before it. */
function cell(text: string): string {
  const safe = /^\s*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]|^[\t\r\n]/.test(text) ? `'${text}` : text;
  return /[",\r\n;\t']/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Exact: six digits after the point. */
function dollars(microusd: number): string {
  return `${Math.floor(microusd / MICRO)}.${String(microusd % MICRO).padStart(6, "0")}`;
}
