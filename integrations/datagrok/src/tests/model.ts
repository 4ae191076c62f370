import type { ClaudeRuntimeClient, RuntimeAnswered } from "sallyport/client/runtime";

/** One step of the scripted model, which needs no key: the container is started with `SALLYPORT_PROVIDER=sim` for these tests. */
export type Step =
  | { readonly say: string }
  | { readonly stream: { readonly tokens: number; readonly per_second: number } }
  | { readonly tool: string; readonly input: object };

/** A prompt that the scripted model plays. */
export function play(...steps: readonly Step[]): string {
  return `sim: ${JSON.stringify(steps.map(scripted))}`;
}

function scripted(step: Step): Step {
  return "tool" in step ? { ...step, tool: `mcp__datagrok__${step.tool}` } : step;
}

/** All that was said of one conversation until its answer was whole. Rejects where it failed. */
export interface Heard {
  readonly chunks: readonly string[];
  readonly steps: readonly string[];
  readonly final: RuntimeAnswered;
}

export function hear(client: ClaudeRuntimeClient, sessionId: string): Promise<Heard> {
  return new Promise((resolve, reject) => {
    const chunks: string[] = [];
    const steps: string[] = [];
    const subscriptions = [
      client.onChunk.subscribe((chunk) => {
        if (chunk.sessionId === sessionId) chunks.push(chunk.content);
      }),
      client.onToolUse.subscribe((use) => {
        if (use.sessionId === sessionId) steps.push(`${use.tool} ${use.status}`);
      }),
      client.onFinal.subscribe((final) => {
        if (final.sessionId === sessionId) end(() => resolve({ chunks, steps, final }));
      }),
      client.onError.subscribe((error) => {
        if (error.sessionId === sessionId) end(() => reject(new Error(error.message)));
      }),
    ];
    const end = (act: () => void): void => {
      for (const subscription of subscriptions) subscription.unsubscribe();
      act();
    };
  });
}
