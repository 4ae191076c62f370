export type Redact = (text: string) => string;

const MASK = "[redacted]";
const SHORTEST_SECRET = 8;
/** What looks like one of our tokens or a model vendor's key, wherever it comes from. */
const LOOKS_SECRET = /sp_[A-Za-z0-9_-]{40,}|sk-(?:ant|proj|or)-[A-Za-z0-9_-]{16,}/g;

/**
 * The one redactor for everything that is written: known secrets by their exact value, then what looks like one. A
 * secret shorter than eight characters is not searched for: it would hit ordinary words.
 */
export function makeRedactor(secrets: readonly string[]): Redact {
  const long = secrets.filter((secret) => secret.length >= SHORTEST_SECRET);
  // Most of what is written is JSON, where a quote or a backslash of a secret stands escaped.
  const exact = [...new Set(long.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)]))];
  return (text) => {
    let clean = text;
    for (const secret of exact) if (clean.includes(secret)) clean = clean.replaceAll(secret, MASK);
    return clean.includes("sp_") || clean.includes("sk-") ? clean.replace(LOOKS_SECRET, MASK) : clean;
  };
}
