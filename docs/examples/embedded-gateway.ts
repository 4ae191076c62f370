import { openSallyport } from "sallyport/server";

const [home = "", workspace = "", prompt = ""] = process.argv.slice(-3);
const input_schema = { type: "object", properties: { order: { type: "string" } }, required: ["order"] };
const sallyport = await openSallyport({
  home,
  workspace,
  tools: [
    {
      name: "shop",
      tools: [
        {
          name: "refund",
          description: "Pays an order back.",
          input_schema,
          tier: "execute",
          preview: ({ order }) => `Pays back the order ${String(order)}`,
          execute: async ({ order }) => ({ content: `${String(order)} was paid back` }),
        },
      ],
    },
  ],
  hooks: [
    {
      name: "disputes",
      tools: ["mcp__shop__*"],
      before: ({ input: { order } }) => (order === "A-1" ? { deny: "The order A-1 is in dispute." } : undefined),
    },
  ],
});
const { admin } = sallyport;
const { id } = await admin.sessions.start({ prompt, permission_mode: "sdk" });
for await (const frame of admin.watch(id)) {
  if (frame.type === "approval.requested") {
    console.log("asked", frame.approval.tool, JSON.stringify(frame.approval.preview));
    await admin.approvals.decide(frame.approval.id, { decision: "approve", input_hash: frame.approval.input_hash });
  }
  if (frame.type === "item.completed") console.log(JSON.stringify(frame.item));
  if (frame.type === "turn.completed" || frame.type === "turn.failed") break;
}
await sallyport.close();
