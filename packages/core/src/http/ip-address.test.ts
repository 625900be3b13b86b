import { isIP } from "node:net";
import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { formatIp, parseIp } from "./ip-address.ts";

const canonical = (text: string) => {
  const bytes = parseIp(text);
  return bytes === null ? null : formatIp(bytes);
};

test.each([
  ["127.0.0.1", "127.0.0.1"],
  ["0.0.0.0", "0.0.0.0"],
  ["255.255.255.255", "255.255.255.255"],
  ["::", "::"],
  ["::1", "::1"],
  ["1::", "1::"],
  ["2001:DB8:0:0:1:0:0:1", "2001:db8::1:0:0:1"],
  ["2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"],
  ["2001:0db8:0000:0000:0000:0000:0000:0001", "2001:db8::1"],
  ["1:0:0:2:0:0:0:3", "1:0:0:2::3"],
  ["fe80::1%eth0", "fe80::1"],
  ["fe80::1%25", "fe80::1"],
  ["::ffff:10.0.0.1", "10.0.0.1"],
  ["::FFFF:0a00:1", "10.0.0.1"],
  ["0:0:0:0:0:ffff:10.0.0.1", "10.0.0.1"],
  ["::10.0.0.1", "::a00:1"],
  ["64:ff9b::192.0.2.1", "64:ff9b::c000:201"],
  ["1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"],
])("reads %s as %s", (text, expected) => {
  expect(canonical(text)).toBe(expected);
});

test.each([
  "",
  " ",
  "1",
  "1.2.3",
  "1.2.3.4.5",
  "01.2.3.4",
  "1.2.3.04",
  "256.1.1.1",
  "1.2.3.-4",
  "0x7f.0.0.1",
  "127.1",
  "2130706433",
  "1.2.3.4 ",
  " 1.2.3.4",
  "1.2.3.4%eth0",
  "1.2.3.4:80",
  ":",
  ":::",
  "::1::",
  "1::2::3",
  "1:2:3:4:5:6:7",
  "1:2:3:4:5:6:7:8:9",
  "1:2:3:4:5:6:7:8::",
  "::1:2:3:4:5:6:7:8",
  ":1:2:3:4:5:6:7",
  "1:2:3:4:5:6:7:",
  "12345::",
  "g::1",
  "::1.2.3",
  "::1.2.3.4:5",
  "1.2.3.4::",
  "[::1]",
  "::1%",
  "::-1",
  "::1 ",
  "::ffff:256.1.1.1",
  "localhost",
])("rejects %j", (text) => {
  expect(parseIp(text)).toBeNull();
});

test("agrees with Node on the validity of addresses", () => {
  const noise = fc.string({
    unit: fc.constantFrom("1", "0", "ff", ":", "::", ".", "255", "1.2.3.4", "a"),
    maxLength: 12,
  });
  fc.assert(
    fc.property(noise, (text) => expect(parseIp(text) !== null).toBe(isIP(text) !== 0)),
    { numRuns: 1000 },
  );
  const address = fc.oneof(fc.ipV4(), fc.ipV6());
  fc.assert(fc.property(address, (text) => expect(isIP(canonical(text) ?? "")).not.toBe(0)));
});

test("parsing a formatted address returns the same bytes, and formatting them returns the same text", () => {
  const mapped = "0,0,0,0,0,0,0,0,0,0,255,255";
  const bytes = fc.oneof(
    fc.array(fc.integer({ min: 0, max: 255 }), { minLength: 4, maxLength: 4 }),
    fc
      .array(fc.constantFrom(0, 0, 1, 255), { minLength: 16, maxLength: 16 })
      .filter((given) => given.slice(0, 12).join() !== mapped), // read as IPv4
  );
  fc.assert(
    fc.property(bytes, (given) => {
      expect(parseIp(formatIp(given))).toEqual(given);
      expect(canonical(formatIp(given))).toBe(formatIp(given));
    }),
  );
});
