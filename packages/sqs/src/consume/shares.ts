/** Queues of one receiver, with its share of the prefetch. */
export interface Share<Source> {
  readonly sources: readonly Source[];
  readonly max: number;
}

/**
 * Divides a prefetch between queues, so that a request that waits for messages of one queue does not use up the room of the others. If there are more queues than
 * the prefetch, a receiver polls several queues in turn. A single queue is limited only by the sink.
 */
export const sharesOf = <Source>(sources: readonly Source[], prefetch: number): readonly Share<Source>[] => {
  if (sources.length === 1) return [{ sources, max: Infinity }];
  const count = Math.min(sources.length, prefetch);
  return Array.from({ length: count }, (_, share) => ({
    sources: sources.filter((_source, at) => at % count === share),
    max: Math.floor(prefetch / count),
  }));
};
