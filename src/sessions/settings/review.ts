import { isReview } from "../../gate/index.ts";
import {
  Failure,
  type CreateSession,
  type Profile,
  type ReviewMode,
  type SessionSettings,
} from "../../protocol/index.ts";
import type { Caller } from "../access/access.ts";

/** What decides whether a session's changes can wait for a review at the end. */
type ReviewedSettings = Pick<
  SessionSettings,
  "sandbox" | "network" | "workspace_mode" | "autonomy" | "permission_mode" | "profile"
>;

interface ReviewRequest {
  readonly caller: Pick<Caller, "role">;
  readonly profile: Profile;
  readonly request: CreateSession;
  /** The session that it continues. */
  readonly base: SessionSettings | undefined;
}

/** When a person reviews a new session's changes. Absent: each of them. */
export function chooseReview(
  { caller, profile, request, base }: ReviewRequest,
  settings: ReviewedSettings,
): Pick<SessionSettings, "review"> {
  const isFree = caller.role === "admin" || caller.role === "operator";
  const wanted = request.review ?? (isFree ? base?.review : undefined) ?? profile.review;
  if (wanted !== "at_end") {
    if (request.review !== undefined && !mayHave(profile, "each")) throw notAllowed(settings, "each");
    return {};
  }
  const refusal = whyEach({ caller, profile }, settings);
  if (refusal === undefined) return { review: "at_end" };
  // Nobody asked for it: reviewing each change is the stricter way.
  if (request.review === undefined) return {};
  throw refusal;
}

/** Whether the policy still lets the changes of such a session wait for the end. */
export function isReviewedAtEnd(
  profile: Profile,
  settings: ReviewedSettings & Pick<SessionSettings, "review">,
): boolean {
  return settings.review === "at_end" && mayHave(profile, "at_end") && behindWalls(settings);
}

function mayHave({ allowed_review }: Profile, review: ReviewMode): boolean {
  return allowed_review?.includes(review) ?? true;
}

function notAllowed({ profile }: ReviewedSettings, review: ReviewMode): Failure {
  return new Failure(
    "forbidden",
    `the profile ${profile} does not allow review ${review}; leave review out, or an admin adds it to allowed_review`,
  );
}

/** Why a session's changes cannot wait. Undefined: they can. */
function whyEach(
  { caller: { role }, profile }: Pick<ReviewRequest, "caller" | "profile">,
  settings: ReviewedSettings,
): Failure | undefined {
  if (!mayHave(profile, "at_end")) return notAllowed(settings, "at_end");
  if (role !== "admin" && role !== "operator" && profile.review !== "at_end")
    return new Failure("forbidden", `${role}s have review at_end only where the profile says so; leave review out`);
  const { sandbox, workspace_mode = "direct", permission_mode, autonomy } = settings;
  if (workspace_mode === "direct")
    return new Failure(
      "invalid_request",
      "review at_end needs files of the session's own, and workspace_mode direct has none; ask for worktree or snapshot",
    );
  if (!behindWalls(settings))
    return new Failure(
      "invalid_request",
      `review at_end needs a sandbox with walls and network none or proxy_only, and ${sandbox} has none; name another one, or see \`sallyport doctor\` for what to install`,
    );
  if (isReview(permission_mode) || permission_mode === "plan")
    return new Failure(
      "invalid_request",
      `permission_mode ${permission_mode ?? ""} and review at_end exclude each other; leave one of them out`,
    );
  if (autonomy === "restricted" || autonomy === "read_only")
    return new Failure(
      "invalid_request",
      `a session with autonomy ${autonomy} does not run anything unasked, so review at_end has no use; leave it out`,
    );
  return undefined;
}

function behindWalls({ sandbox, network, workspace_mode = "direct" }: ReviewedSettings): boolean {
  return sandbox !== "local" && (network === "none" || network === "proxy_only") && workspace_mode !== "direct";
}
