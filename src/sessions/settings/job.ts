import { Failure, LIMITS, type CreateSession, type Job, type Profile } from "../../protocol/index.ts";

/** Which engines have jobs, and what only these take. */
const OWN_FIELDS: Readonly<Record<string, readonly (keyof Job)[]>> = {
  command: ["commands", "interactive", "memory_mib", "max_output_chars"],
  compute: ["messages", "texts"],
};

function checkFields(job: Job, { engine, text }: { readonly engine: string; readonly text: string }): void {
  if (!Object.hasOwn(OWN_FIELDS, engine))
    throw new Failure(
      "unsupported",
      `jobs are for the engines ${Object.keys(OWN_FIELDS).join(" and ")}, not for ${engine}`,
    );
  for (const [other, fields] of Object.entries(OWN_FIELDS))
    for (const field of fields)
      if (other !== engine && job[field] !== undefined)
        throw new Failure("invalid_request", `job.${field} is for the engine ${other} alone; leave it out`);
  // Who reads the prompt must not be told of other commands than those that run.
  if (job.commands !== undefined && text !== job.commands.join("\n"))
    throw new Failure("invalid_request", "the prompt of several commands is these commands, a line break between them");
  if (job.texts !== undefined && text !== job.texts.join("\n"))
    throw new Failure("invalid_request", "the prompt of texts is these texts, a line break between them");
}

/** The job that a new session is, within the policy. Absent: it is none. */
export function chooseJob(profile: Profile, engine: string, request: CreateSession): Job | undefined {
  const { job, prompt, resume_session_id } = request;
  if (job === undefined) return undefined;
  if ((prompt === undefined) !== (job.interactive === true))
    throw new Failure(
      "invalid_request",
      job.interactive === true
        ? "an interactive job begins without a prompt; send each command as one"
        : "a job has one turn: send its prompt with it",
    );
  if (resume_session_id !== undefined)
    throw new Failure("invalid_request", "a job continues no other session; leave resume_session_id out");
  checkFields(job, { engine, text: prompt?.text ?? "" });
  const { max_job_time_ms: time = LIMITS.jobTimeMaxMs, max_job_memory_mib: memory } = profile;
  const { timeout_ms = Math.min(LIMITS.jobTimeMs, time), memory_mib = memory } = job;
  if (timeout_ms > time)
    throw new Failure("forbidden", `the policy lets a job run for ${time} ms; ask for no more in timeout_ms`);
  if (memory !== undefined && memory_mib !== undefined && memory_mib > memory)
    throw new Failure("forbidden", `the policy gives a job ${memory} MiB; ask for no more in memory_mib`);
  return { ...job, timeout_ms, ...(memory_mib === undefined ? {} : { memory_mib }) };
}
