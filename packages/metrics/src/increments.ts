import type { Reading, Source } from "./family.ts";

/** Wraps a source to return the increments since its last reading instead of totals. Totals that are not finite are skipped. */
export const incrementsOf = (source: Source): Source => {
  const increments = new Increments();
  return async () => {
    const { totals, ...others }: Reading = await source();
    return {
      ...others,
      totals: increments.of(totals.filter(([, numbers]) => numbers.every(Number.isFinite))),
    };
  };
};

/** Converts the totals of one source to increments since its last reading. */
class Increments {
  private readonly seen: Map<string, readonly number[]> = new Map();

  /**
   * Returns the increments of grown and new series. A count that decreased was reset; the last of several numbers is a sum, which negative observations can
   * decrease without a reset.
   */
  of(totals: readonly (readonly [series: string, numbers: readonly number[]])[]): [string, number[]][] {
    return totals.flatMap(([series, numbers]): [string, number[]][] => {
      const before = this.seen.get(series);
      this.seen.set(series, numbers);
      if (before === undefined) return [[series, [...numbers]]];
      const counts = numbers.slice(0, Math.max(1, numbers.length - 1));
      const wasReset = counts.some((count, index) => count < (before[index] ?? 0));
      const gains = numbers.map((number, index) => (wasReset ? number : number - (before[index] ?? 0)));
      return gains.some((gain) => gain !== 0) ? [[series, gains]] : [];
    });
  }
}
