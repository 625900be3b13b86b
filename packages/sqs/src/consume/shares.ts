/** Queues of one receiver, and how many of their messages it may hold or ask for. */
export interface Share<Source> {
  readonly sources: readonly Source[];
  readonly most: number;
}

/**
 * Shares a prefetch between queues, so that a request that waits for messages of one takes no room from the others. More queues than the prefetch take turns at
 * the receivers that there are. One queue alone has what the sink has.
 */
export const sharesOf = <Source>(sources: readonly Source[], prefetch: number): readonly Share<Source>[] => {
  if (sources.length === 1) return [{ sources, most: Infinity }];
  const count = Math.min(sources.length, prefetch);
  return Array.from({ length: count }, (_, share) => ({
    sources: sources.filter((_source, at) => at % count === share),
    most: Math.floor(prefetch / count),
  }));
};
