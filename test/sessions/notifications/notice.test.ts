import { describe, expect, it } from "vitest";
import { LIMITS, makeRedactor, type Approval, type JournalEvent } from "../../../src/protocol/index.ts";
import { noticeOf, questionNotice } from "../../../src/sessions/notifications/notice.ts";
import { messageFor, type ServiceSecret } from "../../../src/sessions/notifications/messages.ts";
import type { SessionState } from "../../../src/sessions/core/state.ts";

const session = {
  id: "ses_1",
  title: "Mend the build",
  created_by: { id: "tok_1", name: "Ada", role: "operator" },
  settings: { workspace: "/work" },
} as unknown as SessionState;

function command(text: string, more: Partial<Approval> = {}): Approval {
  return {
    id: "apr_1",
    session_id: "ses_1",
    turn_id: "turn_1",
    item_id: "item_1",
    tool: "Bash",
    tool_use_id: "toolu_1",
    tier: "execute",
    input: { command: text },
    input_hash: "hash_1",
    preview: { type: "command", command: text, timeout_ms: 1, cwd: "/work", background: false, parts: [] },
    warnings: [],
    reason: "Bash runs a program.",
    unattended: "deny",
    created_at: "2026-11-17T00:00:00.000Z",
    status: "pending",
    ...more,
  };
}

const SERVICES: readonly ServiceSecret[] = [
  { kind: "ntfy", url: "https://ntfy.example.org/topic" },
  { kind: "slack", url: "https://hooks.slack.com/services/T/B/x" },
  { kind: "discord", url: "https://discord.com/api/webhooks/1/x" },
  { kind: "telegram", token: "1:abcdefghij", chat_id: "42" },
  { kind: "webhook", url: "https://hooks.example.org/", secret: "whsec_AAAA" },
];

const preview = (text: string, more: object): Pick<Approval, "preview"> => ({
  preview: { ...command(text).preview, ...more },
});

describe("what a notification says", () => {
  const redact = makeRedactor([]);

  it("names session and command, and what it is about", () => {
    expect(questionNotice(command("npm test"), session, redact)).toEqual({
      event: "question",
      title: "Run this command?",
      text: "npm test\nMend the build",
      session: "Mend the build",
      session_id: "ses_1",
      owner: "tok_1",
      tag: "apr_1",
      path: "/approvals?id=apr_1&hash=hash_1",
      approval: { id: "apr_1", input_hash: "hash_1", isWhole: true },
    });
  });

  it.each<[string, Approval]>([
    ["a long command", command(`echo ${"a".repeat(230)}`)],
    ["two lines", command("echo a\nrm b")],
    ["blanks that hide something", command("echo a                rm b")],
    ["an invisible letter", command("echo a\u200Bb")],
    ["a letter that looks like another", command("cаt file")],
    ["a warning", command("rm -r x", { warnings: [{ kind: "delete", message: "Deletes x" }] })],
    ["in the background", command("npm start", preview("npm start", { background: true }))],
    ["in another folder", command("npm test", preview("npm test", { cwd: "/elsewhere" }))],
    ["that could not be parsed", command("echo $(", preview("echo $(", { parse_error: "no end" }))],
    ["with another argument", command("npm test", { input: { command: "npm test", sandbox: false } })],
    ["that cannot be approved", command("npm test", { not_approvable: "It holds a secret." })],
    ["a file change", { ...command("x"), preview: { type: "generic", summary: "Write a.txt" } }],
  ])("%s is not approved from a notification", (_what, approval) => {
    const notice = questionNotice(approval, session, redact);
    expect(notice.approval?.isWhole).toBe(false);
    expect(notice.text.length).toBeLessThan(400);
  });

  it("holds no secret, and is then not the whole call", () => {
    const own = makeRedactor([]);
    own.learn("swordfish-0123456789");
    const notice = questionNotice(command("deploy swordfish-0123456789"), session, own);
    expect(notice.text).not.toContain("swordfish");
    expect(notice.approval?.isWhole).toBe(false);
  });

  const ended = (more: object): JournalEvent =>
    ({ seq: 1, session_id: "ses_1", at: "", turn_id: "turn_1", ...more }) as unknown as JournalEvent;

  it("tells of ends, but not to those who stopped the turn themselves", () => {
    const failed = { type: "turn.failed", error: { code: "model_error", message: "no answer" } };
    expect(noticeOf(ended({ type: "turn.completed" }), session, redact)).toMatchObject({
      event: "ended",
      title: "Turn finished",
      text: "Mend the build",
      path: "/sessions/ses_1",
    });
    expect(noticeOf(ended(failed), session, redact)).toMatchObject({ text: "Mend the build\nno answer" });
    expect(noticeOf(ended({ ...failed, by: session.created_by }), session, redact)).toBeUndefined();
    expect(noticeOf(ended({ type: "error", message: "x" }), session, redact)).toBeUndefined();
  });
});

