import { z } from "zod";
import { LIMITS, type LoginProgram } from "../../protocol/index.ts";

/** What a vendor's program keeps of a person's login, as far as we use it. */
export interface StoredLogin {
  readonly accessToken: string;
  /** Absent: it cannot be refreshed. */
  readonly refreshToken?: string | undefined;
  /** Milliseconds since the epoch; absent: unknown. */
  readonly expiresAt?: number | undefined;
  /** Sent with each request beside the token. */
  readonly headers: Readonly<Record<string, string>>;
  /** Of the refresh request. */
  readonly scope?: string | undefined;
}

/** What can be put into a header. */
const Token = z
  .string()
  .regex(/^[\x21-\x7e]+$/)
  .max(LIMITS.loginTokenChars);

/** A token endpoint's answer. */
export const RefreshedTokens = z.object({
  access_token: Token,
  /** Absent: the old one stays valid. */
  refresh_token: Token.optional(),
  id_token: Token.optional(),
  /** Seconds; absent: the token itself says it, or nobody. */
  expires_in: z.number().positive().optional(),
});
export type RefreshedTokens = z.infer<typeof RefreshedTokens>;

/** How one program stores its login and refreshes it. */
interface LoginForm {
  /** As people are told. */
  readonly title: string;
  /** What brings a new login. */
  readonly command: string;
  /** The variable with the program's folder; that folder in the person's home otherwise; the file in it. */
  readonly folderVariable: string;
  readonly folder: string;
  readonly file: string;
  readonly tokenUrl: string;
  /** The program's own, which is public. */
  readonly clientId: string;
  /** Undefined: there is no login in it. */
  read(file: unknown): StoredLogin | undefined;
  /** The file with new tokens; everything else in it stays. */
  write(file: unknown, tokens: RefreshedTokens, now: number): unknown;
}

const ClaudeFile = z.looseObject({
  claudeAiOauth: z.looseObject({
    accessToken: Token,
    refreshToken: Token.nullish(),
    expiresAt: z.number().nullish(),
    scopes: z.array(z.string()).nullish(),
  }),
});
const CodexFile = z.looseObject({
  tokens: z.looseObject({
    access_token: Token,
    refresh_token: Token.nullish(),
    account_id: Token.nullish(),
  }),
});

const MS = 1_000;

export const LOGIN_FORMS: Readonly<Record<LoginProgram, LoginForm>> = {
  claude: {
    title: "Claude Code",
    command: "claude /login",
    folderVariable: "CLAUDE_CONFIG_DIR",
    folder: ".claude",
    file: ".credentials.json",
    tokenUrl: "https://platform.claude.com/v1/oauth/token",
    clientId: "9d1c250a-e61b-44d9-88ed-5944d1962f5e",
    read: (file) => {
      const { data } = ClaudeFile.safeParse(file);
      if (data === undefined) return undefined;
      const { accessToken, refreshToken, expiresAt, scopes } = data.claudeAiOauth;
      return {
        accessToken,
        refreshToken: refreshToken ?? undefined,
        expiresAt: expiresAt ?? undefined,
        headers: {},
        scope: scopes?.join(" "),
      };
    },
    write: (file, tokens, now) => {
      const { claudeAiOauth, ...rest } = ClaudeFile.parse(file);
      const expiresAt = tokens.expires_in === undefined ? null : now + tokens.expires_in * MS;
      const refreshToken = tokens.refresh_token ?? claudeAiOauth.refreshToken;
      return {
        ...rest,
        claudeAiOauth: { ...claudeAiOauth, accessToken: tokens.access_token, refreshToken, expiresAt },
      };
    },
  },
  codex: {
    title: "Codex",
    command: "codex login",
    folderVariable: "CODEX_HOME",
    folder: ".codex",
    file: "auth.json",
    tokenUrl: "https://auth.openai.com/oauth/token",
    clientId: "app_EMoamEEZ73f0CkXaXp7hrann",
    read: (file) => {
      const { data } = CodexFile.safeParse(file);
      if (data === undefined) return undefined;
      const { access_token, refresh_token, account_id } = data.tokens;
      return {
        accessToken: access_token,
        refreshToken: refresh_token ?? undefined,
        expiresAt: expiryOf(access_token),
        headers: typeof account_id === "string" ? { "chatgpt-account-id": account_id } : {},
      };
    },
    write: (file, { access_token, refresh_token, id_token }, now) => {
      const { tokens, ...rest } = CodexFile.parse(file);
      const fresh = {
        access_token,
        ...(refresh_token === undefined ? {} : { refresh_token }),
        ...(id_token === undefined ? {} : { id_token }),
      };
      return { ...rest, tokens: { ...tokens, ...fresh }, last_refresh: new Date(now).toISOString() };
    },
  },
};

const Claims = z.object({ exp: z.number().positive() });

/** When a JWT ends, ms since the epoch; undefined: it is none, or says nothing. Only the provider can say whether it is genuine. */
function expiryOf(token: string): number | undefined {
  const [, claims = ""] = token.split(".");
  try {
    const value: unknown = JSON.parse(Buffer.from(claims, "base64url").toString("utf8"));
    const { data } = Claims.safeParse(value);
    return data === undefined ? undefined : data.exp * MS;
  } catch {
    return undefined;
  }
}
