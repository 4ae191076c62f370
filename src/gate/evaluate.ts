import { toolConfigRules, toolFacts, toolsWith, type Profile, type Ruling } from "../protocol/index.ts";
import type { CallInQuestion, Evaluate, ResolvedPath, PolicyContext } from "./gate.ts";
import { guardCommand } from "./guarded.ts";
import { allows, callListed, catches, commandOf, grants, hostListed, type RuleMatch } from "./match.ts";
import { canonicalTool, parseRule, pathFits, ruleForm, ruleNames, type Rule } from "./rules.ts";
import { PLAN_TOOLS } from "./profiles.ts";
import { isProtected } from "./protected.ts";
import type { ProvenReading } from "./reading/prove.ts";
import { isInside, type Disk } from "./shell/paths.ts";
import { unwrap, type Unwrapped } from "./shell/unwrap.ts";

/** The rule name of a refusal in mode `plan`. */
export const PLAN_RULE = "mode: plan";

/** The rule name of a call that runs unasked because it only reads. */
export const READING_RULE = "supervised: only reads";

/** The rule name of a call that runs unasked because it acts on a page of the session's own sandbox. */
export const OWN_PAGE_RULE = "supervised: own page";

/** What the rules say about a call before autonomy is considered. */
interface Findings {
  /** A rule of the profile allows it. */
  readonly allowed?: RuleMatch | undefined;
  /** A person allowed it for this session. */
  readonly granted?: RuleMatch | undefined;
  /** Why a person must be asked, whatever allows it. */
  readonly asked?: { readonly rule: string; readonly why: string } | undefined;
}

/**
 * Steps 1 to 6 of the permission pipeline (DESIGN §7). Total and pure. A refusal at any step is final. A rule that asks beats
 * every rule that allows; the caller then puts `ask` to a person.
 */
export const evaluate: Evaluate = (call, context) => {
  const early = schema(call) ?? tool(call, context);
  if (early !== undefined) return early;
  const command = commandOf(call);
  const here: Here = command === undefined ? context : { ...context, shell: unwrap(command), disk: call.disk };
  return (
    configuration(call, here) ?? policy(call, here) ?? paths(call, here) ?? hooks(call, here) ?? autonomy(call, here)
  );
};

/** The context a call is judged in; `shell`: its command, parsed once for all steps. */
type Here = PolicyContext & { readonly shell?: Unwrapped | undefined; readonly disk?: Disk | undefined };

function ruling(effect: Ruling["effect"], step: Ruling["step"], rule: string, why: string): Ruling {
  return { effect, step, rule, why };
}

function schema(call: CallInQuestion): Ruling | undefined {
  // An unknown tool has no schema; step 2 has a better message for it.
  if (call.schemaError === undefined || !call.known) return undefined;
  return ruling("deny", "schema", `${call.tool} input`, `The input does not fit ${call.tool}: ${call.schemaError}`);
}

function tool(asked: CallInQuestion, { profile, profileName, tools, plans }: PolicyContext): Ruling | undefined {
  const call = asked.listedAs === undefined ? asked : { ...asked, tool: asked.listedAs };
  if (!call.known) return ruling("deny", "tool", "known tools", `There is no tool named ${call.tool}.`);
  if (profile.tools !== undefined && !callListed(profile.tools, call)) {
    return ruling(
      "deny",
      "tool",
      `profile ${profileName}: tools`,
      `The profile ${profileName} does not give the tool ${call.tool}.`,
    );
  }
  if (plans === true && !callListed(PLAN_TOOLS, call)) {
    return ruling(
      "deny",
      "tool",
      PLAN_RULE,
      `This session is in plan mode, which makes no changes, so ${call.tool} was not run. Read what you need, then answer with the plan: what you would do, step by step.`,
    );
  }
  if (tools !== undefined && !callListed(tools, call)) {
    return ruling("deny", "tool", "session: tools", `This session was started without the tool ${call.tool}.`);
  }
  return undefined;
}

