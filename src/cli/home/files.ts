/** Where a running server publishes its address for other commands. */
export const SERVER_FILE = "server.json";

/** The first admin's token, unless SALLYPORT_TOKEN fixes it. */
export const TOKEN_FILE = "token";

/** What secrets of webhooks are derived from. */
export const WEBHOOK_KEY_FILE = "webhook.key";

/** The private key with which push services know this server. */
export const PUSH_KEY_FILE = "push.key";

/** The latest time that a server of this home has seen. */
export const SEEN_TIME_FILE = "seen-time";

/** The admin's profiles, over those that ship. */
export const POLICY_FILE = "policy.yaml";
