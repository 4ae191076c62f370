/** Headers of one connection alone (RFC 9110 §7.6.1): a proxy does not pass them on. */
export const HOP_HEADERS = [
  "connection",
  "http2-settings",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
] as const;
