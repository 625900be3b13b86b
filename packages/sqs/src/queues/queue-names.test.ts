import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { groupQueue, isUnclaimed, topicPrefix, unclaimedQueue } from "./queue-names.ts";

const name = fc.stringMatching(/^[\w.-]{1,100}$/);

test("short names of letters, digits and - are unchanged, others get a hash", () => {
  expect(groupQueue("orders", "mail", false)).toBe("orders__mail");
  expect(groupQueue("orders", "mail", true)).toBe("orders__mail.fifo");
  expect(groupQueue("shop.orders", "mail", false)).toMatch(/^shop-orders_[\da-f]{8}__mail$/);
  expect(unclaimedQueue("orders.mail.dlq", false)).toMatch(/^orders-mail-dlq_[\da-f]{8}__unclaimed$/);
});

test("SQS accepts every name", () => {
  fc.assert(
    fc.property(name, name, fc.boolean(), (topic, group, isFifo) => {
      expect(groupQueue(topic, group, isFifo)).toMatch(/^[\w-]{1,75}(?:\.fifo)?$/);
      expect(groupQueue(topic, group, isFifo).startsWith(topicPrefix(topic))).toBe(true);
    }),
  );
});

test("different topics and groups never share a queue, nor the prefix of a topic", () => {
  const some = fc.stringMatching(/^[a_.-]{1,4}$/);
  fc.assert(
    fc.property(some, some, some, some, (topic, group, otherTopic, otherGroup) => {
      const isSame = topic === otherTopic && group === otherGroup;
      expect(groupQueue(topic, group, false) === groupQueue(otherTopic, otherGroup, false)).toBe(isSame);
      const isUnder = groupQueue(topic, group, false).startsWith(topicPrefix(otherTopic));
      expect(isUnder).toBe(topic === otherTopic);
    }),
  );
});

test("the queue of a group is never an unclaimed queue", () => {
  expect(isUnclaimed(unclaimedQueue("orders", true))).toBe(true);
  expect(isUnclaimed(groupQueue("orders", "unclaimed", false))).toBe(false);
  expect(isUnclaimed(groupQueue("orders", "unclaimed", true))).toBe(false);
});
