interface LimitKindFacts {
  /** The limit in a sentence. */
  readonly whose: string;
  /** Its account in a list. `of`: the name of the session, turn or principal; empty for everybody's. */
  readonly account: (of: string) => string;
  /** What somebody can do who has no money left there. */
  readonly remedy: string;
  /** Who asks for it: a caller for its own work, within what the policy says, or the policy for many. Absent: it is asked for nowhere. */
  readonly set_by?: "caller" | "policy";
  /** It begins anew each day (UTC). */
  readonly daily?: true;
  /** Everybody's requests count on it. */
  readonly shared?: true;
}

const own = {
  remedy: "Raise the session's limit, or ask with a smaller max_tokens or a shorter prompt.",
  set_by: "caller",
} as const;
const admin = { remedy: "Have an admin raise it in the policy.", set_by: "policy" } as const;
const today = {
  ...admin,
  remedy: "Wait for tomorrow (UTC), or have an admin raise it in the policy.",
  daily: true,
} as const;

/** Every kind of limit that a request can pass. Where it applies, and to how much, is in `sessions/budget/limits.ts`. */
export const LIMIT_KINDS = {
  /** `max_cost_microusd` of the one request. */
  request: {
    whose: "this request's own limit",
    account: () => "One request",
    remedy: "Raise x-sallyport-max-cost-microusd, or ask with a smaller max_tokens or a shorter prompt.",
  },
  turn: { ...own, whose: "this turn's limit", account: () => "The open turn" },
  session: { ...own, whose: "this session's limit", account: () => "This session" },
  /** The session that this one was forked from or started by. */
  parent: {
    ...own,
    whose: "the limit of the session that this one draws on",
    account: (of) => `Parent session ${of}`,
  },
  /** An API key's own day, and its whole life. */
  key_day: {
    whose: "this key's limit for today",
    account: (of) => `Key ${of}, today`,
    remedy: "Wait for tomorrow (UTC), or make another key with a higher limit.",
    daily: true,
  },
  key: {
    whose: "this key's limit",
    account: (of) => `Key ${of}, in all`,
    remedy: "Make another key with a higher limit, or ask with a smaller max_tokens or a shorter prompt.",
  },
  /** A principal's own day, and its whole life. */
  agent_day: { ...today, whose: "the caller's limit for today", account: (of) => `${of}, today` },
  agent: { ...admin, whose: "the caller's limit", account: (of) => `${of}, in all` },
  /** Everybody together, this day and ever. */
  day: { ...today, whose: "everybody's limit for today", account: () => "Everybody, today", shared: true },
  total: { ...admin, whose: "everybody's limit", account: () => "Everybody, in all", shared: true },
  /** No limit: above it a person is asked. */
  threshold: {
    whose: "the amount above which a person is asked",
    account: () => "Before a person is asked",
    remedy: "A person has to approve it: answer the question in the inbox.",
  },
} as const satisfies Readonly<Record<string, LimitKindFacts>>;

export function limitFacts(kind: keyof typeof LIMIT_KINDS): LimitKindFacts {
  return LIMIT_KINDS[kind];
}

/** The kind for which a person sets a limit: what is set for a session holds for its children too. */
export function settableKind(kind: keyof typeof LIMIT_KINDS): keyof typeof LIMIT_KINDS {
  return kind === "parent" ? "session" : kind;
}
