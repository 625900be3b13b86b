import type { RequestOutcome } from "./open-loop.ts";

/** A sender whose replies are counted by their status. */
export interface CountedReplies {
  readonly send: () => Promise<RequestOutcome>;
  /** A warning for each status from 400 to 499 that most replies had: the request is probably wrong. */
  doubts(): readonly string[];
}

/** Counts the replies of a sender by their status. */
export const countReplies = (send: () => Promise<RequestOutcome>): CountedReplies => {
  const counts = new Map<number, number>();
  return {
    send: async () => {
      const outcome = await send();
      if (typeof outcome === "number") counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
      return outcome;
    },
    doubts() {
      const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
      return [...counts]
        .filter(([status, count]) => status >= 400 && status < 500 && count > total / 2)
        .map(
          ([status, count]) =>
            `${count} of ${total} replies had status ${status}: check path and header fields`,
        );
    },
  };
};
