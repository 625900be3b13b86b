import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { type Claim, distribute } from "./distribute-partitions.ts";

const topics = ["a", "b", "c"];
const claims = fc.uniqueArray(
  fc.record({
    member: fc.string({ minLength: 1, maxLength: 3 }),
    topics: fc.subarray(topics),
    held: fc.dictionary(fc.constantFrom(...topics), fc.uniqueArray(fc.nat(20))),
  }),
  { minLength: 1, maxLength: 6, selector: ({ member }) => member },
);
const counts = fc.array(fc.nat(12), { minLength: 3, maxLength: 3 });
const partitionsOf = (numbers: readonly number[]): ReadonlyMap<string, readonly number[]> =>
  new Map(topics.map((topic, at) => [topic, Array.from({ length: numbers[at] ?? 0 }, (_, n) => n)]));

const ownersOf = (shares: ReturnType<typeof distribute>, topic: string): readonly number[] =>
  [...shares.values()].flatMap((own) => own[topic] ?? []).toSorted((one, other) => one - other);

test("every partition has one owner, and the partition counts of a topic's subscribers differ by at most one", () => {
  fc.assert(
    fc.property(claims, counts, (members: readonly Claim[], numbers) => {
      const partitions = partitionsOf(numbers);
      const shares = distribute(members, partitions);
      for (const [topic, all] of partitions) {
        const subscribers = members.filter((each) => each.topics.includes(topic));
        expect(ownersOf(shares, topic)).toEqual(subscribers.length === 0 ? [] : all);
        const sizes = subscribers.map(({ member }) => shares.get(member)?.[topic]?.length ?? 0);
        const min = Math.min(...sizes);
        expect(sizes.every((size) => size - min <= 1)).toBe(true);
      }
    }),
  );
});

test("a second distribution changes nothing", () => {
  fc.assert(
    fc.property(claims, counts, (members: readonly Claim[], numbers) => {
      const partitions = partitionsOf(numbers);
      const first = distribute(members, partitions);
      const again = distribute(
        members.map((each) => ({ ...each, held: first.get(each.member) ?? {} })),
        partitions,
      );
      for (const { member } of members)
        for (const topic of topics)
          expect(new Set(again.get(member)?.[topic])).toEqual(new Set(first.get(member)?.[topic]));
    }),
  );
});

test("a new member receives its share, and no partition moves between the others", () => {
  const held = { a: [0, 1, 2] };
  const shares = distribute(
    [
      { member: "one", topics: ["a"], held },
      { member: "two", topics: ["a"], held: { a: [3, 4, 5] } },
      { member: "new", topics: ["a"], held: {} },
    ],
    partitionsOf([6]),
  );
  expect(shares.get("one")?.["a"]).toEqual([0, 1]);
  expect(shares.get("two")?.["a"]).toEqual([3, 4]);
  expect(shares.get("new")?.["a"]).toEqual([2, 5]);
});
