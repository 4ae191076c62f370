import { describe, expect, test } from "vitest";
import { askedOf } from "../../src/cli/acp/permission.ts";
import type { Approval } from "../../src/protocol/index.ts";
import { writeApproval } from "./stage.ts";

const ask = (approval: Approval): { readonly options: readonly string[]; readonly content: string } => {
  const [asked] = askedOf(approval, "/w");
  if (asked === undefined) throw new Error("nothing was asked");
  const { options, toolCall } = asked.request;
  return { options: options.map(({ optionId }) => optionId), content: JSON.stringify(toolCall.content) };
};

describe("a question in an editor", () => {
  test("shows the whole input of a call that has no better preview", () => {
    const input = { note: "x".repeat(600), to: "LAST-IBAN" };
    const { options, content } = ask({
      ...writeApproval(),
      tool: "mcp__shop__pay",
      input,
      preview: { type: "generic", summary: JSON.stringify(input).slice(0, 500) },
    });
    expect(options).toEqual(["allow_once", "allow_always", "reject_once"]);
    expect(content).toContain("LAST-IBAN");
  });

  test("shows the side effects of a change, and long contents by their diff", () => {
    const approval = writeApproval();
    if (approval.preview.type !== "diff") throw new Error("a Write is shown by a diff");
    const file = { ...approval.preview.file, original_content: "", new_content: "" };
    const { content } = ask({ ...approval, preview: { ...approval.preview, file } });
    expect(content).toContain("keeps mode 755");
    expect(content).toContain('"newText":"new"');
  });

  test("offers no yes for what it cannot show, and says where", () => {
    const approval = writeApproval();
    if (approval.preview.type !== "diff") throw new Error("a Write is shown by a diff");
    const cut = {
      ...approval,
      preview: { ...approval.preview, file: { ...approval.preview.file, cut: true as const } },
    };
    expect(ask(cut).options).toEqual(["reject_once"]);
    expect(ask(cut).content).toContain("sallyport approve apr_1");
    const hidden = { ...approval, not_approvable: "A part of it is a secret." };
    expect(ask(hidden)).toMatchObject({ options: ["reject_once"], content: expect.stringContaining("a secret") });
  });
});
