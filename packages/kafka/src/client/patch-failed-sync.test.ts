import { expect, test } from "@jest/globals";
import { patchFailedSync } from "./patch-failed-sync.ts";
import { requireOfUnpatchedDriver } from "./unpatched-driver.test-kit.ts";

const require = requireOfUnpatchedDriver();
const { prototype } = require("kafkajs/src/consumer/consumerGroup.js") as {
  prototype: { joinAndSync(): Promise<void> };
};

/** Creates a group member whose next join fails after `join`. */
const failingMember = (join: (member: Member) => void): Member => {
  const member: Member = {
    generationId: 1,
    memberId: "m",
    leaves: 0,
    leave: async () => void member.leaves++,
    retrier: async () => {
      join(member);
      throw Object.assign(new Error("closed"), { retriable: true });
    },
  };
  return member;
};

interface Member {
  generationId: number;
  memberId: string | null;
  leaves: number;
  leave(): Promise<void>;
  retrier(): Promise<void>;
}

test("a member whose sync fails after the join leaves, and kafkajs does not retry", async () => {
  expect(patchFailedSync(require)).toBe(true);
  const member = failingMember((each) => void (each.generationId = 2));
  await expect(prototype.joinAndSync.call(member)).rejects.toMatchObject({
    message: "closed",
    retriable: false,
    cause: { message: "closed" },
  });
  expect([member.leaves, member.memberId]).toEqual([1, null]);
});

test("kafkajs retries a failed join with the same member", async () => {
  patchFailedSync(require);
  const member = failingMember(() => {});
  await expect(prototype.joinAndSync.call(member)).rejects.toMatchObject({ retriable: true });
  expect([member.leaves, member.memberId]).toEqual([0, "m"]);
});
