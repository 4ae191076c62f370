import { stringify } from "yaml";
import { Failure, Profile, type Policy } from "../../../../protocol/index.ts";
import type { FieldName } from "./fields.ts";
import { t } from "../../../ui/language/t.ts";

const ORDER = Object.keys(Profile.shape) as readonly FieldName[];

/** A profile with one setting changed; absent: it is removed. */
export function withField(profile: Profile, name: FieldName, value: unknown): Profile {
  const { [name]: _, ...others } = profile;
  return value === undefined ? others : { ...others, [name]: value };
}

/** The same settings in the schema's order, so that equal profiles are equal texts. */
function ordered(profile: Profile): Profile {
  return Object.fromEntries(ORDER.flatMap((name) => (profile[name] === undefined ? [] : [[name, profile[name]]])));
}

/** A policy as its file would say it. */
export function policyYaml(policy: Policy): string {
  const { default_profile, budget, profiles } = policy;
  const names = Object.keys(profiles).toSorted();
  return stringify(
    {
      default_profile,
      ...(budget === undefined || Object.keys(budget).length === 0 ? {} : { budget }),
      profiles: Object.fromEntries(names.map((name) => [name, ordered(profiles[name] ?? {})])),
    },
    { lineWidth: 0 },
  );
}

function sameProfile(left: Profile | undefined, right: Profile | undefined): boolean {
  if (left === undefined || right === undefined) return left === right;
  return JSON.stringify(ordered(left)) === JSON.stringify(ordered(right));
}

export function samePolicy(left: Policy, right: Policy): boolean {
  return policyYaml(left) === policyYaml(right);
}

/** Profiles that the draft changed or added. */
export function changedProfiles(before: Policy, draft: Policy): readonly string[] {
  return Object.keys(draft.profiles).filter((name) => !sameProfile(before.profiles[name], draft.profiles[name]));
}

/**
 * What is sent: only what was set here, before or now, so that built-in profiles and those of the file keep following their source.
 * `stored`: what was last set; absent: nothing.
 */
export function layerToSend({
  stored,
  before,
  draft,
}: {
  readonly stored: Policy | undefined;
  readonly before: Policy;
  readonly draft: Policy;
}): Policy {
  const changed = new Set(changedProfiles(before, draft));
  const profiles = Object.fromEntries(
    Object.entries(draft.profiles).filter(
      ([name]) => changed.has(name) || (stored !== undefined && Object.hasOwn(stored.profiles, name)),
    ),
  );
  const limitsMoved = JSON.stringify(before.budget ?? {}) !== JSON.stringify(draft.budget ?? {});
  const budget = limitsMoved ? (draft.budget ?? {}) : stored?.budget;
  return { default_profile: draft.default_profile, profiles, ...(budget === undefined ? {} : { budget }) };
}

export interface PolicyProblem {
  /** `profiles.team.allow.2`; empty: nothing in particular. */
  readonly path: string;
  readonly message: string;
}

/** The server's complaints by position. */
export function problemsOf(error: unknown): readonly PolicyProblem[] {
  if (!(error instanceof Failure)) return [];
  const { details, message } = error;
  if (Array.isArray(details)) return details.flatMap((detail: unknown) => problemOf(detail, message) ?? []);
  return [problemOf(details, message) ?? { path: "", message }];
}

function problemOf(detail: unknown, fallback: string): PolicyProblem | undefined {
  if (typeof detail !== "object" || detail === null || !("path" in detail)) return undefined;
  const path = Array.isArray(detail.path) ? detail.path.join(".") : String(detail.path);
  const message = "message" in detail && typeof detail.message === "string" ? detail.message : fallback;
  return { path, message: withoutPlace(message, path) };
}

/** The field shows the position: the message need not. */
function withoutPlace(message: string, path: string): string {
  const start = `policy ${path}: `;
  return message.startsWith(start) ? message.slice(start.length) : message;
}

/** Those of one field; `index`: of which entry of its list. */
export function problemsAt(
  problems: readonly PolicyProblem[],
  place: string,
): readonly { readonly message: string; readonly index?: number }[] {
  return problems.flatMap(({ path, message }) => {
    if (path !== place && !path.startsWith(`${place}.`)) return [];
    const index = Number(path.slice(place.length + 1).split(".")[0]);
    return path === place || !Number.isInteger(index) ? [{ message }] : [{ message, index }];
  });
}

/** A list with a person's input added: one entry per line, without duplicates. */
export function withEntries(list: readonly string[], text: string): readonly string[] {
  const fresh = text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  return [...new Set([...list, ...fresh])];
}

/** What is wrong with a new profile's name; absent: nothing. */
export function nameProblem(name: string, taken: readonly string[]): string | undefined {
  if (!/^[A-Za-z0-9][\w-]{0,99}$/.test(name))
    return t("Use letters, digits, _ and -, starting with a letter or digit; at most 100.");
  return taken.includes(name) ? t("A profile with this name exists.") : undefined;
}