describe("a notice of hostile words", () => {
  const redact = makeRedactor([]);
  const title = `${"x".repeat(77)}😀${"y".repeat(20)}`;
  const about = `${"x".repeat(LIMITS.notificationCallChars - 3)}😀${"y".repeat(20)}`;

  it("ends with no half of a character: services refuse a message with one, and nobody hears of the question", () => {
    const notice = questionNotice(command(about), { ...session, title }, redact);
    for (const secret of SERVICES) {
      const { body } = messageFor(secret, { notice, id: "msg_1", now: 0 });
      expect([secret.kind, /\\ud[89a-f]/i.test(String(body))]).toEqual([secret.kind, false]);
    }
  });

  it("ends with no half of a character at Discord's own end of a message", () => {
    for (const chars of [1_990, 1_991, 1_992, 1_993, 1_994, 1_995, 1_996, 1_997, 1_998, 1_999]) {
      const template = `${"x".repeat(chars)}{{text}}`;
      const notice = questionNotice(command("😀😀😀😀😀*********"), session, redact);
      const { body } = messageFor(
        { kind: "discord", url: "https://discord.com/api/webhooks/1/x" },
        { notice, template, id: "msg_1", now: 0 },
      );
      const { content } = JSON.parse(String(body)) as { readonly content: string };
      expect(content.isWellFormed()).toBe(true);
      expect(content.length).toBeLessThanOrEqual(2_000);
      expect(content).not.toMatch(/(?:^|[^\\])\\$/);
    }
  });

  it("is text at Slack: its marks do not vanish from a command", () => {
    const notice = questionNotice(command("rm *a* _b_ `c` ~d~ <!channel> @here"), session, redact);
    const { body } = messageFor(
      { kind: "slack", url: "https://hooks.slack.com/services/T/B/x" },
      { notice, id: "m", now: 0 },
    );
    expect(JSON.parse(String(body))).toMatchObject({ mrkdwn: false });
  });
});

describe("the message for each service", () => {
  const notice = questionNotice(command("npm <test> {{link}} *x*"), session, makeRedactor([]));
  const consoleUrl = "https://agents.example.org";
  const link = `${consoleUrl}/approvals?id=apr_1&hash=hash_1`;
  const build = (secret: ServiceSecret, template?: string): { readonly url: string; readonly body: unknown } => {
    const { url, body } = messageFor(secret, { notice, consoleUrl, template, id: "msg_1", now: 0 });
    return { url: url.href, body: JSON.parse(String(body)) as unknown };
  };

  it("ntfy: as JSON at the server's root, with the topic and a link", () => {
    expect(build({ kind: "ntfy", url: "https://ntfy.example.org/a/my-topic" })).toEqual({
      url: "https://ntfy.example.org/a/",
      body: {
        topic: "my-topic",
        title: "Run this command?",
        message: `npm <test> {{link}} *x*\nMend the build\n${link}`,
        priority: 4,
        click: link,
      },
    });
  });

  it("Slack and Discord: without their own marks, so that nothing is hidden or mentioned", () => {
    expect(build({ kind: "slack", url: "https://hooks.slack.com/services/T/B/x" }).body).toMatchObject({
      text: `Run this command?\nnpm &lt;test&gt; {{link}} *x*\nMend the build\n${link.replace("&", "&amp;")}`,
    });
    expect(build({ kind: "discord", url: "https://discord.com/api/webhooks/1/x" }).body).toMatchObject({
      content: `Run this command?\nnpm \\<test\\> {{link}} \\*x\\*\nMend the build\n${link}`,
      allowed_mentions: { parse: [] },
    });
  });

  it("Telegram: as plain text to the chat; a template is filled once", () => {
    const secret = { kind: "telegram", token: "1:abcdefghij", chat_id: "42" } as const;
    expect(build(secret, "{{event}}: {{text}} {{unknown}}")).toEqual({
      url: "https://api.telegram.org/bot1:abcdefghij/sendMessage",
      body: {
        chat_id: "42",
        text: "question: npm <test> {{link}} *x*\nMend the build {{unknown}}",
        link_preview_options: { is_disabled: true },
      },
    });
  });
});
