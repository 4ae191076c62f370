import { z } from "zod";
import { ComputeRequest, ContainerRequest } from "../../protocol/index.ts";
import { dataAnswer, tool, type ClaudeTool } from "./tools.ts";

const Begun = z.looseObject({
  status: z.string().optional().describe("How it begins"),
  status_path: z.string().optional().describe("The file that holds its state"),
  result_path: z.string().optional().describe("The file that holds its result, once there is one"),
});

/** Jobs. They are sessions: `claude_wait`, `claude_stop` and `claude_read` work with their ids too. */
export const JOB_TOOLS: readonly ClaudeTool[] = [
  tool({
    name: "containers_new",
    title: "Run commands in a sandbox",
    description:
      "Runs command lines in a sandbox, one after the other until one fails, and answers a session_id at once. A person may be asked first. Then use claude_wait with that id, and claude_read with result_path.",
    readOnly: false,
    input: ContainerRequest,
    output: Begun.extend({ session_id: z.string().describe("The job's id") }),
    run: async (tree, request) => dataAnswer(await tree.call("/containers/new", JSON.stringify(request))),
  }),
  tool({
    name: "compute_new",
    title: "Ask a model once",
    description:
      "Asks a model once, without tools, and answers a job_id at once. It counts on your budget; max_cost_usd is in micro-USD. Then use claude_wait with that id as session_id, and claude_read with result_path.",
    readOnly: false,
    input: ComputeRequest,
    output: Begun.extend({ job_id: z.string().describe("The job's id") }),
    run: async (tree, request) => dataAnswer(await tree.call("/compute/new", JSON.stringify(request))),
  }),
];
