import { describe, expect, test } from "vitest";
import { askedOf } from "../../src/cli/acp/permission.ts";
import { askDecision } from "../../src/cli/ask/dialog.ts";
import { previewLine } from "../../src/cli/show/preview.ts";
import { paintFor } from "../../src/cli/terminal/paint.ts";
import type { Approval, JournalEvent } from "../../src/protocol/index.ts";
import { COMPAT_START, compatRows } from "../../src/protocol/dialects/bridge/compat.ts";
import { ToolLog } from "../../src/protocol/dialects/mount/tool-log.ts";
import { toolApprovalRequest } from "../../src/protocol/dialects/terminal.ts";
import { questionNews } from "../../src/web/console/app/news.ts";
import { canApprovePlainly, canEdit } from "../../src/web/console/approval/decide.tsx";
import { cardTitle, reasonWords, ruleWords } from "../../src/web/console/approval/reason.ts";
import { summaryOf } from "../../src/web/console/approval/summary.ts";
import { Stage, writeApproval } from "../cli/stage.ts";

const summary = "A program wants to connect to example.com:443.";
const reason = "The profile net does not let programs in the sandbox reach example.com:443.";
const asked: Approval = writeApproval({
  item_id: "",
  tool: "Network",
  tool_use_id: "network_1",
  tier: "network",
  input: { host: "example.com", port: 443 },
  preview: { type: "network", summary, host: "example.com", port: 443 },
  reason,
  session_rule: "Network(example.com)",
});
const head = { session_id: "ses_1", seq: 7, at: "2026-01-01T00:00:00.000Z" };
const requested: JournalEvent = { ...head, type: "approval.requested", approval: asked };

describe("a question about a host", () => {
  test("in the terminal: y for the turn, a for the session, and nothing to edit", async () => {
    const stage = new Stage();
    const decision = askDecision({ approval: asked, behind: 0 }, stage.asking(), new AbortController().signal);
    await stage.types("e");
    await stage.reads("the host cannot be changed");
    await stage.types("a");
    await stage.reads("y adds this rule until the session ends: Network(example.com)");
    await stage.types("y");
    expect(await decision).toEqual({ decision: "approve", input_hash: "hash", scope: "session" });
    expect(stage.text).toContain(summary);
    expect(previewLine(asked, paintFor({}, {}))).toBe(summary);
  });

  test("in an editor: a call of its own with the usual options", () => {
    const [question] = askedOf(asked, "/w");
    expect(question?.request.toolCall).toMatchObject({
      toolCallId: "network_1",
      kind: "fetch",
      content: [{ type: "content", content: { type: "text", text: summary } }],
    });
    expect(question?.request.options.map(({ name }) => name)).toEqual([
      "Allow",
      "Always allow Network(example.com) in this session",
      "Reject",
    ]);
  });

  test("in the console: its own title, no editing, and what the rule reaches", () => {
    expect([cardTitle(asked), summaryOf(asked), reasonWords(asked)]).toEqual([
      "A program wants to reach a host",
      summary,
      reason,
    ]);
    expect([canApprovePlainly(asked), canEdit(asked)]).toEqual([true, false]);
    expect(ruleWords("Network(example.com)", asked)).toEqual({
      allows: "Network(example.com)",
      reach: "(ports 80 and 443)",
    });
    expect(questionNews(asked).words).toBe(`A program wants to reach a host: ${summary}`);
  });

  test("in the documents' words: a tool like any other, or a line that says who waits", () => {
    expect(toolApprovalRequest(asked)).toMatchObject({
      tool_name: "Network",
      preview_type: "generic",
      preview_data: { tool_name: "Network", input_summary: JSON.stringify(asked.input, undefined, 2) },
    });
    expect(compatRows(COMPAT_START, requested).rows).toEqual([
      { type: "error", message: `${reason} It waits for an answer in the inbox (apr_1).` },
      {
        type: "approval.requested",
        approval: expect.objectContaining({ id: "apr_1", tool: "Network", input: asked.input }),
      },
    ]);
    const log = new ToolLog();
    const call = { tool_use_id: "network_1", tool: "Network", params: asked.input, timestamp: head.at };
    const by = { id: "usr_1", name: "ada", role: "operator" } as const;
    expect(log.next(requested)).toEqual(call);
    expect(
      log.next({ ...head, seq: 8, type: "approval.resolved", approval_id: "apr_1", outcome: "approved", by }),
    ).toEqual({ ...call, approved: true });
  });
});
