/** One kind of secret, by what its text looks like. `pattern` is written for ripgrep and JavaScript alike. */
export interface SecretKind {
  readonly name: string;
  readonly pattern: string;
  /** The value is the last group, and only counts if it looks random: words and placeholders are left alone. */
  readonly random?: true;
}

/** A word boundary that ripgrep and JavaScript understand alike. */
const B = "\\b";

export const SECRET_KINDS: readonly SecretKind[] = [
  { name: "private key", pattern: "-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----" },
  { name: "PuTTY key", pattern: "PuTTY-User-Key-File-[0-9]" },
  { name: "age key", pattern: "AGE-SECRET-KEY-1[A-Z0-9]{50,}" },
  { name: "Nostr key", pattern: `${B}nsec1[a-z0-9]{58}${B}` },
  { name: "WireGuard key", pattern: "(?:PrivateKey|PresharedKey)\\s*=\\s*[A-Za-z0-9+/]{43}=" },
  { name: "Kubernetes key", pattern: "client-key-data:\\s*[A-Za-z0-9+/=]{40,}" },
  { name: "Anthropic key", pattern: `${B}sk-ant-[A-Za-z0-9_-]{20,}` },
  { name: "OpenRouter key", pattern: `${B}sk-or-v1-[0-9a-f]{40,}` },
  { name: "OpenAI key", pattern: `${B}sk-(?:proj-|svcacct-|admin-)?[A-Za-z0-9_-]{32,}` },
  { name: "xAI key", pattern: `${B}xai-[A-Za-z0-9]{40,}` },
  { name: "Groq key", pattern: `${B}gsk_[A-Za-z0-9]{40,}` },
  { name: "Hugging Face token", pattern: `${B}hf_[A-Za-z0-9]{30,}` },
  { name: "Replicate token", pattern: `${B}r8_[A-Za-z0-9]{30,}` },
  { name: "Perplexity key", pattern: `${B}pplx-[A-Za-z0-9]{40,}` },
  { name: "GitHub token", pattern: `${B}gh[pousr]_[A-Za-z0-9]{30,}` },
  { name: "GitHub token", pattern: `${B}github_pat_[A-Za-z0-9_]{22,}` },
  { name: "GitLab token", pattern: `${B}gl(?:pat|ptt|dt|rt|cbt|ft|soat|agent)-[A-Za-z0-9_-]{20,}` },
  { name: "Bitbucket token", pattern: `${B}ATBB[A-Za-z0-9]{28,}` },
  { name: "Atlassian token", pattern: `${B}ATATT3[A-Za-z0-9_=-]{60,}` },
  { name: "AWS key", pattern: `${B}(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}${B}` },
  {
    name: "AWS secret",
    pattern: "(?i)aws.{0,20}secret.{0,20}[=:]\\s*[\"']?([A-Za-z0-9/+]{40})",
    random: true,
  },
  { name: "Google key", pattern: `${B}AIza[0-9A-Za-z_-]{35}` },
  { name: "Google client secret", pattern: `${B}GOCSPX-[A-Za-z0-9_-]{20,}` },
  { name: "Google token", pattern: `${B}ya29\\.[A-Za-z0-9_-]{40,}` },
  { name: "Azure storage key", pattern: "AccountKey=[A-Za-z0-9+/]{80,}={0,2}" },
  { name: "Azure signature", pattern: "[?&]sig=[A-Za-z0-9%+/]{40,}" },
  { name: "Azure client secret", pattern: `${B}[A-Za-z0-9_~.]{3}8Q~[A-Za-z0-9_~.-]{31,}` },
  { name: "Slack token", pattern: `${B}xox[abeoprs]-[A-Za-z0-9-]{10,}` },
  { name: "Slack token", pattern: `${B}xapp-[0-9]-[A-Za-z0-9-]{20,}` },
  { name: "Slack webhook", pattern: "hooks\\.slack\\.com/(?:services|workflows|triggers)/[A-Za-z0-9/]{20,}" },
  { name: "Discord webhook", pattern: "discord(?:app)?\\.com/api/webhooks/[0-9]+/[A-Za-z0-9_-]{40,}" },
  { name: "Discord token", pattern: `${B}[MNO][A-Za-z0-9_-]{23,27}\\.[A-Za-z0-9_-]{6}\\.[A-Za-z0-9_-]{27,}` },
  { name: "Telegram token", pattern: `${B}[0-9]{8,10}:AA[A-Za-z0-9_-]{33}` },
  { name: "Stripe key", pattern: `${B}(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{16,}` },
  { name: "Stripe webhook secret", pattern: `${B}whsec_[A-Za-z0-9+/=]{24,}` },
  { name: "Square token", pattern: `${B}(?:sq0[a-z]{3}-[A-Za-z0-9_-]{22,}|EAAA[A-Za-z0-9_-]{60})` },
  { name: "PayPal token", pattern: `access_token\\$production\\$[a-z0-9]{16}\\$[a-f0-9]{32}` },
  { name: "Shopify token", pattern: `${B}shp(?:at|ca|pa|ss)_[A-Fa-f0-9]{32}` },
  { name: "Twilio key", pattern: `${B}SK[0-9a-f]{32}${B}` },
  { name: "SendGrid key", pattern: `${B}SG\\.[A-Za-z0-9_-]{16,}\\.[A-Za-z0-9_-]{16,}` },
  { name: "Mailgun key", pattern: `${B}key-[0-9a-f]{32}${B}` },
  { name: "Mailchimp key", pattern: `${B}[0-9a-f]{32}-us[0-9]{1,2}${B}` },
  { name: "Postmark or other mail key", pattern: `${B}re_[A-Za-z0-9]{8}_[A-Za-z0-9]{20,}` },
  { name: "npm token", pattern: `${B}npm_[A-Za-z0-9]{36}` },
  { name: "registry login", pattern: "_(?:authToken|auth|password)\\s*=\\s*[A-Za-z0-9+/=_-]{16,}" },
  { name: "PyPI token", pattern: `${B}pypi-[A-Za-z0-9_-]{50,}` },
  { name: "RubyGems key", pattern: `${B}rubygems_[0-9a-f]{40,}` },
  { name: "crates.io token", pattern: `${B}cio[A-Za-z0-9]{32}${B}` },
  { name: "Docker token", pattern: `${B}dckr_(?:pat|oat)_[A-Za-z0-9_-]{20,}` },
  { name: "Docker login", pattern: '"auth"\\s*:\\s*"[A-Za-z0-9+/=]{16,}"' },
  { name: "DigitalOcean token", pattern: `${B}do[oprs]_v1_[0-9a-f]{64}` },
  { name: "Heroku key", pattern: `${B}HRKU-[A-Za-z0-9_-]{36,}` },
  { name: "Fly token", pattern: `${B}(?:FlyV1 fm|fo1_)[A-Za-z0-9_+/=,-]{30,}` },
  { name: "Netlify token", pattern: `${B}nf[pco]_[A-Za-z0-9]{30,}` },
  { name: "Supabase token", pattern: `${B}sb(?:p|_secret)_[A-Za-z0-9_]{30,}` },
  { name: "PlanetScale token", pattern: `${B}pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.-]{30,}` },
  { name: "Vault token", pattern: `${B}hv[sbr]\\.[A-Za-z0-9_-]{24,}` },
  { name: "Terraform token", pattern: `${B}[A-Za-z0-9]{14}\\.atlasv1\\.[A-Za-z0-9_-]{60,}` },
  { name: "Pulumi token", pattern: `${B}pul-[0-9a-f]{40}` },
  { name: "Doppler token", pattern: `${B}dp\\.(?:pt|st|ct|sa|scim|audit)\\.[A-Za-z0-9._-]{40,}` },
  { name: "Databricks token", pattern: `${B}dapi[0-9a-f]{32}` },
  { name: "New Relic key", pattern: `${B}NRAK-[A-Z0-9]{27}` },
  { name: "Sentry token", pattern: `${B}sntry[su]_[A-Za-z0-9+/=_-]{40,}` },
  { name: "Grafana token", pattern: `${B}gl(?:c|sa)_[A-Za-z0-9+/=_-]{32,}` },
  { name: "Postman key", pattern: `${B}PMAK-[0-9a-f]{24}-[0-9a-f]{34}` },
  { name: "Linear key", pattern: `${B}lin_(?:api|oauth)_[A-Za-z0-9]{40}` },
  { name: "Notion token", pattern: `${B}(?:secret|ntn)_[A-Za-z0-9]{43,}` },
  { name: "Figma token", pattern: `${B}figd_[A-Za-z0-9_-]{40,}` },
  { name: "Airtable token", pattern: `${B}pat[A-Za-z0-9]{14}\\.[0-9a-f]{64}` },
  { name: "JSON web token", pattern: `${B}eyJ[A-Za-z0-9_-]{10,}\\.eyJ[A-Za-z0-9_-]{10,}\\.[A-Za-z0-9_-]{10,}` },
  {
    name: "password in an address",
    pattern: "[a-z][a-z0-9+.-]{1,20}://[^\\s:/@\"'<>{}$]{1,100}:([^\\s/@\"'<>{}$]{4,200})@",
    random: true,
  },
  { name: "login of a .netrc", pattern: "machine\\s+\\S+\\s+login\\s+\\S+\\s+password\\s+\\S+" },
  { name: "password hash", pattern: "\\$(?:2[aby]|5|6|y|apr1|argon2id?)\\$[A-Za-z0-9./$=,+]{20,}" },
  {
    name: "authorization header",
    pattern: "(?i)authorization[\"']?\\s*[:=]\\s*[\"']?(?:basic|bearer|token)\\s+([A-Za-z0-9+/=._-]{20,})",
    random: true,
  },
  {
    name: "password or key in a setting",
    pattern:
      "(?i)(?:password|passwd|passphrase|secret|token|api_?-?key|access_?-?key|private_?-?key|credential)[a-z0-9_-]*[\"']?\\s*(?:=>|[=:])\\s*[\"'`]([^\\s\"'`]{12,200})[\"'`]",
    random: true,
  },
];