/** What the session was started with for this tool. Each rule counts for its own tool alone, and reads as an allow rule does. */
function configuration(call: CallInQuestion, context: Here): Ruling | undefined {
  const name = canonicalTool(call.tool);
  for (const [tool, config] of Object.entries(context.toolConfig ?? {})) {
    if (canonicalTool(tool) !== name) continue;
    const texts = toolConfigRules(tool, config);
    if (texts.length === 0 || allows(rulesOf(texts), call, context) !== undefined) continue;
    return ruling(
      "deny",
      "tool",
      "session: tool_config",
      `This session was started with ${call.tool} for nothing but ${texts.join(", ")}.`,
    );
  }
  return undefined;
}

function policy(call: CallInQuestion, context: Here): Ruling | undefined {
  const { profile, profileName } = context;
  const rules = [...(profile.deny ?? []), ...(profile.ask ?? [])];
  const broken = rules.find((text) => "error" in parseRule(text));
  if (broken !== undefined) {
    return ruling(
      "deny",
      "policy",
      `profile ${profileName}: ${broken}`,
      `The policy's rule ${broken} is not valid, so nothing is allowed until it is mended.`,
    );
  }
  const denied = catches(rulesOf(profile.deny), call, context);
  if (denied?.certain === true) {
    return ruling(
      "deny",
      "policy",
      `deny ${denied.rule}`,
      `The policy denies ${denied.rule}${denied.why === undefined ? "" : `: ${denied.why}`}.`,
    );
  }
  return webHosts(call, profile, profileName);
}

function webHosts(call: CallInQuestion, profile: Profile, profileName: string): Ruling | undefined {
  if (call.tier !== "network") return undefined;
  const open = openedHosts(profile);
  const host = call.hosts.find((name) => !hostListed(open, name));
  if (host === undefined) return undefined;
  return ruling(
    "deny",
    "policy",
    `profile ${profileName}: web_hosts`,
    `${host} is not among the hosts that the profile ${profileName} may reach. An admin can add it to web_hosts.`,
  );
}

/** `WebFetch(domain:…)` among the allowed opens a host as `web_hosts` does; the tool's bare name does not. */
export function openedHosts({ web_hosts = [], allow }: Pick<Profile, "web_hosts" | "allow">): readonly string[] {
  return [...web_hosts, ...rulesOf(allow).flatMap((rule) => (rule.kind === "domain" ? [rule.host] : []))];
}

/** Rules that do not parse allow nothing. Unparsable deny and ask rules were rejected earlier. */
export function rulesOf(texts: readonly string[] | undefined): readonly Rule[] {
  return (texts ?? []).flatMap((text) => {
    const rule = parseRule(text);
    return "error" in rule ? [] : [rule];
  });
}

function paths(call: CallInQuestion, { workspace, extraRead }: PolicyContext): Ruling | undefined {
  const wrong = call.paths.find(({ real, access }) => {
    if (isInside(workspace, real)) return false;
    return access === "write" || !extraRead.some((folder) => isInside(folder, real));
  });
  if (wrong === undefined) return undefined;
  const verb = wrong.access === "write" ? "writes" : "reads";
  return ruling(
    "deny",
    "paths",
    "inside the workspace",
    `${call.tool} ${verb} ${wrong.given}, which is outside of the workspace${via(wrong)}.`,
  );
}

function via({ given, real }: ResolvedPath): string {
  return given === real ? "" : ` (it leads to ${real})`;
}

function hooks(call: CallInQuestion, { profile, workspace, shell, disk }: Here): Ruling | undefined {
  const command = commandOf(call);
  if (command === undefined || profile.hooks?.includes("guarded") !== true) return undefined;
  if (unsandboxed(call))
    return ruling(
      "deny",
      "hooks",
      "guarded: sandbox",
      "Commands may not leave the sandbox (dangerouslyDisableSandbox).",
    );
  const guard = guardCommand(command, { cwd: workspace, workspace, disk }, shell);
  return guard.effect === "allow" ? undefined : ruling("deny", "hooks", `guarded: ${guard.rule}`, guard.reason);
}

function unsandboxed(call: CallInQuestion): boolean {
  return call.input["dangerouslyDisableSandbox"] === true;
}

