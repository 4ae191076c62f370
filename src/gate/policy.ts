import { isMap, LineCounter, parseDocument, type Document } from "yaml";
import { Failure, LIMITS, AUTONOMY_ORDER, Policy, type Autonomy } from "../protocol/index.ts";
import { BUILTIN_PROFILES, DEFAULT_POLICY } from "./profiles.ts";
import { parseRule } from "./rules.ts";

/** One thing that is wrong with a policy. */
interface Problem {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** Reads a policy file. Profiles that it does not name are the built-in ones. Throws a Failure that names path and line. */
export function parsePolicyYaml(text: string): Policy {
  if (text.length > LIMITS.policyChars)
    throw new Failure("payload_too_large", `a policy may hold ${LIMITS.policyChars} characters`);
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: true, merge: false });
  const [broken] = document.errors;
  if (broken !== undefined) {
    const line = lines.linePos(broken.pos[0]).line;
    throw new Failure("invalid_request", `policy, line ${line}: ${broken.message.split("\n")[0] ?? ""}`, {
      path: [],
      line,
    });
  }
  const checked = checkPolicy(plainValue(document));
  if ("policy" in checked) return checked.policy;
  const { path, message } = checked.problem;
  const line = lineOf(document, lines, path);
  const place = path.length === 0 ? "" : ` ${path.join(".")}`;
  throw new Failure("invalid_request", `policy, line ${line}:${place} ${message}`, { path, line });
}

/** Checks what a schema cannot: every rule, every tool's name, every level. Throws a Failure that names the place. */
export function validatePolicy(policy: Policy): void {
  const problem = problemOf(policy);
  if (problem === undefined) return;
  throw new Failure("invalid_request", `policy ${problem.path.join(".")}: ${problem.message}`, { path: problem.path });
}

function plainValue(document: Document): unknown {
  try {
    return document.toJS({ maxAliasCount: 20 }) as unknown;
  } catch {
    throw new Failure("invalid_request", "policy: too many aliases (&name, *name)", { path: [] });
  }
}

function checkPolicy(value: unknown): { readonly policy: Policy } | { readonly problem: Problem } {
  if (value === null || value === undefined) return { policy: DEFAULT_POLICY };
  if (typeof value !== "object" || Array.isArray(value))
    return { problem: { path: [], message: "must be a map with default_profile and profiles" } };
  const given = value as Readonly<Record<string, unknown>>;
  const own = given["profiles"] ?? {};
  if (typeof own !== "object" || Array.isArray(own))
    return { problem: { path: ["profiles"], message: "must be a map of names to profiles" } };
  const merged = {
    ...given,
    default_profile: given["default_profile"] ?? DEFAULT_POLICY.default_profile,
    profiles: { ...BUILTIN_PROFILES, ...own },
  };
  const parsed = Policy.safeParse(merged);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const keys = issue?.code === "unrecognized_keys" ? issue.keys.slice(0, 1) : [];
    const path = [...(issue?.path ?? []), ...keys].map((step) => (typeof step === "symbol" ? String(step) : step));
    return {
      problem: {
        path,
        message: keys.length > 0 ? "is not a setting; check its spelling" : (issue?.message ?? "is not valid"),
      },
    };
  }
  const problem = problemOf(parsed.data);
  return problem === undefined ? { policy: parsed.data } : { problem };
}

function problemOf(policy: Policy): Problem | undefined {
  if (!Object.hasOwn(policy.profiles, policy.default_profile)) {
    const names = Object.keys(policy.profiles).join(", ");
    return { path: ["default_profile"], message: `${policy.default_profile} names no profile; there are: ${names}` };
  }
  return ruleProblem(policy) ?? levelProblem(policy);
}

function ruleProblem(policy: Policy): Problem | undefined {
  for (const [name, profile] of Object.entries(policy.profiles)) {
    for (const list of ["allow", "ask", "deny"] as const) {
      for (const [index, text] of (profile[list] ?? []).entries()) {
        const rule = parseRule(text);
        if ("error" in rule)
          return { path: ["profiles", name, list, index], message: `the rule ${text} is not valid: ${rule.error}` };
      }
    }
    for (const [index, tool] of (profile.tools ?? []).entries()) {
      if (!/^[A-Za-z*][\w*-]*$/.test(tool)) {
        return {
          path: ["profiles", name, "tools", index],
          message: `${tool} is not a tool's name; rules stand in allow, ask and deny`,
        };
      }
    }
    for (const [index, folder] of (profile.extra_read ?? []).entries()) {
      if (!folder.startsWith("/"))
        return { path: ["profiles", name, "extra_read", index], message: `${folder} must be an absolute path` };
    }
  }
  return undefined;
}

function levelProblem(policy: Policy): Problem | undefined {
  for (const [name, profile] of Object.entries(policy.profiles)) {
    if (above(profile.autonomy ?? "read_only", profile.max_autonomy ?? "full")) {
      return {
        path: ["profiles", name, "autonomy"],
        message: `${profile.autonomy ?? ""} is more than max_autonomy allows (${profile.max_autonomy ?? ""})`,
      };
    }
  }
  return undefined;
}

export function above(left: Autonomy, right: Autonomy): boolean {
  return AUTONOMY_ORDER.indexOf(left) > AUTONOMY_ORDER.indexOf(right);
}

/** The line of a path; of one that is missing, the line of what should hold it. Lines count from 1. */
function lineOf(document: Document, lines: LineCounter, path: readonly (string | number)[]): number {
  for (let length = path.length; length > 0; length--) {
    const steps = path.slice(0, length);
    const holder: unknown = steps.length === 1 ? document.contents : document.getIn(steps.slice(0, -1), true);
    const key = steps.at(-1);
    if (isMap(holder)) {
      const pair = holder.items.find((item) => String(item.key) === String(key));
      const start = (pair?.key as { readonly range?: readonly number[] | null } | undefined)?.range?.[0];
      if (start !== undefined) return lines.linePos(start).line;
    }
    const node = document.getIn(steps, true) as { readonly range?: readonly number[] | null } | undefined;
    const start = node?.range?.[0];
    if (start !== undefined) return lines.linePos(start).line;
  }
  return 1;
}
