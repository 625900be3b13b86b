/** The queues of one receiver, and its share of the prefetch. */
export interface Share<Source> {
  readonly sources: readonly Source[];
  /** Maximum number of messages that the receiver holds or requests. */
  readonly max: number;
}

/**
 * Divides a prefetch between receivers, so that a long poll of one queue does not reserve the capacity of the others. Each queue has its own receiver; with more
 * queues than the prefetch has messages, a receiver polls several queues in turn. A single queue is limited only by the sink.
 */
export const sharesOf = <Source>(sources: readonly Source[], prefetch: number): readonly Share<Source>[] => {
  if (sources.length === 1) return [{ sources, max: Infinity }];
  const count = Math.min(sources.length, prefetch);
  return Array.from({ length: count }, (_, share) => ({
    sources: sources.filter((_source, at) => at % count === share),
    max: Math.floor(prefetch / count),
  }));
};
