import type { Autonomy, Profile } from "../../../src/protocol/index.ts";

/** Command lines and what must become of them, judged by what the programs really do. */
export interface RuleTable {
  readonly name: string;
  readonly profile: Profile;
  /** Absent: `supervised`, where what no rule allows is asked. */
  readonly autonomy?: Autonomy;
  readonly allow?: readonly string[];
  readonly ask?: readonly string[];
  readonly deny?: readonly string[];
}

/** Lines of which each must be asked or denied. */
export interface AttackTable {
  readonly profile: Profile;
  readonly autonomy: Autonomy;
  readonly lines: readonly string[];
}
