import type { SessionView } from "../../../../protocol/index.ts";

const isDirect = ({ settings }: SessionView): boolean =>
  settings.workspace_mode === undefined || settings.workspace_mode === "direct";

/** The sessions that work in the same folder as another one at this moment. */
export function sharers(session: SessionView, others: readonly SessionView[]): readonly SessionView[] {
  if (!isDirect(session) || session.turn_id === undefined) return [];
  return others.filter(
    (other) =>
      other.id !== session.id &&
      other.turn_id !== undefined &&
      isDirect(other) &&
      other.settings.workspace === session.settings.workspace,
  );
}
