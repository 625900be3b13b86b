import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { addressKey, shorten } from "./limit.ts";

test.each([
  [null, "none"],
  ["192.0.2.1", "192.0.2.1"],
  ["::1", "0:0:0:0::/64"],
  ["::", "0:0:0:0::/64"],
  ["2001:db8::1", "2001:db8:0:0::/64"],
  ["2001:db8:0:0:1:2:3:4", "2001:db8:0:0::/64"],
  ["2001:db8:0:1::1", "2001:db8:0:1::/64"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
  ["2001:0:0:1::", "2001:0:0:1::/64"],
  ["1:2:3:4:5:6:7::", "1:2:3:4::/64"],
  ["fe80::1", "fe80:0:0:0::/64"],
  ["::ffff:c000:201", "192.0.2.1"],
  ["::ffff:c000:202", "192.0.2.2"],
  ["::ffff:0:c000:201", "192.0.2.1"],
  ["64:ff9b::c000:201", "192.0.2.1"],
  ["64:ff9b::", "0.0.0.0"],
  ["::ffff:1:c000:201", "0:0:0:0::/64"],
  ["64:ff9b:1::c000:201", "64:ff9b:1:0::/64"],
])(
  "the client at %s counts as %s: IPv4 networks are recognised by range, not by notation (CVE-2026-30827)",
  (address, key) => {
    expect(addressKey(address)).toBe(key);
  },
);

const group = fc.integer({ min: 1, max: 0xffff }).map((value) => value.toString(16));
const groups = (length: number) => fc.array(group, { minLength: length, maxLength: length });

test("addresses of the same /64 network share a key, addresses of different networks do not", () => {
  fc.assert(
    fc.property(groups(4), groups(4), groups(4), groups(4), (network, host, other, another) => {
      const at = (front: string[], back: string[]) => addressKey([...front, ...back].join(":"));
      expect(at(network, host)).toBe(at(network, other));
      expect(at(network, host) === at(another, host)).toBe(network.join() === another.join());
    }),
  );
});

test("long keys become distinct digests, and short keys are unchanged", () => {
  const long = "k".repeat(201);
  expect(shorten("k".repeat(200))).toBe("k".repeat(200));
  expect(shorten(long)).toMatch(/^sha256:[\da-f]{64}$/);
  expect(shorten(long)).not.toBe(shorten(`${long}2`));
});