function findings(call: CallInQuestion, context: Here): Findings {
  const { profile } = context;
  const allowed = allows(rulesOf(profile.allow), call, context);
  const granted = grants(rulesOf(context.grants), call, context);
  return { allowed, granted, asked: mustAsk(call, context) };
}

function mustAsk(call: CallInQuestion, context: Here): Findings["asked"] {
  const { profile, workspace } = context;
  const asks = catches(rulesOf(profile.ask), call, context);
  if (asks !== undefined)
    return {
      rule: `ask ${asks.rule}`,
      why: `The policy asks about ${asks.rule}${asks.why === undefined ? "" : `: ${asks.why}`}.`,
    };
  const denied = catches(rulesOf(profile.deny), call, context);
  if (denied !== undefined)
    return {
      rule: `deny ${denied.rule}`,
      why: `It may be what the policy denies (${denied.rule}): ${denied.why ?? "that is not clear"}.`,
    };
  if (unsandboxed(call))
    return { rule: "sandbox", why: "The command wants to leave the sandbox (dangerouslyDisableSandbox)." };
  const sensitive = call.paths.find(({ real, access }) => access === "write" && isProtected(real, workspace));
  const named = sensitive === undefined || namesExactly(sensitive, context);
  return named
    ? undefined
    : { rule: "protected files", why: `${sensitive.given} decides what programs run or what an agent may do.` };
}

/** Only a rule without wildcards can mean such a file. */
function namesExactly({ real }: ResolvedPath, { profile, grants: granted, workspace }: PolicyContext): boolean {
  return rulesOf([...(profile.allow ?? []), ...granted]).some(
    (rule) =>
      rule.kind === "path" &&
      rule.pattern.literal !== undefined &&
      ruleForm(rule.tool) === "write_path" &&
      pathFits(rule.pattern, real, workspace),
  );
}

function autonomy(call: CallInQuestion, context: Here): Ruling {
  const found = findings(call, context);
  const decided = decide(call, context, found);
  if (decided.effect !== "ask" || !context.neverAsk) return decided;
  return { ...decided, effect: "deny", why: `${decided.why} This session never asks (dontAsk), so it is refused.` };
}

function decide(call: CallInQuestion, context: PolicyContext, { allowed, granted, asked }: Findings): Ruling {
  const { autonomy: level } = context;
  if (level === "read_only") {
    if (call.tier !== "read" || allowed === undefined) {
      return ruling(
        "deny",
        "autonomy",
        "read_only",
        "This session is read-only: no tool runs unless the profile allows it by name.",
      );
    }
    if (asked === undefined && !call.alwaysAsks)
      return ruling("allow", "policy", `allow ${allowed.rule}`, `The policy allows ${allowed.rule}.`);
  }
  if (call.alwaysAsks) return ruling("ask", "tool", call.tool, `${call.tool} is a question to a person.`);
  if (asked !== undefined) return ruling("ask", "policy", asked.rule, asked.why);
  if (granted !== undefined)
    return ruling("allow", "policy", `grant ${granted.rule}`, `A person allowed ${granted.rule} for this session.`);
  if (level === "restricted") return ruling("ask", "autonomy", "restricted", "This session asks about every tool.");
  if (allowed !== undefined)
    return ruling("allow", "policy", `allow ${allowed.rule}`, `The policy allows ${allowed.rule}.`);
  if (level === "full") return ruling("allow", "autonomy", "full", "This session may act without asking.");
  return supervised(call, context);
}

/** Calls that `ask` lists were handled before; everything else runs. */
export function asksOnlyListed({ profile, reviews }: PolicyContext): boolean {
  return profile.ask_only_listed === true && (profile.ask?.length ?? 0) > 0 && reviews !== true;
}

function listed({ ask = [] }: Profile): string {
  return ask.join(", ");
}

const READING_TOOLS = toolsWith(({ rule }) => rule === "read_path");
const WALLED = "It runs in a sandbox without network, on a copy of the files.";

const REVIEWED = "It runs in a sandbox, on files of the session's own, and a person reviews all changes at the end.";

