/** What a request may make a provider do, as far as it costs. Read from its body by the proxy. */
export interface RequestFacts {
  /** Bytes of the whole body: no tokenizer makes more tokens than bytes of what is written there. */
  readonly bytes: number;
  /** Input tokens as the provider counted them for this very request; absent: not counted. */
  readonly counted?: number | undefined;
  /** `max_tokens` and its other names; absent: the request does not say. */
  readonly maxOutput?: number | undefined;
  /** How many answers are asked for at once (`n`). */
  readonly answers: number;
  /** The longest-living cache entry that the request may write. */
  readonly cacheWrite: "none" | "5m" | "1h";
  /** Pictures cost by their pixels, not by their bytes. */
  readonly images: number;
  /** Documents, audio, files and addresses that the provider fetches: their tokens have no bound but the model's window. */
  readonly opaque: number;
  /** A field that names text which only the provider has, a conversation for instance; absent: there is none. */
  readonly remote?: string | undefined;
  /** How often the provider may read the whole conversation once more to write a summary of it. */
  readonly compactions: number;
  /** Tools that the provider runs itself, by type, with the most that each may be used. */
  readonly serverTools: readonly { readonly type: string; readonly maxUses?: number | undefined }[];
  /** `service_tier`, `speed` and the like, where the request asks for another than the usual one. */
  readonly tier?: string | undefined;
  /** Percent of the usual price that the request's place of inference costs. */
  readonly placePercent: number;
}
