import { Failure, LIMITS, type Profile } from "../../protocol/index.ts";
import { parseRule } from "../rules.ts";

const EFFECTS = ["deny", "ask", "allow"] as const;
type RuleEffect = (typeof EFFECTS)[number];

/** A rule of another program that cannot be taken, with the reason. */
export interface LeftOutRule {
  readonly rule: string;
  readonly why: string;
}

/** Rules of another program in our form. */
export interface ImportedRules extends Readonly<Record<RuleEffect, readonly string[]>> {
  readonly left_out: readonly LeftOutRule[];
}

/** Collects rules, each once, and why others are left out. */
export class RuleCollector {
  readonly #rules: Record<RuleEffect, Set<string>> = { deny: new Set(), ask: new Set(), allow: new Set() };
  readonly #leftOut: LeftOutRule[] = [];

  get rules(): ImportedRules {
    const { deny, ask, allow } = this.#rules;
    return { deny: [...deny], ask: [...ask], allow: [...allow], left_out: this.#leftOut };
  }

  add(effect: RuleEffect, rule: string): void {
    const read = parseRule(rule);
    if ("error" in read) this.leaveOut(`${effect} ${rule}`, read.error);
    else this.#rules[effect].add(rule);
    const count = EFFECTS.reduce((sum, one) => sum + this.#rules[one].size, this.#leftOut.length);
    if (count > LIMITS.importedRules)
      throw new Failure("invalid_request", `the file has more than ${LIMITS.importedRules} rules`);
  }

  leaveOut(rule: string, why: string): void {
    this.#leftOut.push({ rule: rule.slice(0, LIMITS.ruleChars), why });
  }
}

/** A profile with imported rules, and what differs. */
export interface ProfileImport {
  readonly profile: Profile;
  readonly added: Readonly<Record<RuleEffect, readonly string[]>>;
  /** What the import changes besides, in words. */
  readonly notes: readonly string[];
}

/** The profile with the rules that it does not have. `stricter`: without those that allow something. */
export function withImported(
  profile: Profile,
  rules: ImportedRules,
  { stricter }: { readonly stricter: boolean },
): ProfileImport {
  const added = {
    deny: missing(profile.deny, rules.deny),
    ask: missing(profile.ask, rules.ask),
    allow: stricter ? [] : missing(profile.allow, rules.allow),
  };
  // Without a list of its own the profile asks about everything: a first list must not shorten that.
  const isFirstAsk = added.ask.length > 0 && profile.ask === undefined && profile.ask_only_listed === true;
  const { ask_only_listed, ...rest } = profile;
  const lists = Object.fromEntries(
    EFFECTS.filter((effect) => added[effect].length > 0).map((effect) => [
      effect,
      [...(profile[effect] ?? []), ...added[effect]],
    ]),
  );
  const kept = ask_only_listed === undefined || isFirstAsk ? {} : { ask_only_listed };
  return {
    profile: { ...rest, ...kept, ...lists },
    added,
    notes: isFirstAsk
      ? ["ask_only_listed is taken out: with a first list in ask it would silence other questions"]
      : [],
  };
}

function missing(known: readonly string[] = [], wanted: readonly string[]): readonly string[] {
  return wanted.filter((rule) => !known.includes(rule));
}
