/** What a request may make a provider do, as far as it affects the cost. Read from its body by the proxy. */
export interface RequestFacts {
  /** Bytes of the whole body: a text never has more tokens than bytes. */
  readonly bytes: number;
  /** Input tokens as the provider counted them for this request; absent: not counted. */
  readonly counted?: number | undefined;
  /** `max_tokens` and its other names; absent: not given. */
  readonly maxOutput?: number | undefined;
  /** How many answers are requested at once (`n`). */
  readonly answers: number;
  /** The longest-living cache entry that the request may write. */
  readonly cacheWrite: "none" | "5m" | "1h";
  /** Pictures cost by their pixels, not by their bytes. */
  readonly images: number;
  /** Documents, audio, files and addresses that the provider fetches: only the model's window bounds their tokens. */
  readonly opaque: number;
  /** A field that refers to text which only the provider has, such as a conversation; absent: none. */
  readonly remote?: string | undefined;
  /** How often the provider may reread the whole conversation to summarise it. */
  readonly compactions: number;
  /** Tools that the provider runs itself, by type, with the maximum uses of each. */
  readonly serverTools: readonly { readonly type: string; readonly maxUses?: number | undefined }[];
  /** `service_tier`, `speed` and similar, if the request asks for another than the usual one. */
  readonly tier?: string | undefined;
  /** Price of the request's place of inference, in percent of the usual price. */
  readonly placePercent: number;
}
