import type {
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from "@modelcontextprotocol/client";

/** What the SDK's flow reads and writes while it goes on. */
export interface LoginDraft {
  client?: StoredOAuthClientInformation | undefined;
  tokens?: StoredOAuthTokens | undefined;
  discovery?: OAuthDiscoveryState | undefined;
  verifier?: string | undefined;
  /** Where a person has to go. */
  authorizationUrl?: URL | undefined;
}

interface LoginRequest {
  readonly redirectUrl: string;
  readonly state: string;
  readonly scope: string | undefined;
  readonly clientMetadataUrl?: string | undefined;
}

/** The SDK's view of one login. All that it saves is in `draft`; whoever started it decides what is kept. */
export class LoginProvider implements OAuthClientProvider {
  readonly draft: LoginDraft;
  /** Where the authorization server finds what this client is. */
  declare clientMetadataUrl?: string;
  readonly #request: LoginRequest;

  constructor(request: LoginRequest, draft: LoginDraft = {}) {
    this.#request = request;
    if (request.clientMetadataUrl !== undefined) this.clientMetadataUrl = request.clientMetadataUrl;
    this.draft = draft;
  }

  get redirectUrl(): string {
    return this.#request.redirectUrl;
  }

  get clientMetadata(): OAuthClientMetadata {
    const { redirectUrl, scope } = this.#request;
    return {
      client_name: "Sallyport",
      redirect_uris: [redirectUrl],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      ...(scope === undefined ? {} : { scope }),
    };
  }

  state(): string {
    return this.#request.state;
  }

  clientInformation(): StoredOAuthClientInformation | undefined {
    return this.draft.client;
  }

  saveClientInformation(client: StoredOAuthClientInformation): void {
    this.draft.client = client;
  }

  tokens(): StoredOAuthTokens | undefined {
    return this.draft.tokens;
  }

  saveTokens(tokens: StoredOAuthTokens): void {
    this.draft.tokens = tokens;
  }

  redirectToAuthorization(url: URL): void {
    this.draft.authorizationUrl = url;
  }

  saveCodeVerifier(verifier: string): void {
    this.draft.verifier = verifier;
  }

  codeVerifier(): string {
    return this.draft.verifier ?? "";
  }

  saveDiscoveryState(state: OAuthDiscoveryState): void {
    this.draft.discovery = state;
  }

  discoveryState(): OAuthDiscoveryState | undefined {
    return this.draft.discovery;
  }

  invalidateCredentials(scope: "all" | "client" | "tokens" | "verifier" | "discovery"): void {
    if (scope === "all" || scope === "client") this.draft.client = undefined;
    if (scope === "all" || scope === "tokens") this.draft.tokens = undefined;
    if (scope === "all" || scope === "discovery") this.draft.discovery = undefined;
  }
}
