import { z } from "zod";
import { LIMITS } from "../limits.ts";

/** What was said before the prompt of a model call. */
const JobMessage = z.object({ role: z.enum(["user", "assistant"]), text: z.string().min(1) }).strict();

const text = z.string().min(1).max(LIMITS.commandChars);

/** What makes a session a job: it ends with its one turn. */
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
    /** Of the engine `compute`: what was said before the prompt. Absent: nothing. */
    messages: z
      .array(JobMessage)
      .max(LIMITS.jobMessages)
      .refine(([first]) => first === undefined || first.role === "user", "must begin with a message of the user")
      .optional(),
  })
  .strict()
  .refine(
    ({ commands, messages }) => JSON.stringify([commands, messages]).length <= LIMITS.jobTextChars,
    `a job's commands or messages may have ${LIMITS.jobTextChars} characters together`,
  );
export type Job = z.infer<typeof Job>;
