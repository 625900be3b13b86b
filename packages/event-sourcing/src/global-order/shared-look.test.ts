import { expect, test } from "@jest/globals";
import { SharedLook } from "./shared-look.ts";

/** Looks that end when they are told to. */
const controlled = () => {
  const ends: PromiseWithResolvers<number>[] = [];
  const looks = new SharedLook(() => {
    const end = Promise.withResolvers<number>();
    ends.push(end);
    return end.promise;
  });
  return { looks, ends };
};

test("callers during a look share the next one, because theirs may see more", async () => {
  const { looks, ends } = controlled();
  const first = looks.get();
  const [second, third] = [looks.get(), looks.get()];
  expect(ends).toHaveLength(1);
  ends[0]?.resolve(1);
  expect(await first).toBe(1);
  await new Promise(setImmediate);
  expect(ends).toHaveLength(2);
  ends[1]?.resolve(2);
  expect(await Promise.all([second, third])).toEqual([2, 2]);
});

test("a look that fails does not fail the next one", async () => {
  const { looks, ends } = controlled();
  const first = looks.get();
  const second = looks.get();
  ends[0]?.reject(new Error("no"));
  await expect(first).rejects.toThrow("no");
  await new Promise(setImmediate);
  ends[1]?.resolve(2);
  expect(await second).toBe(2);
});

test("one look runs at a time, also for a caller who asks at the moment at which one has ended", async () => {
  let [running, most] = [0, 0];
  const looks = new SharedLook(async () => {
    most = Math.max(most, ++running);
    for (let turn = 0; turn < 5; turn++) await Promise.resolve();
    running--;
  });
  const caller = async (turns: number): Promise<void> => {
    for (let turn = 0; turn < turns; turn++) await Promise.resolve();
    for (let look = 0; look < 3; look++) await looks.get();
  };
  await Promise.all(Array.from({ length: 12 }, (_, turns) => caller(turns)));
  expect([running, most]).toEqual([0, 1]);
});