const PLACEHOLDER =
  /example|sample|dummy|placeholder|change.?me|changeit|your|insert|replace|redacted|xxxx|\*\*\*\*|\.\.\.|todo|fake|mock|test.?(?:key|token|secret|password)|<[^>]+>|\$\{|\{\{|%\(|process\.env|os\.environ|getenv/i;

/** Bits a character, below which a text of that alphabet is words rather than a key. */
const RANDOM_BITS = 3.2;

/** What kinds of secret a text holds, each once. */
export function secretsIn(text: string): readonly string[] {
  const found = new Set<string>();
  for (const { name, pattern, random } of SECRET_KINDS) {
    if (found.has(name)) continue;
    for (const match of text.matchAll(expression(pattern))) {
      const value = match.at(-1) ?? match[0];
      if (random === true ? isRandom(value) : !isFiller(match[0])) {
        found.add(name);
        break;
      }
    }
  }
  return [...found];
}

/** JavaScript has no `(?i)`. */
function expression(pattern: string): RegExp {
  return pattern.startsWith("(?i)") ? new RegExp(pattern.slice(4), "gi") : new RegExp(pattern, "g");
}

function isRandom(value: string): boolean {
  if (PLACEHOLDER.test(value)) return false;
  return bitsPerCharacter(value) >= RANDOM_BITS && /[0-9]/.test(value) && /[a-z]/i.test(value);
}

/** `AKIAXXXXXXXXXXXXXXXX`, `sk-ant-xxxxxxxx…`: the same character over and over. */
function isFiller(value: string): boolean {
  return /(.)\1{7,}/.test(value) && bitsPerCharacter(value) < RANDOM_BITS;
}

/** Shannon's entropy. */
function bitsPerCharacter(value: string): number {
  const counts = new Map<string, number>();
  for (const character of value) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / value.length) * Math.log2(count / value.length);
  return bits;
}
