import { z } from "zod";
import { LIMITS } from "../limits.ts";

/** What was said before the prompt of a model call. */
const JobMessage = z.object({ role: z.enum(["user", "assistant"]), text: z.string().min(1) }).strict();

const text = z.string().min(1).max(LIMITS.commandChars);

/** What makes a session a job: it ends with its one turn, unless it is interactive. */
export const Job = z
  .object({
    /** How long its commands may run together, or its model call. Absent: `jobTimeMs`. Waiting for a person does not count. */
    timeout_ms: z.number().int().min(1).max(LIMITS.jobTimeMaxMs).optional(),
    /** Of everything that it runs together. Absent: what its sandbox has. */
    memory_mib: z.number().int().min(LIMITS.jobMemoryLeastMib).max(LIMITS.jobMemoryMaxMib).optional(),
    /** A command that writes more is ended. Absent: it goes on, and its output is cut. */
    max_output_chars: z.number().int().min(1).max(LIMITS.jobOutputMaxChars).optional(),
    /** Of the engine `command`: one after the other until one fails. Absent: the prompt is the only one. */
    commands: z.array(text).min(1).max(LIMITS.jobCommands).optional(),
    /** Of the engine `command`: it stays open, and each prompt is one command. Absent: it ends with its commands. */
    interactive: z.literal(true).optional(),
    /** Of the engine `compute`: what was said before the prompt. Absent: nothing. */
    messages: z
      .array(JobMessage)
      .max(LIMITS.jobMessages)
      .refine(([first]) => first === undefined || first.role === "user", "must begin with a message of the user")
      .optional(),
    /** Of the engine `compute`: their vectors are asked for, and nothing is said. Absent: the model answers the prompt. */
    texts: z.array(text).min(1).max(LIMITS.embeddingTexts).optional(),
  })
  .strict()
  .refine(({ commands, interactive }) => commands === undefined || interactive === undefined, {
    path: ["commands"],
    error: "an interactive job begins without commands: send each as a prompt",
  })
  .refine(({ messages, texts }) => messages === undefined || texts === undefined, "texts have no messages before them")
  .refine(
    ({ commands, messages, texts }) => JSON.stringify([commands, messages, texts]).length <= LIMITS.jobTextChars,
    `a job's commands, messages or texts may have ${LIMITS.jobTextChars} characters together`,
  );
export type Job = z.infer<typeof Job>;
