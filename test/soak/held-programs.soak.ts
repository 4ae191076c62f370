import { expect, it } from "vitest";
import { heldFaults, liveHeld } from "../support/held.ts";

const LIVES = Number(process.env["SOAK_HELD_LIVES"] ?? 100);
const ENGINES = ["claude-cli", "claude-sdk"] as const;
const SANDBOXES = ["local", "bubblewrap"] as const;
const MOST_PIECES = 50;

it(
  `the server is killed in ${LIVES} streaming texts and in ${LIVES} open questions, and none is interrupted`,
  {
    timeout: 3 * 3_600_000,
  },
  async () => {
    const faults: string[] = [];
    const begun = performance.now();
    for (let life = 0; life < LIVES; life += 1) {
      const engine = ENGINES[life % ENGINES.length] ?? "claude-cli";
      const sandbox = SANDBOXES[Math.floor(life / ENGINES.length) % SANDBOXES.length] ?? "local";
      // Spread over the whole text, always the same.
      const pieces = 1 + ((life * 7) % MOST_PIECES);
      const name = `${life} ${engine} ${sandbox}, ${pieces} pieces`;
      const wrong = await liveHeld({ engine, pieces, environment: { SALLYPORT_SANDBOX: sandbox } }).then(
        heldFaults,
        (error: unknown) => [String(error)],
      );
      faults.push(...wrong.map((fault) => `${name}: ${fault}`));
      console.log(`${name}: ${wrong.length === 0 ? "holds" : wrong.join("; ")}`);
    }
    const seconds = Math.round((performance.now() - begun) / 1_000);
    console.log(`${2 * LIVES} kills in ${seconds} s, ${faults.length} faults`);
    expect(faults).toEqual([]);
  },
);
