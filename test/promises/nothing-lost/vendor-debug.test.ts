import { it } from "vitest";
import { writeFileSync } from "node:fs";
import { faultsOf } from "../../support/vendor/faults.ts";
import { liveWithVendor } from "../../support/vendor/life.ts";
it("debug", { timeout: 100_000 }, async () => {
  for (let n = 0; n < Number(process.env.N ?? 5); n++) {
    const life = await liveWithVendor(JSON.parse(process.env.PLAN ?? "{}"));
    const f = faultsOf(life);
    console.log(n, JSON.stringify(life.hits), f);
    if (f.length) {
      writeFileSync("/tmp/vk/life.json", JSON.stringify(life, null, 1));
      break;
    }
  }
});
