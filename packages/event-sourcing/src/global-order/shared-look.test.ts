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
