import { LineCounter, parseDocument, type Document } from "yaml";
import {
  allMistakes,
  Failure,
  LIMITS,
  AUTONOMY_ORDER,
  mistakeText,
  nearestName,
  Policy,
  type Autonomy,
  type Mistake,
} from "../protocol/index.ts";
import { BUILTIN_PROFILES, DEFAULT_POLICY } from "./profiles.ts";
import { parseRule } from "./rules.ts";
import { mistakesFailure } from "./yaml-mistakes.ts";

/** Reads a policy file. Profiles that it does not name are the built-in ones. Throws a Failure that names every mistake with its path and line. `name`: what the text is called there. */
export function parsePolicyYaml(text: string, name = "policy"): Policy {
  if (text.length > LIMITS.policyChars)
    throw new Failure("payload_too_large", `${name} may hold ${LIMITS.policyChars} characters`);
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: true, merge: false });
  if (document.errors.length > 0) {
    const [first] = document.errors;
    const broken = document.errors.map(({ pos, message }) => {
      return `line ${lines.linePos(pos[0]).line}: ${message.split("\n")[0] ?? ""}`;
    });
    throw new Failure("invalid_request", `${name}, ${broken.slice(0, LIMITS.mistakes).join("; ")}`, {
      path: [],
      line: first === undefined ? 1 : lines.linePos(first.pos[0]).line,
    });
  }
  const checked = checkPolicy(plainValue(document, name));
  if ("policy" in checked) return checked.policy;
  throw mistakesFailure({ name, document, lines }, checked.mistakes);
}

/** Checks what a schema cannot: every rule, tool name and level. Throws a Failure that names every mistake. */
export function validatePolicy(policy: Policy): void {
  const mistakes = mistakesOf(policy);
  const [first] = mistakes;
  if (first === undefined) return;
  throw new Failure("invalid_request", `policy ${mistakeText(mistakes)}`, {
    path: first.path,
    ...(mistakes.length === 1 ? {} : { mistakes: mistakes.slice(0, LIMITS.mistakes) }),
  });
}

function plainValue(document: Document, name: string): unknown {
  try {
    return document.toJS({ maxAliasCount: 20 }) as unknown;
  } catch {
    throw new Failure("invalid_request", `${name}: too many aliases (&name, *name)`, { path: [] });
  }
}

function checkPolicy(value: unknown): { readonly policy: Policy } | { readonly mistakes: readonly Mistake[] } {
  if (value === null || value === undefined) return { policy: DEFAULT_POLICY };
  if (typeof value !== "object" || Array.isArray(value))
    return { mistakes: [{ path: [], message: "must be a map with default_profile and profiles" }] };
  const given = value as Readonly<Record<string, unknown>>;
  const own = given["profiles"] ?? {};
  if (typeof own !== "object" || Array.isArray(own))
    return { mistakes: [{ path: ["profiles"], message: "must be a map of names to profiles" }] };
  const merged = {
    ...given,
    default_profile: given["default_profile"] ?? DEFAULT_POLICY.default_profile,
    profiles: { ...BUILTIN_PROFILES, ...own },
  };
  const parsed = Policy.safeParse(merged);
  if (parsed.success) {
    const mistakes = mistakesOf(parsed.data);
    return mistakes.length === 0 ? { policy: parsed.data } : { mistakes };
  }
  const mistakes = allMistakes(Policy, merged);
  return { mistakes: [...mistakes, ...mistakesBeside(merged, mistakes)] };
}

/** Further mistakes in the profiles that the schema accepts, so that one mistake does not hide another. */
function mistakesBeside(merged: { readonly profiles: object }, found: readonly Mistake[]): readonly Mistake[] {
  const spoiled = new Set(found.filter(({ path }) => path[0] === "profiles").map(({ path }) => String(path[1])));
  const sound = Object.entries(merged.profiles).filter(([name]) => !spoiled.has(name));
  const parsed = Policy.shape.profiles.safeParse(Object.fromEntries(sound));
  if (!parsed.success) return [];
  return Object.entries(parsed.data).flatMap(([name, profile]) => profileMistakes(name, profile));
}

function mistakesOf(policy: Policy): readonly Mistake[] {
  const { default_profile, profiles } = policy;
  const unknown = Object.hasOwn(profiles, default_profile)
    ? []
    : [{ path: ["default_profile"], message: unknownProfile(default_profile, Object.keys(profiles)) }];
  return [...unknown, ...Object.entries(profiles).flatMap(([name, profile]) => profileMistakes(name, profile))];
}

/** The message for a name that no profile has. */
function unknownProfile(name: string, known: readonly string[]): string {
  const near = nearestName(name, known);
  return `${name} names no profile; ${near === undefined ? "" : `did you mean ${near}? `}there are: ${known.join(", ")}`;
}

function profileMistakes(name: string, profile: Policy["profiles"][string]): readonly Mistake[] {
  const mistakes: Mistake[] = [];
  const wrong = (place: readonly (string | number)[], message: string): void => {
    mistakes.push({ path: ["profiles", name, ...place], message });
  };
  for (const list of ["allow", "ask", "deny"] as const)
    for (const [index, text] of (profile[list] ?? []).entries()) {
      const rule = parseRule(text);
      if ("error" in rule) wrong([list, index], `the rule ${text} is not valid: ${rule.error}`);
    }
  for (const [index, tool] of (profile.tools ?? []).entries())
    if (!/^[A-Za-z*][\w*-]*$/.test(tool))
      wrong(["tools", index], `${tool} is not a tool's name; rules stand in allow, ask and deny`);
  for (const [index, folder] of (profile.extra_read ?? []).entries())
    if (!folder.startsWith("/")) wrong(["extra_read", index], `${folder} must be an absolute path`);
  if (above(profile.autonomy ?? "read_only", profile.max_autonomy ?? "full"))
    wrong(["autonomy"], `${profile.autonomy ?? ""} is more than max_autonomy allows (${profile.max_autonomy ?? ""})`);
  return mistakes;
}

export function above(left: Autonomy, right: Autonomy): boolean {
  return AUTONOMY_ORDER.indexOf(left) > AUTONOMY_ORDER.indexOf(right);
}
