/** Where a running server publishes its address for other commands. */
export const SERVER_FILE = "server.json";

/** The first admin's token, unless SALLYPORT_TOKEN fixes it. */
export const TOKEN_FILE = "token";

/** The admin's profiles, over the built-in ones. */
export const POLICY_FILE = "policy.yaml";