/** Why walls make a question needless. Tools of clients and of modules run elsewhere, whatever the sandbox. */
function behindWalls(
  { tool: name }: CallInQuestion,
  { walled, reviewedAtEnd, reviews }: PolicyContext,
): Ruling | undefined {
  const facts = toolFacts(name);
  // A review is promised before each change.
  if (reviews === true || (facts?.item !== "file_change" && facts?.rule !== "command")) return undefined;
  if (reviewedAtEnd === true) return ruling("allow", "autonomy", "supervised: review at end", REVIEWED);
  return walled === true ? ruling("allow", "autonomy", "supervised: sandbox", WALLED) : undefined;
}

/**
 * Modes that promise a review say that commands are asked about. A rule about a tool that reads is about commands that read, too. What
 * git or a search shows may come from files that a rule is about.
 */
function mayRead({ open }: ProvenReading, { profile, askReads, reviews }: PolicyContext): boolean {
  if (askReads || reviews === true) return false;
  return !rulesOf([...(profile.deny ?? []), ...(profile.ask ?? [])]).some((rule) =>
    rule.kind === "tool"
      ? READING_TOOLS.some((name) => ruleNames(rule.tool, name))
      : open && rule.kind === "path" && ruleForm(rule.tool) === "read_path",
  );
}

function executeWords({ tool: name, definition }: CallInQuestion, { hooks: guards }: Profile): string {
  if (definition !== undefined) return `${name} is a tool of an MCP server, which may do anything with it.`;
  return `${name} runs a program${guards === undefined ? "" : " that the guard let pass"}.`;
}

/**
 * Of a browser tool. Looking needs no question: which hosts the browser reaches is decided, and asked, at the session's way out. A page from
 * inside of the session's own sandbox is the agent's to act on.
 */
function browsing(call: CallInQuestion, { reviews, walled }: PolicyContext): Ruling | undefined {
  const browser = call.definition === undefined ? toolFacts(call.tool)?.browser : undefined;
  if (browser === undefined) return undefined;
  if (browser === "looks")
    return ruling("allow", "autonomy", "supervised: browser", "The browser reaches only hosts that the session may.");
  const isFree = browser === "acts" || walled === true;
  if (call.reading !== undefined && isFree && reviews !== true)
    return ruling("allow", "autonomy", OWN_PAGE_RULE, "It acts on a page from inside of the session's own sandbox.");
  const does = browser === "acts" ? "acts on a page" : "runs a script in a page, or takes over a browser";
  return ruling("ask", "autonomy", "supervised: browser", `${call.tool} ${does}.`);
}

function supervised(call: CallInQuestion, context: PolicyContext): Ruling {
  const { acceptEdits, askReads, profile } = context;
  if (asksOnlyListed(context) && !(call.tier === "read" && askReads))
    return ruling("allow", "autonomy", "supervised: not listed", `The policy asks only about ${listed(profile)}.`);
  const inBrowser = browsing(call, context);
  if (inBrowser !== undefined) return inBrowser;
  const harmless = behindWalls(call, context);
  if (harmless !== undefined) return harmless;
  switch (call.tier) {
    case "read":
      return askReads
        ? ruling("ask", "autonomy", "supervised: reads", "This session asks about reading, too.")
        : ruling("allow", "autonomy", "supervised: read", "Reading needs no question.");
    case "network":
      return call.hosts.length > 0
        ? ruling("allow", "policy", "web_hosts", `The policy lets it reach ${call.hosts.join(", ")}.`)
        : ruling("ask", "autonomy", "supervised: network", `${call.tool} reaches the network.`);
    case "page":
      return ruling("allow", "autonomy", "supervised: page", "Changes of the person's own page are seen at once.");
    case "write":
      return acceptEdits
        ? ruling(
            "allow",
            "autonomy",
            "supervised: acceptEdits",
            "Edits inside the workspace are accepted in this session.",
          )
        : ruling("ask", "autonomy", "supervised: write", `${call.tool} changes files.`);
    case "execute":
      if (call.reading !== undefined && mayRead(call.reading, context))
        return ruling(
          "allow",
          "autonomy",
          READING_RULE,
          `It only reads, inside of the workspace (${call.reading.programs.join(", ")}).`,
        );
      return ruling("ask", "autonomy", "supervised: execute", executeWords(call, profile));
  }
}
