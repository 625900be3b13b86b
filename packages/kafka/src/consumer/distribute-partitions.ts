/** Subscribed topics and held partitions of a group member. */
export interface Claim {
  readonly member: string;
  readonly topics: readonly string[];
  readonly held: Readonly<Record<string, readonly number[]>>;
}

type PartitionsByTopic = Record<string, number[]>;

/** Distributes the partitions of each topic over its subscribers: their counts differ by at most one, and a partition stays with its member if possible. */
export const distribute = (
  claims: readonly Claim[],
  partitions: ReadonlyMap<string, readonly number[]>,
): ReadonlyMap<string, PartitionsByTopic> => {
  const members = claims.toSorted((one, other) => (one.member < other.member ? -1 : 1));
  const shares = new Map(members.map(({ member }) => [member, new Map<string, number[]>()]));
  const totals = new Map(members.map(({ member }) => [member, 0]));
  for (const [topic, all] of Array.from(partitions).toSorted(([one], [other]) => (one < other ? -1 : 1))) {
    const subscribers = members.filter(({ topics }) => topics.includes(topic));
    for (const [member, own] of distributeTopic(topic, all, subscribers, totals)) {
      shares.get(member)?.set(topic, own);
      totals.set(member, (totals.get(member) ?? 0) + own.length);
    }
  }
  return new Map(Array.from(shares, ([member, own]) => [member, Object.fromEntries(own)]));
};

const distributeTopic = (
  topic: string,
  all: readonly number[],
  subscribers: readonly Claim[],
  totals: ReadonlyMap<string, number>,
): ReadonlyMap<string, number[]> => {
  const min = Math.floor(all.length / subscribers.length);
  let extra = all.length % subscribers.length;
  const free = new Set(all);
  const own = new Map<string, number[]>();
  for (const { member, held } of subscribers) {
    const retained = (held[topic] ?? []).filter((partition) => free.has(partition)).slice(0, min);
    for (const partition of retained) free.delete(partition);
    own.set(member, retained);
  }
  for (const { member, held } of subscribers) {
    const retained = own.get(member) ?? [];
    const more = (held[topic] ?? []).find((partition) => free.has(partition));
    if (extra === 0 || retained.length < min || more === undefined) continue;
    free.delete(more);
    retained.push(more);
    extra--;
  }
  for (const partition of free) leastLoaded(subscribers, own, totals)?.push(partition);
  return own;
};

/** Returns the partition list of the member with the fewest partitions of this topic, then with the fewest in total. */
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
