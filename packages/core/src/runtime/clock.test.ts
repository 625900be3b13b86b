import { expect, test } from "@jest/globals";
import { MAX_TIMEOUT_MS, systemClock } from "./clock.ts";

test.each(["after", "every"] as const)(
  "%s does not run a task early if its delay exceeds the maximum of a timer",
  async (member) => {
    let runs = 0;
    const cancel = systemClock[member](MAX_TIMEOUT_MS + 1, () => runs++);
    await new Promise((resolve) => setTimeout(resolve, 20));
    cancel();
    expect(runs).toBe(0);
  },
);
