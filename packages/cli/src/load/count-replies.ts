import type { Ending } from "./open-loop.ts";

/** A sender whose replies are counted by their status. */
export interface CountedReplies {
  readonly send: () => Promise<Ending>;
  /** A line for a status from 400 to 499 that most replies had: the service answers, but hardly what was meant. */
  doubts(): readonly string[];
}

/** Counts the replies of a sender by their status. */
export const countReplies = (send: () => Promise<Ending>): CountedReplies => {
  const counts = new Map<number, number>();
  return {
    send: async () => {
      const ending = await send();
      if (typeof ending === "number") counts.set(ending, (counts.get(ending) ?? 0) + 1);
      return ending;
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
