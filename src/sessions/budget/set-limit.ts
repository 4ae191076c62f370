import { Failure, limitFacts, type Profile } from "../../protocol/index.ts";
import type { NewDocument } from "../../store/index.ts";
import { authorize, type Caller } from "../access/access.ts";
import type { SetLimit } from "./set-limits.ts";
import { effectiveProfile } from "../permission/effective-profile.ts";
import type { Session } from "../core/session.ts";

/** Sets a limit for a person, within that person's rights, and wakes sessions that wait for money. `commit` makes it durable. */
export async function setLimit(
  session: Session,
  caller: Caller,
  set: SetLimit,
  commit: (documents: readonly NewDocument[]) => Promise<unknown>,
): Promise<void> {
  const { limits, clock, policy } = session.dependencies;
  const profile = effectiveProfile(policy(), session.state);
  checkApprover(caller, profile);
  const { max_cost_microusd = Infinity } = profile;
  const beyondPolicy = set.kind === "session" && set.limit > max_cost_microusd;
  // Raising what the policy gives to many is changing the policy.
  if (limitFacts(set.kind).set_by === "policy" || beyondPolicy) {
    try {
      authorize(caller, "policy.write");
    } catch {
      const what = beyondPolicy ? `more than the policy's ${max_cost_microusd} micro-USD for a session` : "this limit";
      throw new Failure("forbidden", `only an admin may give ${what}: ask one, or set less`);
    }
  }
  const placed = { ...set, policy: session.budget.policyLimit(set) };
  const { row, back } = limits.put(placed, caller, new Date(clock.now()).toISOString());
  try {
    await commit([row]);
  } catch (error) {
    back();
    throw error;
  }
  limits.changed();
}

/** A profile may say who approves its sessions' money. */
function checkApprover(caller: Caller, { budget_approvers: approvers = [] }: Profile): void {
  if (approvers.length === 0 || approvers.includes(caller.id) || approvers.includes(caller.name)) return;
  throw new Failure("forbidden", `money for this session is approved by ${approvers.join(", ")}: ask one of them`);
}
