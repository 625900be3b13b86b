/** A member of a group: what it subscribes to, and what it held. */
export interface Claim {
  readonly member: string;
  readonly topics: readonly string[];
  readonly held: Readonly<Record<string, readonly number[]>>;
}

type Assignment = Record<string, number[]>;

/**
 * Shares the partitions of each topic among its subscribers: their numbers differ by one at most, and a partition stays with its member where that allows it.
 */
export const share = (
  claims: readonly Claim[],
  partitions: ReadonlyMap<string, readonly number[]>,
): ReadonlyMap<string, Assignment> => {
  const members = claims.toSorted((one, other) => (one.member < other.member ? -1 : 1));
  const shares = new Map(members.map(({ member }) => [member, new Map<string, number[]>()]));
  const totals = new Map(members.map(({ member }) => [member, 0]));
  for (const [topic, all] of Array.from(partitions).toSorted(([one], [other]) => (one < other ? -1 : 1))) {
    const subscribers = members.filter(({ topics }) => topics.includes(topic));
    for (const [member, own] of shareTopic(topic, all, subscribers, totals)) {
      shares.get(member)?.set(topic, own);
      totals.set(member, (totals.get(member) ?? 0) + own.length);
    }
  }
  return new Map(Array.from(shares, ([member, own]) => [member, Object.fromEntries(own)]));
};

const shareTopic = (
  topic: string,
  all: readonly number[],
  subscribers: readonly Claim[],
  totals: ReadonlyMap<string, number>,
): ReadonlyMap<string, number[]> => {
  const least = Math.floor(all.length / subscribers.length);
  let extra = all.length % subscribers.length;
  const free = new Set(all);
  const own = new Map<string, number[]>();
  for (const { member, held } of subscribers) {
    const kept = (held[topic] ?? []).filter((partition) => free.has(partition)).slice(0, least);
    for (const partition of kept) free.delete(partition);
    own.set(member, kept);
  }
  for (const { member, held } of subscribers) {
    const kept = own.get(member) ?? [];
    const more = (held[topic] ?? []).find((partition) => free.has(partition));
    if (extra === 0 || kept.length < least || more === undefined) continue;
    free.delete(more);
    kept.push(more);
    extra--;
  }
  for (const partition of free) leastLoaded(subscribers, own, totals)?.push(partition);
  return own;
};

/** The partitions of the member with the fewest of this topic, then with the fewest of all. */
const leastLoaded = (
  subscribers: readonly Claim[],
  own: ReadonlyMap<string, number[]>,
  totals: ReadonlyMap<string, number>,
): number[] | undefined => {
  const loads = subscribers.map(({ member }) => ({
    list: own.get(member) ?? [],
    total: totals.get(member) ?? 0,
  }));
  const sorted = loads.toSorted(
    (one, other) => one.list.length - other.list.length || one.total - other.total,
  );
  return sorted[0]?.list;
};
